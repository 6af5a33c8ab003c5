"""How logs are read: error texts, log formats, metrics, frames and words."""

from __future__ import annotations

import re
from typing import Literal, Self

from pydantic import Field, ValidationInfo, model_validator

from .base import Entry, Model, Regex, Scalar, Text, Wordings, is_proven


class Signature(Entry):
    """A text that means something; it becomes the fact `log.<id>` with underscores."""

    pattern: Wordings = Field(
        description="A regular expression, or a list of alternatives, searched in each cleaned line; `{loss}` stands "
        "for the phrase `loss`."
    )
    means: Text
    role: Literal["failure", "consequence", "warning", "event", "context"] = Field(
        description="failure: something went wrong here. consequence: it only follows from another rank's or "
        "process's failure. warning: the run goes on. event: worth a line in the timeline. "
        "context: says what runs, and where; no line in the timeline."
    )
    where: Literal["log", "prose", "anywhere"] = Field(
        "log", description="In machine output, in what a person writes, or in both."
    )
    lines: int = Field(1, ge=1, le=20, description="How many lines the text may stretch over.")
    captures: dict[str, str] = Field(
        default_factory=dict,
        description="Named group -> fact; sizes and times are converted to the fact's unit.",
    )
    facts: dict[str, Scalar] = Field(default_factory=dict, description="Other facts it establishes.")
    finds: list[Text] = Field(min_length=1, description="Texts it must match.")
    passes: list[Text] = Field(default_factory=list, description="Texts it must not match.")
    sources: list[Text] = Field(default_factory=list)

    @model_validator(mode="after")
    def _examples_agree(self, info: ValidationInfo) -> Self:
        if is_proven(info):
            return self
        pattern = re.compile(self.pattern)
        for text in self.finds:
            if not pattern.search(text):
                raise ValueError(f"`finds` is not matched: {text[:80]}")
        for text in self.passes:
            if pattern.search(text):
                raise ValueError(f"`passes` is matched: {text[:80]}")
        groups = set(pattern.groupindex)
        if unknown := sorted(set(self.captures) - groups):
            raise ValueError(f"no group of the pattern is named {', '.join(unknown)}")
        return self


Quirk = Literal[
    "loss-in-bits", "nan-shown-as-zero", "nan-hides-the-loss", "nan-sticks", "running-mean", "smoothed",
    "zero-loss-is-normal", "negative-loss-is-normal", "epochs-from-zero", "printed-by-others", "rounded",
]  # fmt: skip


class Sample(Model):
    """A line as a trainer prints it, and what is read from it."""

    text: Text
    reads: dict[str, float | str] = Field(description="Metric -> value; `nan` and `inf` as text.")


class LogFormat(Entry):
    """How one trainer prints its metrics, or many scripts in one language."""

    trainer: str = Field("", description="Left out where the lines are of no one's own.")
    title: Text
    recognise: Regex = Field(description="A regular expression that only this trainer's lines match.")
    pattern: Regex | None = Field(
        None,
        description="Named groups are metrics, or say where the run is: `step`, `epoch`, and `done` of `total` "
        "steps. Of a list in brackets the mean counts, and the lowest where there is a metric `..._lowest`. "
        "Where none is a metric, the general reader of `name: value` reads the numbers. Left out where it "
        "suffices for all.",
    )
    fields: dict[str, str] = Field(
        default_factory=dict, description="This trainer's name -> metric, where the general names do not fit."
    )
    quirks: list[Quirk] = Field(
        default_factory=list, description="What to know before believing the numbers."
    )
    samples: list[Sample] = Field(min_length=1)
    sources: list[Text] = Field(default_factory=list)


class Metric(Model):
    """A number that trainers print over time, with the names they give it."""

    id: str = Field(pattern=r"^[a-z0-9_]+$")
    means: Text
    names: list[Text] = Field(min_length=1, description="In lower case; separators are read alike.")
    unit: Text | None = None


class Frame(Entry):
    """What a frame of a traceback says about where an exception was raised."""

    means: Text
    fact: str | None = Field(None, description="Set to true where a frame matches, to false where none does.")
    innermost: bool = Field(
        False, description="Search only the frame that raised it, past those of `passing`."
    )
    pattern: Regex = Field(
        description="Searched in each frame, written `file:function: source line`, with forward slashes."
    )
    finds: list[Text] = Field(min_length=1, description="Frames it must match.")
    passes: list[Text] = Field(min_length=1, description="Frames it must not match.")

    @model_validator(mode="after")
    def _examples_agree(self, info: ValidationInfo) -> Self:
        if is_proven(info):
            return self
        pattern = re.compile(self.pattern)
        wrong = [one for one in self.finds if not pattern.search(one)]
        wrong += [one for one in self.passes if pattern.search(one)]
        if wrong:
            raise ValueError(f"`finds` and `passes` disagree with the pattern: {wrong[0][:80]}")
        return self


class Words(Entry):
    """Words that a reader goes by."""

    means: Text
    words: list[Text] = Field(min_length=1, description="In lower case.")


__all__ = [
    "Frame", "LogFormat", "Metric", "Quirk", "Sample", "Signature", "Words",
]  # fmt: skip
