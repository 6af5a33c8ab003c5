"""What is worth a line while a run goes on, and what can be tried on the run itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from .rule import Rule

if TYPE_CHECKING:
    from ...facts import Facts, Scalar

WAYS = frozenset({"lower", "higher", "added", "any"})
"""How a setting may differ between two runs, where no value is named."""


class NoticeRule(NamedTuple):
    """Something worth a line the moment a growing log shows it."""

    id: str
    rule: Rule
    says: str
    fact: str
    again: str


class AnswerRule(NamedTuple):
    """How the two runs of an experiment answer a question."""

    fact: str
    before: Rule | None
    yes: Rule
    no: Rule | None

    def of(self, before: Facts, after: Facts) -> bool | None:
        """The answer by what the run as it is and the changed one show; None where they do not decide it."""
        if self.before is not None and self.before.of(before) is not True:
            return None
        yes = self.yes.of(after)
        if yes is True:
            return True
        no = self.no.of(after) if self.no is not None else yes is False
        return False if no is True else None


class ExperimentRule(NamedTuple):
    """One thing changed in a short run of the user's own script, all else equal."""

    id: str
    title: str
    change: Mapping[str, Any]
    environment: Mapping[str, str]
    steps: int
    when: Rule | None
    alone: bool
    settings: Mapping[str, Sequence[Scalar]]
    """How the settings of another run differ where that run is this experiment: values, or words of `WAYS`."""
    answers: tuple[AnswerRule, ...]
