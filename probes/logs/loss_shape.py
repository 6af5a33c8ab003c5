"""What the shape of the loss curve says: where it goes, and how."""

from __future__ import annotations

import math
from collections.abc import Sequence

from . import curve, guessing, swings
from .series import Curve, Series
from .told import Told

_SOME = 3
"""Fewer values than this make no curve."""
_LATE = 2
"""A log that begins after so many times the steps that it shows does not show where the loss began."""


def tell_shape(told: Told, loss: Series, line: Curve, *, later: bool = False) -> None:
    """All facts of the shape; each is left out where too few points were seen.

    `later` says that another stage went before: that this one is flat says nothing of how the run began.
    """
    values = line.values
    if len(values) < 2:
        return
    end = line.marks[-1]
    same = all(value == values[0] for value in values) and not loss.bad
    if (len(values) >= _SOME or not same) and not (later and same):
        told.tell("loss.constant", same, end)
    trend = _trend(told, values)
    told.tell("loss.trend", None if later and trend == "flat" else trend, end)
    head, tail = _ends(values)
    if head > 0 and len(values) >= _SOME:
        told.tell("loss.drop", (head - tail) / head, end)
    told.tell("loss.plateau", _plateau(told, values), end)
    told.tell("loss.flat_from_start", False if later else _flat(told, line), end)
    told.tell("loss.falling_then_flat", _levelled(told, values), end)
    told.tell("loss.relapsed", _relapsed(told, values), end)
    told.tell("loss.diverging", lost := swings.diverging(told, values), end)
    if lost:
        turn = swings.turning(values)
        told.tell("loss.rises_from", values[turn], line.marks[turn])
    told.tell("loss.turned_up", swings.turned_up(told, values), end)
    told.tell("loss.oscillating", swings.oscillating(told, line, trend), end)
    told.tell("loss.still_falling", _still_falling(told, values), end)
    told.tell("loss.train_near_zero", _near_zero(told, values), end)
    told.tell("loss.near_random", guessing.near_random(told, values), end)
    told.tell("loss.below_random", guessing.below_random(told, values), end)


