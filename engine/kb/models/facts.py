"""Facts, thresholds, settings, and contradictions between settings."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from .base import Entry, FactName, FactType, Id, Minutes, Model, Scalar, Text


class Derivation(Model):
    """A rule that gives a fact from others."""

    if_: Text | None = Field(None, alias="if", description="When it holds; always where left out.")
    value: Scalar = Field(description="A value, or `= expression` to compute one.")


class FactSpec(Model):
    """A fact that rules may ask for."""

    name: FactName
    type: FactType
    unit: Text | None = None
    means: Text
    values: list[Text] | None = Field(None, description="The only texts it may hold.")
    ask: Text | None = Field(None, description="The question to a person who can answer it.")
    measure: Text | None = Field(None, description="How to find out by hand.")
    minutes: Minutes = Field(2, description="What finding out costs a person.")
    supposes: Text | None = Field(
        None,
        description="What the question takes for granted; where that is not known to hold, nobody is asked.",
    )
    derive: list[Derivation] = Field(
        default_factory=list, description="How it follows from other facts; the first rule that holds counts."
    )

    @model_validator(mode="after")
    def _can_be_answered(self) -> Self:
        if self.measure and not self.ask:
            raise ValueError("a fact with `measure` needs `ask`, the question that the measurement answers")
        if self.supposes and not self.ask:
            raise ValueError("a fact with `supposes` needs `ask`, the question that takes it for granted")
        return self


class Limit(Model):
    """A named threshold."""

    id: str = Field(pattern=r"^[a-z0-9_]+$")
    value: float
    unit: Text | None = None
    means: Text
    source: Text


class Setting(Model):
    """A setting of a training run under the name we give it; it becomes the fact `config.<id>`."""

    id: str = Field(pattern=r"^[a-z0-9_]+$")
    type: FactType
    unit: Text | None = None
    means: Text
    values: list[Text] | None = Field(None, description="The only texts it may hold.")
    words: list[Text] = Field(
        default_factory=list,
        description="Texts that are ours and no trainer's own: written only by a dialect that has a word for them.",
    )
    low: float | None = Field(None, description="The smallest value that makes sense.")
    high: float | None = Field(None, description="The largest value that makes sense.")
    ask: Text | None = None
    minutes: Minutes = 1
    seen_as: FactName | None = Field(
        None,
        description="The fact that tells its value where no configuration does: fixes start from it, and nobody "
        "is asked.",
    )
    bookkeeping: bool = Field(
        False,
        description="It says under which name, where and how often the run writes, and nothing of how it trains: two "
        "runs that differ in it are the same.",
    )


class Check(Entry):
    """A contradiction between settings; it becomes the fact `config.contradiction.<id>`."""

    if_: Text = Field(alias="if")
    says: Text = Field(description="What is contradictory; `{config.precision}` is filled in.")
    sources: list[Text] = Field(default_factory=list)


class PlaybookItem(Model):
    """One thing a playbook says, in our words."""

    id: str = Field(pattern=r"^[a-e]\d\d$")
    kind: Text
    says: Text
    later: Text | None = Field(None, description="What is still missing, where it is not done.")


__all__ = ["Check", "Derivation", "FactSpec", "Id", "Limit", "PlaybookItem", "Setting"]
