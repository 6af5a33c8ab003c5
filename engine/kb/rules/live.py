"""What is worth a line while a run goes on, and what can be tried on the run itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from .rule import Rule


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


class ExperimentRule(NamedTuple):
    """One thing changed in a short run of the user's own script, all else equal."""

    id: str
    title: str
    change: Mapping[str, Any]
    environment: Mapping[str, str]
    steps: int
    when: Rule | None
    alone: bool
    answers: tuple[AnswerRule, ...]
