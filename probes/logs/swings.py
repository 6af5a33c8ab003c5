"""Whether a loss climbs for good, or swings up and down."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

from . import curve
from .series import Curve
from .told import Told

_SOME = 3
"""Fewer values than this make no curve."""
_PARTS = 30
"""Levels of a long curve that does not jump about."""
_TENTHS = 10
_BACK, _NEAR = 0.15, 1.25
"""A loss is not lost of which this share of the last values lies within so many times the best level."""
_LEFT = 1.1
"""A loss that is lost has left its best level where it is this many times as high."""


def diverging(told: Told, values: Sequence[float]) -> bool | None:
    """Whether the loss ends far above its minimum; None where too few values, or too noisy ones, were seen."""
    if len(values) < told.limits["points_few"] and _runs_away(told, values):
        return not _see_saws(told, values)
    if len(values) < 5:
        return None
    levels = _steady(told, values)
    if levels is None:
        return None
    low = levels.index(min(levels))
    tail = levels[-max(2, len(levels) // 10) :]
    # Most of a fall may be over within the first part, whose median knows nothing of it.
    top = max(*levels[: low + 1], curve.median(values[:_SOME]))
    lost, won = min(tail) - min(levels), top - min(levels)
    up = (
        # Times its minimum means nothing of a loss that falls below zero, as that of a policy does.
        min(levels) > 0 <= min(values)
        and low < len(levels) - len(tail)
        and min(tail) > told.limits["divergence_ratio"] * min(levels)
        # Next to the bottom of a long fall, many times the least of all is next to nothing still.
        and lost > told.limits["divergence_share"] * won
        and not comes_back(told, values, min(levels))
    )
    return up or (False if len(values) >= told.limits["points_few"] else None)


def comes_back(told: Told, values: Sequence[float], best: float) -> bool:
    """Whether many of the last losses are as low as they ever were: the others are of batches that are harder."""
    if len(values) < _TENTHS * told.limits["points_few"]:
        return False
    last = sorted(values[-(len(values) // _TENTHS) :])
    return last[int(_BACK * len(last))] < _NEAR * best


def turning(values: Sequence[float]) -> int:
    """The last point at which a loss that diverges was at its best level. One lucky batch is no level."""
    best = min(
        curve.median(values[start : start + _SOME]) for start in range(max(1, len(values) - _SOME + 1))
    )
    return max(index for index, value in enumerate(values) if value <= max(best, _LEFT * best))


def turned_up(told: Told, values: Sequence[float]) -> bool | None:
    """Whether the loss, clear of its noise, ends above a level that it had held in the middle of the run."""
    if len(values) < _TENTHS * _SOME or min(values) <= 0:
        return None
    levels = curve.parts(values, _TENTHS)
    low = min(levels[1:-2])
    unsure = 3 * curve.noise(values) / math.sqrt(len(values) / _TENTHS)
    # Next to the bottom of a long fall, many times the least of all is next to nothing still.
    share = told.limits["turned_up"] - 1
    return min(levels[-2:]) - low > max(share * low, share * (levels[0] - low), unsure)


def _runs_away(told: Told, values: Sequence[float]) -> bool:
    """Whether a few values climb from their minimum to the end or stay far above it, so that it is no noise."""
    rest = values[values.index(min(values)) :]
    if len(rest) < _SOME or rest[0] <= 0:
        return False
    if min(rest[1:]) > told.limits["runaway_ratio"] * rest[0]:
        return True
    if any(step < 0 for step in curve.steps_between(rest)):
        return False
    above_start = len(rest) > _SOME and rest[-1] > values[0]
    return above_start or rest[-1] > told.limits["runaway_ratio"] * rest[0]


def _steady(told: Told, values: Sequence[float]) -> Sequence[float] | None:
    """The values, or the medians of their parts where these are many or noisy; None for a few noisy ones.

    One value far below its neighbours is one lucky batch, and no level.
    """
    low = curve.logs(values)
    if low is not None and curve.noise(low) < told.limits["noise_high"]:
        return values if len(values) < 2 * _PARTS else curve.parts(values, _PARTS)
    return curve.parts(values, 10) if len(values) >= 3 * told.limits["points_few"] else None


def oscillating(told: Told, line: Curve, trend: str | None) -> bool | None:
    """Whether the loss swings widely. Of single batches only smoothed values are judged, for these are noisy."""
    values = line.values
    if not values or min(values) <= 0:
        return None
    if len(values) < told.limits["points_few"]:
        return True if _see_saws(told, values) and not _every_step(told, line) else None
    if len(values) >= told.limits["points_smooth"]:
        values = curve.parts(values, 40)
    elif _every_step(told, line):
        return None
    wide = curve.jumpiness(values) > told.limits["oscillation"]
    swings = wide and curve.turns(values) > 0.4 and trend in ("flat", "rising", None)
    return swings and not _comes_down(told, values)


def _comes_down(told: Told, values: Sequence[float]) -> bool:
    """Whether the level about which a loss swings falls all the same: that of two neighbours, late and early."""
    levels = [(one + other) / 2 for one, other in itertools.pairwise(values)]
    part = max(1, len(levels) // 3)
    early, late = curve.median(levels[:part]), curve.median(levels[-part:])
    return late < (1 - told.limits["clear_change"]) * early


def _see_saws(told: Told, values: Sequence[float]) -> bool:
    """Whether a few losses go down and up by turns, each time to a level of another size."""
    if len(values) <= _SOME or min(values) <= 0:
        return False
    steps = curve.steps_between(values)
    turning = all(before * after < 0 for before, after in itertools.pairwise(steps))
    ratios = [max(pair) / min(pair) for pair in itertools.pairwise(values)]
    return turning and curve.median(ratios) > told.limits["runaway_ratio"]


def _every_step(told: Told, line: Curve) -> bool:
    """Whether each point is one step, so that its noise is the noise of one batch."""
    first, last = told.where(line.marks[0]).step, told.where(line.marks[-1]).step
    return first is not None and last is not None and 0 < last - first <= 1.5 * len(line)
