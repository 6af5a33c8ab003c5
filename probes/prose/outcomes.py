"""How it went at two values of a setting: `with 4 workers it fails, with 0 it works`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from traindx.engine.kb.rules import TrialRule

from .clauses import Grammar
from .figures import NAMED, NUMBER, apart
from .patterns import Patterns

_STARTS = r"(?:\b(?:with|at|for|using|when|if|set to)\b|^)[ =]{0,2}"
_ENDS = (
    r"(?= ?(?:$|[.,;!?)]|\b(?:it|this|that|everything|all|training|the|my|i|we|there|no|works?|worked|is|was|are|runs?|ran"
    r"|ok|okay|fine|good|crash\w*|fails?|failed|hangs?|hung|diverge[sd]?|explodes?|gives?|gave|gets?|got|goes|does|trains?)\b))"
)


class Outcomes:
    """Reads what sentences say by telling how it went at each of two values of a setting."""

    def __init__(self, trials: Sequence[TrialRule], patterns: Patterns, limits: Mapping[str, float]) -> None:
        self._trials = tuple(trial for trial in trials if trial.values_of)
        self._patterns, self._limits = patterns, limits

    def went(self, text: str) -> dict[str, bool]:
        """The facts of the trials that made it work; none where a value went both ways, or the other run is somebody else's."""
        if not self._trials or not any(map(str.isdigit, text)):
            return {}
        if self._patterns.phrase("others-run").search(text):
            return {}
        said: dict[str, bool] = {}
        for setting in {trial.values_of for trial in self._trials}:
            told = set(self._told(text, setting))
            if {went for _, went in told} != {True, False} or len({value for value, _ in told}) != len(told):
                continue
            least = self._limits["values_apart"]
            good, bad = (sorted(value for value, went in told if went is how) for how in (True, False))
            for raised, low, high in ((False, good, bad), (True, bad, good)):
                if low[-1] < high[0] and (low[-1] == 0 or apart(low[-1], high[0], least)):
                    said |= {
                        trial.gives: True
                        for trial in self._trials
                        if (trial.values_of, trial.raised) == (setting, raised)
                    }
        return said

    def _told(self, text: str, setting: str) -> Iterator[tuple[float, bool]]:
        """The values of a setting whose clause says how it went. Values without its name count behind the first that has it."""
        pattern = self._patterns.compiled(
            rf"(?:{setting}){NAMED}|(?P<counted>{NUMBER})[ -](?={setting})|{_STARTS}(?P<bare>{NUMBER}){_ENDS}"
        )
        first = self._patterns.compiled(setting).search(text)
        if first is None:
            return
        for clause in (one for part in Grammar(self._patterns).parts(text, ()) for one in part):
            found = [
                (float(match[kind]), match.span(kind))
                for match in pattern.finditer(text[clause.start : clause.end].rstrip())
                for kind, number in match.groupdict().items()
                if number is not None and (kind != "bare" or clause.start + match.start() > first.start())
            ]
            if len({value for value, _ in found}) == 1:
                value, (start, end) = found[0]
                went = clause.verdict((clause.start + start, clause.start + end))
                if went is not None:
                    yield value, went
