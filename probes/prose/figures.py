"""Figures at two values of a setting: `batch size 8 gets 0.52 mAP, with 64 it gets 0.41`."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from traindx.engine.kb.rules import TrialRule

from .patterns import Patterns

NUMBER = r"(?<![\w.])\d+(?:\.\d+)?(?:e-?\d+)?(?![\w.]*\d)"
NAMED = rf"(?:[ _-](?:of|to|at|is|was|from)|[ ]?[:=])*[ ]?(?P<named>{NUMBER})(?! ?%)(?: to (?P<then>{NUMBER})(?! ?%))?"
_GETS = r"(?:gets?|got|reach(?:es|ed)?|gives?|gave|yields?|yielded|obtain(?:s|ed)?|is|was|ends? at|ended at)"
_LATER = rf"\b(?:to|with|at|of|for|vs\.?|versus|using|and|or|by) (?P<later>{NUMBER})(?! ?%)(?:(?![ -]?[a-z])|(?= (?:(?:it|i|we|this|that|you)(?: only)? )?{_GETS}\b))"
_FIGURE = rf"\b{_GETS}(?: (?:only|just|about|around))? (?P<bare>{NUMBER})|\b(?:and|but|only|just) (?P<and>{NUMBER})(?= (?:with|at|for|using)\b)"


_Pair: TypeAlias = tuple[tuple[float, float], tuple[float, float]]
"""Two values of a setting, each with its figure."""


class _Seen(NamedTuple):
    """A number of a sentence, and what it is: a value of the setting, or a figure."""

    value: bool
    number: float


class Figures:
    """Reads what sentences say by naming a figure at each of two values of a setting."""

    def __init__(self, trials: Sequence[TrialRule], patterns: Patterns, limits: Mapping[str, float]) -> None:
        self._trials = tuple(trial for trial in trials if trial.values_of)
        self._patterns, self._limits = patterns, limits

    def went(self, text: str) -> dict[str, bool]:
        """The facts of the trials that made the figure better; none where two settings were changed, or the other run is somebody else's."""
        if not self._trials or not any(letter.isdigit() for letter in text):
            return {}
        rising = self._better(text)
        if rising is None or self._patterns.phrase("others-run").search(text):
            return {}
        settings = {trial.values_of for trial in self._trials}
        seen = {setting: list(self._numbers(text, setting, settings)) for setting in settings}
        changed = [name for name, all_ in seen.items() if len({one.number for one in all_ if one.value}) > 1]
        pair = _pair(seen[changed[0]]) if len(changed) == 1 else None
        if pair is None or not self._apart(pair):
            return {}
        setting, (one, other) = changed[0], pair
        more_is_better = (one[0] < other[0]) == ((one[1] < other[1]) == rising)
        return {
            trial.gives: True
            for trial in self._trials
            if trial.values_of == setting and trial.raised == more_is_better
        }

    def _better(self, text: str) -> bool | None:
        """Whether more of the figure is better; None where it is not told, or told of both kinds."""
        rises, falls = (
            self._patterns.phrase(name).search(text) for name in ("rising-figure", "falling-figure")
        )
        return None if bool(rises) == bool(falls) else bool(rises)

    def _numbers(self, text: str, setting: str, settings: Collection[str]) -> Iterator[_Seen]:
        """The values of a setting and the figures, in the order of the text. Values without its name count behind the first that has it."""
        metric = "|".join(self._patterns.phrase(name).pattern for name in ("rising-figure", "falling-figure"))
        pattern = self._patterns.compiled(
            rf"(?:{setting}){NAMED}|(?P<percent>{NUMBER})(?= ?%)|(?P<after>{NUMBER}) (?:of )?(?:{metric})"
            rf"|(?:{metric})(?:(?!\d|{'|'.join(settings)}|\b(?:with|for|using|when)\b)[^.,;]){{0,20}}?(?P<before>{NUMBER})|{_LATER}|{_FIGURE}"
        )
        named = False
        for match in pattern.finditer(text):
            named = named or match["named"] is not None
            for kind in (kind for kind, number in match.groupdict().items() if number is not None):
                value = kind in ("named", "then", "later")
                percent = re.match(" ?%", text[match.end(kind) :]) is not None
                if named or not value:
                    yield _Seen(value, float(match[kind]) / (100 if percent else 1))

    def _apart(self, pair: _Pair) -> bool:
        """Whether both the values and the figures differ by more than chance: `32` and `40` are the same setting."""
        (one, first), (other, second) = pair
        return apart(one, other, self._limits["values_apart"]) and apart(
            first, second, self._limits["figures_apart"]
        )


def _pair(seen: Sequence[_Seen]) -> _Pair | None:
    """Two values with the figure of each, where there are two and no more."""
    value = {True: "v", False: "f"}
    order = "".join(value[one.value] for one in seen)
    places = {"vfvf": (0, 1, 2, 3), "fvfv": (1, 0, 3, 2), "vvff": (0, 2, 1, 3)}.get(order)
    if places is None:
        return None
    one, first, other, second = (seen[place].number for place in places)
    return (one, first), (other, second)


def apart(one: float, other: float, least: float) -> bool:
    """Whether one of two numbers is at least so many times the other."""
    low, high = sorted((one, other))
    return low > 0 and high >= least * low
