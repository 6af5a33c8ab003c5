"""What the validation loss says, and how it stands to training."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

from . import curve
from .series import Curve, Series, curve_of
from .stages import last_stage
from .store import Store
from .told import Told

_SOME = 3
_MANY = 10
"""Validation losses from which on a level can be told from a wobble."""


def tell_eval(told: Told, evals: Series, others: Sequence[Series], train: Curve | None) -> None:
    """All facts of the validation loss."""
    line = curve_of(evals)
    end = evals.marks[-1]
    told.tell("loss.eval.count", evals.count, evals.marks[0])
    for name, extreme in (("first", evals.first), ("min", evals.low)):
        if extreme is not None:
            told.tell(f"loss.eval.{name}", extreme.value, extreme.mark)
    if evals.last is not None and evals.last.point == evals.count - 1:
        told.tell("loss.eval.last", evals.last.value, evals.last.mark)
    bad = next((one.first_bad for one in (evals, *others) if one.first_bad is not None), None)
    told.tell("loss.eval.nonfinite", bad is not None, bad.mark if bad else end)
    if line.values:
        if evals.low is not None and evals.bad:
            # Of the whole run, and not of the part of it before it broke.
            told.tell("loss.eval.best_share", evals.low.point / (evals.count - 1), evals.low.mark)
        _tell_curve(told, last_stage(told, line))
        if train is not None and train.values:
            _tell_gap(told, line, train)


def tell_perplexity(told: Told, evals: Series) -> None:
    """The course of validation where only its perplexity is printed; its level is no loss."""
    if (line := curve_of(evals)).values:
        _tell_curve(told, line)


def tell_distance(told: Told, evals: Series) -> None:
    """How far samples are from real data in the course of the run."""
    values = (line := curve_of(evals)).values
    if len(values) >= _SOME and min(values) > 0:
        told.tell("log.eval_distance.rising", rises(told, values), line.marks[-1])


def tell_rivals(told: Told, store: Store) -> None:
    """How sure a discriminator is at the end, and how much what it sees is augmented."""
    for metric, name in (
        ("discriminator_sign", "log.discriminator_sure"),
        ("augment_strength", "log.augment_strength"),
    ):
        for series in store.of(metric)[:1]:
            if len(values := (line := curve_of(series)).values) >= _SOME:
                told.tell(name, curve.median(values[-_MANY:]), line.marks[-1])


def _tell_curve(told: Told, line: Curve) -> None:
    values, end = line.values, line.marks[-1]
    low = values.index(min(values))
    if len(values) >= 2:
        told.tell("loss.eval.best_share", low / (len(values) - 1), line.marks[low])
    if min(values) > 0:
        told.tell("loss.eval.rise", values[-1] / values[low], end)
        if len(values) >= _SOME:
            told.tell("loss.eval.rising", rises(told, values), end)
    if len(values) > _SOME:
        told.tell("loss.eval.flat", min(values) >= values[0] - told.limits["flat_drop"] * abs(values[0]), end)
        if (low_values := curve.logs(values)) is not None:
            jump = curve.mean([abs(step) for step in curve.steps_between(low_values)])
            told.tell("loss.eval.erratic", jump > math.log(told.limits["eval_erratic"]), end)


def rises(told: Told, values: Sequence[float]) -> bool:
    """Whether what should fall has risen since its minimum."""
    return _rising(told, values, values.index(min(values)))


def _rising(told: Told, values: Sequence[float], low: int) -> bool:
    """Whether it has risen since its minimum and not just wobbled at the end."""
    limit = told.limits["eval_rise"]
    if len(values) - low < _SOME:
        return False
    # A curve that has only risen since its minimum has turned: chance puts the three values after it in order
    # once in six times, and the four that are asked for of a longer one once in 24.
    since = values[low:]
    if (
        len(since) > (_SOME if len(values) < _MANY else _SOME + 1)
        and since[-1] > limit * since[0]
        and all(a < b for a, b in itertools.pairwise(since))
    ):
        return True
    if len(values) < _MANY:
        return min(values[-2:]) > limit * values[low]
    # The smallest of many wobbling values is no level that a run could keep.
    width = max(_SOME, len(values) // 5)
    levels = [curve.median(values[start : start + width]) for start in range(len(values) - width + 1)]
    wobble = curve.median([abs(step) for step in curve.steps_between(values)])
    risen = max(limit * min(levels), min(levels) + wobble)
    # Of three values the median is one that two noisy ones lift: none of them may be as low as before.
    return levels[-1] > risen and (width > _SOME or min(values[-width:]) > limit * min(levels))


def _tell_gap(told: Told, line: Curve, train: Curve) -> None:
    end = line.marks[-1]
    recent = train.values[-5:] if len(train) >= 10 else train.values[-1:]
    last = curve.median(recent)
    if last > 0 and line.values[-1] > 0:
        told.tell("loss.gap", line.values[-1] / last, end)
    pairs = [(value, beside) for value, beside in _beside(line, train) if value > 0 and beside > 0]
    if not pairs:
        return
    if len(pairs) >= _SOME:
        # The mean of an epoch in which the loss falls lies above what its end is like, and the mean of the next one below.
        later = [beside for _, beside in (*pairs[1:], pairs[-1])]
        lower = (
            value < 0.98 * min(beside, next_) for (value, beside), next_ in zip(pairs, later, strict=True)
        )
        below = sum(lower) / len(pairs)
        told.tell("loss.eval.below_train", True if below >= 0.8 else False if below < 0.5 else None, end)
    began = told.where(line.marks[0]).epoch
    if began is not None and began > told.limits["early_evaluations"]:
        # A piece from the middle of a run says nothing about its start.
        return
    if len(line) > 1 and train.marks[0].number > line.marks[1].number:
        # Nor does a training loss that is first printed late.
        return
    if began is not None and began <= 1:
        told.tell("loss.first_epoch", pairs[0][1], line.marks[0])
    ratios = [value / beside for value, beside in pairs]
    if min(ratios) > told.limits["gap_wide"]:
        told.tell("loss.gap_from_start", True, line.marks[0])
    elif ratios[0] < told.limits["overfit_gap"]:
        told.tell("loss.gap_from_start", False, line.marks[0])


def _beside(line: Curve, train: Curve) -> list[tuple[float, float]]:
    """Each validation loss with the training loss printed just before it (or in the same line), and after the one before it.

    Of a stage whose losses have another name, there is none.
    """
    numbers = [mark.number for mark in train.marks]
    pairs, place, before = [], 0, 0
    for value, mark in zip(line.values, line.marks, strict=True):
        while place + 1 < len(numbers) and numbers[place + 1] <= mark.number:
            place += 1
        near = (
            train.values[max(0, place - 4) : place + 1]
            if len(train) > 4 * len(line)
            else [train.values[place]]
        )
        if before < numbers[place] or before == mark.number:
            pairs.append((value, curve.median(near)))
        before = mark.number
    return pairs
