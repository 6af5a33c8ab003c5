"""What the scores say: their level, and how those of validation stand to training."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from traindx.engine.regex import regex

from . import curve
from .eval_facts import rises
from .series import Curve, Series, curve_of
from .told import Told

_SOME = 3
_EACH = 5
"""Scores that do not fall one after the other by chance: of five in any order one in 120 does."""
_MANY = 10
"""Scores from which on a level can be told from a wobble."""
_OF_PART = frozenset(
    ("train", "training", "val", "valid", "validation", "eval", "test", "score", "mean", "average", "avg")
)
"""Words of a name that do not say which score it is."""
_PERCENT = 1.5
"""A score above this is counted to 100."""
_ACCURACY = regex(r"\b(?:acc|top ?1|prec)")
"""The names of an accuracy, which training and validation print in one unit; other scores are of validation alone."""
_ALL = 3.0
"""A share of errors above this is counted to 100; with words put in, somewhat more than all may be wrong."""
_OF_RARE = regex(r"\b(?:f1|recall|sensitivity|iou|dice|jaccard)\b")
"""The names of scores in which the samples of the commonest class do not count."""


def tell_scores(told: Told, train: Series | None, evals: Series | None) -> None:
    """All facts of the accuracies."""
    percent = _both_in_percent(train, evals)
    if train is not None and evals is not None:
        _tell_kinds(told, train, evals)
    if train is not None and (line := curve_of(train)).values:
        values = _shares(line.values, percent=percent)
        told.tell("log.accuracy.first", values[0], line.marks[0])
        told.tell("log.accuracy.last", values[-1], line.marks[-1])
        told.tell("log.accuracy.swings", _swings(values), line.marks[-1])
        if len(values) >= 2:
            told.tell("log.accuracy.constant", max(values) == min(values), line.marks[-1])
    if evals is not None and _is_undefined(evals):
        told.tell("log.eval_accuracy.undefined", True, evals.marks[-1])
    if evals is not None and (line := curve_of(evals)).values:
        values = _shares(line.values, percent=percent)
        told.tell("log.eval_accuracy.last", values[-1], line.marks[-1])
        told.tell("log.eval_accuracy.max", max(values), line.marks[values.index(max(values))])
        if len(values) >= 2:
            told.tell("log.eval_accuracy.constant", max(values) == min(values), line.marks[-1])
        if (fall := _fall(values)) is not None:
            told.tell("log.eval_accuracy.fall", fall, line.marks[-1])
        if len(values) >= _EACH:
            told.tell("log.eval_accuracy.always_falls", _always_falls(told, values), line.marks[-1])
        told.tell("log.eval_accuracy.zero", _nothing(told, values), line.marks[-1])
        told.tell("log.eval_accuracy.perfect_early", _perfect_early(told, values, line), line.marks[0])


def _tell_kinds(told: Told, train: Series, evals: Series) -> None:
    """Whether what is printed of training and what of validation are different scores, that say nothing of each other."""
    alike = all(_ACCURACY.search(one.name.printed) for one in (train, evals)) or _are_alike(train, evals)
    told.tell("log.accuracy.of_other_kind", not alike, evals.marks[-1])


def _are_alike(train: Series, evals: Series) -> bool:
    """Whether two scores have a name in common, apart from what they are of."""
    names = train.name.printed, evals.name.printed
    return bool(set(names[0].split()) & set(names[1].split()) - _OF_PART)


def _is_undefined(evals: Series) -> bool:
    """Whether validation never gave an accuracy: right answers divided by answers, it is NaN where there are none."""
    return 0 < evals.count == evals.bad and bool(_ACCURACY.search(evals.name.printed))


def _fall(values: Sequence[float]) -> float | None:
    """How far validation fell from its best and stayed there; what it wobbles by from one time to the next is no fall."""
    if len(values) < _SOME:
        return None
    wobble = curve.median([abs(step) for step in curve.steps_between(values)])
    if len(values) < _MANY:
        lost = max(values) - max(values[-2:])
    else:
        width = max(_SOME, len(values) // 5)
        levels = [curve.median(values[start : start + width]) for start in range(len(values) - width + 1)]
        lost = max(levels) - levels[-1]
    return lost if lost > wobble else 0.0


def _always_falls(told: Told, values: Sequence[float]) -> bool:
    """Whether each validation is worse than the one before, and the last clearly worse than the first."""
    falls = all(after < before for before, after in itertools.pairwise(values))
    return falls and values[-1] < (1 - told.limits["clear_change"] / 2) * values[0]


def tell_lowest(told: Told, lowest: Series, evals: Series | None) -> None:
    """Whether a class is never learnt while others are: `lowest` is the lowest score of a class each time."""
    values = (line := curve_of(lowest)).values
    means = curve_of(evals).values if evals is not None else ()
    if not means or len(values) < told.limits["points_few"]:
        return
    learnt = max(_shares(means)) > told.limits["score_very_low"]
    told.tell("log.eval_accuracy.class_zero", learnt and not any(values[len(values) // 4 :]), line.marks[-1])


def tell_rare(told: Told, scores: Sequence[Series]) -> None:
    """Whether nothing but the commonest class is ever named: the accuracy is high, and a score without that class stays at 0."""
    accuracies = [one for one in scores if _ACCURACY.search(one.name.printed)]
    high = any(
        _shares(values)[-1] >= told.limits["score_high"]
        for one in accuracies
        if (values := curve_of(one).values)
    )
    for series in scores:
        values = (line := curve_of(series)).values
        if high and len(values) >= 2 and max(values) == 0 and _OF_RARE.search(series.name.printed):
            told.tell("log.eval_accuracy.rare_zero", True, line.marks[-1])
            return


def tell_error_rates(told: Told, training: Sequence[Series], validation: Sequence[Series]) -> None:
    """How much is wrong at the end, of one kind in training and validation, and whether validation has turned up."""
    evals = next((one for one in validation if curve_of(one).values), None)
    if evals is None:
        return
    train = next((one for one in training if curve_of(one).values and _are_alike(one, evals)), None)
    both = [(f"log.{name}error_rate", curve_of(one)) for name, one in (("", train), ("eval_", evals)) if one]
    whole = 100.0 if max(line.values[-1] for _, line in both) > _ALL else 1.0
    for name, line in both:
        told.tell(f"{name}.last", line.values[-1] / whole, line.marks[-1])
    values = (line := curve_of(evals)).values
    if len(values) >= _SOME and min(values) > 0:
        told.tell("log.eval_error_rate.rising", rises(told, values), line.marks[-1])


def _swings(values: Sequence[float]) -> bool:
    """Whether scores are near one, then near zero, then high again."""
    high = next((place for place, value in enumerate(values) if value >= 0.9), len(values))
    low = next((place for place, value in enumerate(values[high:], high) if value <= 0.1), len(values))
    return any(value >= 0.7 for value in values[low:])


def _both_in_percent(train: Series | None, evals: Series | None) -> bool:
    """Whether one score is printed for both, and counted to 100: then 0.1 of validation is a thousandth."""
    if (
        train is None
        or evals is None
        or not all(_ACCURACY.search(one.name.printed) for one in (train, evals))
    ):
        return False
    return any(max(curve_of(one).values, default=0) > _PERCENT for one in (train, evals))


def _shares(values: Sequence[float], *, percent: bool = False) -> list[float]:
    """Scores from 0 to 1, whichever way they were printed."""
    return [value / 100 for value in values] if percent or max(values) > _PERCENT else list(values)


def _nothing(told: Told, values: Sequence[float]) -> bool:
    """Whether the score is zero, or next to it in several evaluations without a rise."""
    if max(values) == 0 or len(values) < _SOME:
        return max(values) == 0
    return max(values) < told.limits["score_nothing"] and curve.climbs(curve.parts(values, 8)) < 0.5


def _perfect_early(told: Told, values: Sequence[float], line: Curve) -> bool | None:
    """Whether validation makes no mistake within the first epochs: 99 % is soon reached where the task is easy, as with digits."""
    early = int(told.limits["early_evaluations"])
    first = told.where(line.marks[0]).epoch
    if max(values[:early]) >= told.limits["score_flawless"]:
        return True if first is None or first <= early else None
    return None if max(values[:early]) > told.limits["perfect_score"] else False
