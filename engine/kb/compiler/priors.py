"""How often a cause is behind each of its symptoms: what its author says, and what was counted in reports."""

from __future__ import annotations

from collections.abc import Mapping

from ..models import Reports, Weights
from ..scope import Scope
from .parts import Stored


def priors_of(scope: Scope, causes: Stored) -> dict[str, dict[str, float]]:
    """Cause -> symptom -> how often the cause is behind it, from 0 to 1.

    The author's word counts as much as `word_is_worth` reports. Where nothing was counted for a symptom the word
    stands alone, and so it does for a cause that was never counted: who counted may not have known it.
    """
    weights: Weights | None = next((one.model for one in scope.entries.of("weights").values()), None)
    if weights is None:
        return {}
    of_word = {str(word): share for word, share in weights.priors.items()}
    reports: dict[str, Reports] = {name: one.model for name, one in scope.entries.of("report").items()}
    counted = {cause for one in reports.values() for cause in one.causes}
    worth = weights.word_is_worth

    def prior(cause: str, symptom: str, word: float) -> float:
        if cause not in counted or symptom not in reports:
            return word
        seen = reports[symptom]
        return round((seen.causes.get(cause, 0) + worth * word) / (seen.reports + worth), 4)

    def of_cause(cause: str, words: Mapping[str, str]) -> dict[str, float]:
        return {symptom: prior(cause, symptom, of_word[word]) for symptom, word in words.items()}

    return {name: of_cause(name, stored["symptoms"]) for name, stored in causes.items()}


def check_reports(scope: Scope) -> None:
    """Check the names in the counts, and that no more causes are counted than reports."""
    for entry in scope.entries.of("report").values():
        scope.refer(entry, ("symptom",), "symptom", entry.id)
        for cause in entry.model.causes:
            scope.refer(entry, ("causes", cause), "cause", cause, on_key=True)
        if sum(entry.model.causes.values()) > entry.model.reports:
            scope.problems.append(entry.problem(("reports",), "more causes are counted than reports"))
