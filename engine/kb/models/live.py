"""What is worth a line while a run goes on, and what can be tried on the run itself."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from .base import Entry, FactName, Model, Scalar, Text

Change = Scalar | list[str] | dict[str, Scalar]


class Notice(Entry):
    """Something worth a line the moment a growing log shows it."""

    if_: Text = Field(alias="if", description="A condition over facts of the log so far.")
    says: Text = Field(description="The line a person reads; `{loss.spike_ratio:.3g}` is filled in.")
    fact: FactName = Field(description="The fact whose place in the log is shown.")
    again: FactName | None = Field(
        None, description="It is said once more when this fact has another value; once in all where left out."
    )
    sources: list[Text] = Field(default_factory=list)


class Answer(Model):
    """How the two runs of an experiment answer a question."""

    fact: FactName = Field(description="The fact that it answers, a yes or no.")
    before: Text | None = Field(
        None,
        description="What must have been seen in the run as it is, or the experiment says nothing; "
        "a condition over the facts of that run.",
    )
    yes: Text = Field(
        description="When the answer is yes: a condition over the facts of the changed run, "
        "`test.loss_ratio` and `test.speedup` among them."
    )
    no: Text | None = Field(
        None, description="When the answer is no; where left out, when `yes` is known to be false."
    )


class Experiment(Entry):
    """One thing changed in a short run of the user's own script, all else equal."""

    title: Text = Field(description="An imperative: `Train in FP32`.")
    change: dict[Text, Change] = Field(
        default_factory=dict,
        description="What the observer changes, by the names of docs/live.md; nothing where the same run is "
        "repeated.",
    )
    environment: dict[str, str] = Field(
        default_factory=dict, description="Environment variables of the changed run."
    )
    settings: dict[Text, Scalar | list[Scalar]] = Field(
        default_factory=dict,
        description="How the settings of another run differ where that run is this experiment, made already: a value, or "
        "`lower`, `higher`, `added` (nothing, 0 or false in the run as it is), or `any` (may differ as well, and is "
        "no experiment by itself).",
    )
    steps: int | None = Field(
        None, ge=1, description="Steps it needs at least, where that is more than usual."
    )
    when: Text | None = Field(
        None, description="A condition over what is known; where it is known to be false, it is not run."
    )
    alone: bool = Field(
        False, description="True where the run as it is answers, under a closer look, and nothing is changed."
    )
    answers: list[Answer] = Field(default_factory=list)
    sources: list[Text] = Field(default_factory=list)

    @model_validator(mode="after")
    def _answers_differ(self) -> Self:
        names = [one.fact for one in self.answers]
        if len(set(names)) < len(names):
            raise ValueError("a fact is answered twice")
        if not self.answers and not self.alone:
            raise ValueError("what does it answer? give `answers`")
        if self.alone and (self.change or self.environment):
            raise ValueError("`alone` changes nothing")
        return self


__all__ = ["Answer", "Experiment", "Notice"]