def _ends(values: Sequence[float]) -> tuple[float, float]:
    """Where a curve begins and ends: the medians of its first and last tenth, at least three points where there are ten."""
    part = max(_SOME, len(values) // 10) if len(values) >= 10 else 1
    return curve.median(values[:part]), curve.median(values[-part:])


def _trend(told: Told, values: Sequence[float]) -> str | None:
    if len(values) < _SOME:
        return None
    head, tail = _ends(values)
    scale = abs(head) or max(map(abs, values)) or 1.0
    drop = (head - tail) / scale
    if len(values) < told.limits["points_few"]:
        return _trend_of_few(told, values, drop, scale)
    part = max(_SOME, len(values) // 10)
    unsure = 3 * curve.noise(values) * math.sqrt(2 / part) / scale
    if abs(drop) > max(told.limits["falling_drop"], unsure):
        # Of a fall that was over within a few steps, what comes after is noise next to nothing.
        return "falling" if drop > 0 or _near_zero(told, values) else "rising"
    return "flat" if abs(drop) < max(told.limits["flat_drop"], unsure) else None


def _trend_of_few(told: Told, values: Sequence[float], drop: float, scale: float) -> str | None:
    steps = curve.steps_between(values)
    down = sum(step < 0 for step in steps) / len(steps)
    clear = told.limits["clear_change"]
    if drop > clear and down > 0.5:
        return "falling"
    if drop < -clear and down < 0.5:
        return "rising"
    still = (max(values) - min(values)) / scale < told.limits["flat_drop"]
    return "flat" if still and len(values) > _SOME else None


def _plateau(told: Told, values: Sequence[float]) -> bool | None:
    window = int(told.limits["window"])
    if len(values) < told.limits["points_few"]:
        return None
    return curve.deviation(values[-window:]) < told.limits["plateau_std"]


def _flat(told: Told, line: Curve) -> bool | None:
    """Whether the loss never left where it began; None where too few steps were seen or noise hides it."""
    values = line.values
    if len(values) <= _SOME:
        return True if _same_after_epochs(told, line) else None
    if _near_zero(told, values):
        return False  # the fall may be over within the first part
    if not _spans_enough(told, line):
        return None
    levels = values if len(values) < told.limits["points_few"] else curve.parts(values, 10)
    scale = abs(levels[0]) or 1.0
    moved = (max(levels) - min(levels)) / scale
    if moved < 2 * told.limits["flat_drop"]:
        return moved < told.limits["flat_drop"] or None
    part = max(1.0, len(values) / 10)
    hidden = curve.noise(values) / math.sqrt(part) / scale > told.limits["flat_drop"]
    return None if hidden and moved < told.limits["clear_change"] else False


def _same_after_epochs(told: Told, line: Curve) -> bool:
    """Whether of a few losses that are shown, the first from the start of the run, the last epochs later is the same."""
    if len(line.values) < 2 or line.values[0] <= 0:
        return False
    first, last = told.where(line.marks[0]).epoch, told.where(line.marks[-1]).epoch
    if first is None or last is None or first > 1 or last - first < _SOME + 1:
        return False
    return max(line.values) - min(line.values) < told.limits["flat_drop"] / 2 * line.values[0]


def _spans_enough(told: Told, line: Curve) -> bool:
    """A loss is not flat because the first few steps look alike, or a few of those late in a run."""
    first, last = told.where(line.marks[0]), told.where(line.marks[-1])
    if first.epoch is not None and last.epoch is not None and last.epoch - first.epoch >= 2:
        return first.epoch <= _LATE * _epochs_shown(told, line, last.epoch - first.epoch)
    if first.step is None or last.step is None or told.counted:
        return True
    span = last.step - first.step
    return span >= told.limits["early_step"] and first.step <= _LATE * span


def _epochs_shown(told: Told, line: Curve, span: float) -> float:
    """How many epochs the log goes through: ends of runs pasted one below the other leave out what lies between."""
    epochs = [place.epoch for place in map(told.where, line.marks) if place.epoch is not None]
    left_out = max(curve.steps_between(epochs), default=0.0)
    return span - left_out if left_out > span / 2 else span


def _levelled(told: Told, values: Sequence[float]) -> bool | None:
    """Whether the loss fell, and had stopped falling before half of the run."""
    if len(values) < told.limits["points_few"]:
        return None
    levels = curve.parts(values, 10)
    fall = levels[0] - min(levels)
    if fall <= told.limits["falling_drop"] * abs(levels[0]):
        return False
    low = next(index for index, level in enumerate(levels) if level <= levels[0] - 0.9 * fall)
    rest = levels[low:]
    return low <= 3 and max(rest) - min(rest) <= 0.15 * fall


def _relapsed(told: Told, values: Sequence[float]) -> bool | None:
    """Whether the loss fell clearly, and then lost all that it had gained and stayed there."""
    if len(values) < told.limits["points_few"]:
        return None
    levels = curve.parts(values, 20)
    fall = levels[0] - min(levels)
    if min(values) <= 0 or fall < told.limits["clear_change"] * levels[0]:
        return False
    lost = levels.index(min(levels)) < len(levels) - 3 and min(levels[-3:]) > levels[0] - 0.1 * fall
    return lost and not swings.comes_back(told, values, min(levels))


def _still_falling(told: Told, values: Sequence[float]) -> bool | None:
    if len(values) < told.limits["points_few"]:
        return None
    levels = curve.parts(values, 6)
    steps = curve.steps_between(levels[2:])
    fallen = (levels[3] - levels[-1]) / (abs(levels[3]) or 1.0)
    return all(step < 0 for step in steps) and fallen > told.limits["flat_drop"]


def _near_zero(told: Told, values: Sequence[float]) -> bool | None:
    if len(values) < _SOME:
        return None
    head, tail = max(values[0], _ends(values)[0]), _ends(values)[1]
    return 0 <= tail < told.limits["near_zero"] * head if head > 0 else None
