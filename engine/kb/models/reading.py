"""How the outside is read: error texts, log formats, code patterns."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, ValidationInfo, model_validator

from .base import Entry, Id, Model, Regex, Scalar, Text, Wordings, is_proven


class Signature(Entry):
    """A text that means something; it becomes the fact `log.<id>` with underscores."""

    pattern: Wordings = Field(
        description="A regular expression, or a list of alternatives, searched in each cleaned line; `{loss}` stands "
        "for the phrase `loss`."
    )
    means: Text
    role: Literal["failure", "consequence", "warning", "event"] = Field(
        description="failure: something went wrong here. consequence: it only follows from another rank's or "
        "process's failure. warning: the run goes on. event: worth a line in the timeline."
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


def _with_expressions(rule: Any, info: ValidationInfo) -> Any:
    """A code rule whose regular expressions Python takes as ast-grep does."""
    if is_proven(info):
        return rule
    for part in rule.values() if isinstance(rule, dict) else rule if isinstance(rule, list) else ():
        _with_expressions(part, info)
    if isinstance(rule, dict) and isinstance(pattern := rule.get("regex"), str):
        try:
            re.compile(pattern)
        except re.error as error:
            raise ValueError(f"not a regular expression: {error}: {pattern}") from None
    return rule


Code = Annotated[dict[str, Any], AfterValidator(_with_expressions)]
"""An ast-grep rule (https://ast-grep.github.io), with our short words `named`, `calls`, `reads`, `contains` and `within`."""


class Idiom(Entry):
    """A piece of code that patterns share, written there as `matches: <id>`."""

    means: Text
    rule: Code


class Flow(Model):
    """A value on its way through the code: through names, tuples, attributes, functions and modules of the files read.

    A place is a call. Where a rule matches the construction of an object (`nn.Softmax(dim=1)`), calls of that
    object are meant.
    """

    from_: Code = Field(alias="from", description="Whose result is followed.")
    element: int | None = Field(
        None, description="Which element of the result is followed, where it is a tuple."
    )
    from_argument: list[int | str] | None = Field(
        None, description="Not the result but what is handed over is followed; written like `argument`."
    )
    into: Code = Field(description="Where it must arrive.")
    argument: list[int | str] = Field(
        min_length=1,
        description="As which argument: a position from 0, a keyword, `self` for the object before the dot, or a "
        "metavariable of `into` such as `$X`. The first that is there counts.",
    )
    through: Code | Literal["everything"] | None = Field(
        None, description="Calls that pass the value on; `everything`: any computation with it."
    )
    unless: Code | None = Field(None, description="What ends the way.")
    objects: bool = Field(
        False, description="True where constructed objects are followed, not what calls of them give."
    )
    only: bool = Field(
        False, description="True where nothing else that could carry a gradient may arrive together with it."
    )


class CodePattern(Entry):
    """A structural pattern over Python source; it becomes the fact `code.<id>` with underscores."""

    means: Text
    rule: Code | None = Field(None, description="Where it matches, the fact is true.")
    flow: Flow | None = Field(None, description="Where the value arrives, the fact is true.")
    constraints: dict[str, Code] = Field(
        default_factory=dict, description="Metavariable -> rule it must match."
    )
    scope: Code | None = Field(
        None,
        description="Where this is seen and the pattern is not, the fact is false; else it stays unknown. "
        "A flow without a scope is false where every way to its end was followed.",
    )
    unless: Code | None = Field(None, description="A file in which this matches says nothing.")
    absent: bool = Field(
        False,
        description="True turns it round: the fact is true where `scope` is seen and `rule` matches in no file.",
    )
    captures: dict[str, str] = Field(
        default_factory=dict, description="Metavariable -> fact that holds its text."
    )
    facts: dict[str, Scalar] = Field(default_factory=dict, description="Other facts it establishes.")
    finds: list[Text] = Field(min_length=1, description="Code it must find.")
    passes: list[Text] = Field(min_length=1, description="Code it must not find.")
    sources: list[Text] = Field(default_factory=list)

    @model_validator(mode="after")
    def _is_one_thing(self) -> Self:
        if (self.rule is None) == (self.flow is None):
            raise ValueError("give `rule` or `flow`, and not both")
        if self.absent and (self.rule is None or self.scope is None):
            raise ValueError("`absent` needs `rule` and `scope`")
        if self.captures and self.rule is None:
            raise ValueError("`captures` needs `rule`")
        return self


Quirk = Literal[
    "loss-in-bits", "nan-shown-as-zero", "nan-hides-the-loss", "nan-sticks", "running-mean", "smoothed",
    "zero-loss-is-normal", "negative-loss-is-normal", "epochs-from-zero", "rounded",
]  # fmt: skip


class Sample(Model):
    """A line as a trainer prints it, and what is read from it."""

    text: Text
    reads: dict[str, float | str] = Field(description="Metric -> value; `nan` and `inf` as text.")


class LogFormat(Entry):
    """How one trainer prints its metrics."""

    trainer: Text
    title: Text
    recognise: Regex = Field(description="A regular expression that only this trainer's lines match.")
    pattern: Regex | None = Field(
        None,
        description="Named groups are metrics. Left out where the general reader of `name: value` suffices.",
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
    "CodePattern", "Flow", "Frame", "Id", "Idiom", "LogFormat", "Metric", "Quirk", "Sample",
    "Signature", "Words",
]  # fmt: skip
