"""Fixes, procedures and checklists."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, model_validator

from .base import Entry, FactName, Id, Minutes, Model, Scalar, Text


class Change(Model):
    """What happens to one setting. Exactly one of `set`, `multiply`, `at_least`, `at_most`, `compute`."""

    set: Scalar | None = None
    multiply: float | None = Field(None, gt=0)
    at_least: float | None = None
    at_most: float | None = None
    compute: Text | None = Field(
        None,
        description="An expression over facts; `new.micro_batch_size` is a value this fix has set before.",
    )
    otherwise: Scalar | None = Field(None, description="The value where the old one, or a fact, is unknown.")
    digits: int | None = Field(None, ge=1, le=6, description="Significant digits of a computed value.")
    only_if: Text | None = Field(
        None,
        description="A condition; where it is not known to hold, this setting is left as it is: "
        "`not known(config.resume)`.",
    )

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        ways = [self.set, self.multiply, self.at_least, self.at_most, self.compute]
        if sum(way is not None for way in ways) != 1:
            raise ValueError("give exactly one of set, multiply, at_least, at_most, compute")
        return self


class TakeBack(Model):
    """How a temporary fix is undone."""

    when: Text = Field(description="What must have been seen before.")
    steps: list[Text] = Field(min_length=1)


class Fix(Entry):
    """What to change, how safe that is, and what should be seen afterwards."""

    title: Text = Field(description="An imperative: `Train in BF16`.")
    why: Text | None = None
    when: Text | None = Field(
        None, description="A condition; where it is known to be false the fix is not offered."
    )
    when_says: Text | None = Field(
        None, description="The condition in words, after `if`; made of what its facts mean where left out."
    )
    when_unknown: Literal["last", "keep", "leave-out"] = Field(
        "last",
        description="Where nothing tells whether the condition holds: after the other fixes of its cause, in its "
        "place, or not at all in a run of which something was read.",
    )
    leads: Text | None = Field(
        None, description="A condition; where it holds the fix comes before the others of its cause."
    )
    gives: Text | None = Field(
        None, description="An expression over facts: how many GiB of device memory it gives back in this run."
    )
    safety: Literal["safe", "unsafe", "advice"] = Field(
        description="safe: changes no result it should not. unsafe: changes results. advice: a person must do it."
    )
    effort_minutes: Minutes
    settings: dict[str, Change | Scalar] = Field(
        default_factory=dict, description="Canonical settings to change; a plain value sets."
    )
    snippet: Id | None = Field(None, description="A code snippet in templates/snippets/<id>.py.j2.")
    command: Text | None = Field(None, description="A command to run; `{log.x}` is filled in.")
    steps: list[Text] = Field(default_factory=list, description="What a person does by hand.")
    expect: Text = Field(description="What should be seen afterwards.")
    take_back: TakeBack | None = Field(None, description="For a temporary fix.")
    conflicts: list[Id] = Field(default_factory=list, description="Fixes that do not go together with it.")
    sources: list[Text] = Field(default_factory=list)

    @model_validator(mode="after")
    def _does_something(self) -> Self:
        if not (self.settings or self.snippet or self.command or self.steps):
            raise ValueError("a fix needs settings, a snippet, a command or steps")
        return self


class Step(Model):
    """One step of a procedure."""

    do: Text
    minutes: Minutes
    fact: FactName | None = Field(None, description="The fact it answers; ticked when that is known.")
    tells: Text | None = Field(None, description="What its outcome means.")


class Procedure(Entry):
    """An ordered way to go about a symptom, with its minutes."""

    title: Text
    symptoms: list[Id] = Field(default_factory=list)
    steps: list[Step] = Field(min_length=1)
    sources: list[Text] = Field(min_length=1)


class Tick(Model):
    """One item of a checklist."""

    text: Text
    passes: Text | None = Field(None, description="A condition: true ticks it, false is a finding.")
    minutes: Minutes = Field(0.0, description="What it takes a person where no probe can tell.")
    owner: Text | None = None


class Checklist(Entry):
    """Items to tick; a probe ticks what it can see."""

    title: Text
    items: list[Tick] = Field(min_length=1)
    sources: list[Text] = Field(min_length=1)
