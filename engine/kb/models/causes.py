"""Symptoms and causes."""

from __future__ import annotations

from collections import Counter
from typing import Literal, Self

from pydantic import Field, model_validator

from .base import Entry, Evidence, Id, Model, Prior, Scalar, Text

Expectation = Literal["wins", "silent", "cannot-tell"]


class Example(Model):
    """A cause's own test: what is known, and what must come out."""

    name: Text
    symptom: Id | None = Field(None, description="The symptom given; the cause's first one where left out.")
    facts: dict[str, Scalar | list[str]] = Field(
        default_factory=dict, description="Facts by name; a list is a fact of several texts."
    )
    series: dict[str, str] = Field(
        default_factory=dict,
        description="Metric series in one line: `loss: 2.3 2.1 nanx3` is 2.3, 2.1 and three NaN.",
    )
    log: str | None = Field(None, description="A piece of log, read by the real log probe.")
    config: str | None = Field(None, description="A config file's text, read by the real config probe.")
    config_name: str = Field("config.yaml", description="The name that config file has.")
    code: str | None = Field(None, description="Python source, read by the real code probe.")
    expect: Expectation = Field(
        description="`wins`: first, and at least likely. `silent`: unlikely. "
        "`cannot-tell`: nothing speaks for or against it, and something it asks for is unknown."
    )


class Cause(Entry):
    """What is wrong: its evidence, its explanation, its fixes and its own tests."""

    title: Text
    symptoms: dict[Id, Prior] = Field(
        min_length=1, description="The symptoms it can show as, and how often it is behind each."
    )
    evidence: list[Evidence] = Field(min_length=1)
    explanation: Text = Field(description="What happens and why, for someone who knows training.")
    told_as: list[Text] = Field(
        default_factory=list,
        description="How people tell of it, and the names that stand around it in code, settings and logs. Where the "
        "evidence confirms no cause, the words of what was handed in are compared with these.",
    )
    is_mistake: bool = Field(
        False,
        description="A script that strongly shows it does what is mostly a mistake: it is worth a look where nothing is seen to go wrong.",
    )
    fixes: list[Id] = Field(min_length=1, description="In the order to try them.")
    sources: list[Text] = Field(
        min_length=1, description="Playbook items (a05), documentation, owner/repo#number."
    )
    examples: list[Example]

    @model_validator(mode="after")
    def _has_examples(self) -> Self:
        count = Counter(example.expect for example in self.examples)
        missing = [word for word in ("wins", "silent", "cannot-tell") if not count[word]]
        if missing:
            raise ValueError(
                f"needs an example for each of wins, silent and cannot-tell; missing: {', '.join(missing)}"
            )
        return self


class Symptom(Entry):
    """What a person sees, and how it shows in the evidence."""

    title: Text
    aliases: list[Text] = Field(default_factory=list, description="What people type for it.")
    silent: Prior = Field(
        "rare", description="How often people have it although nothing in the evidence shows it by itself."
    )
    met: Prior = Field("common", description="How often it is what people come with.")
    told_as: list[Text] = Field(
        default_factory=list,
        description="How people tell of it. Where nothing shows a symptom, the words of what was written are compared with these.",
    )
    detect: list[Evidence] = Field(
        default_factory=list, description="How it is recognised where nobody names it."
    )
    sources: list[Text] = Field(default_factory=list)
