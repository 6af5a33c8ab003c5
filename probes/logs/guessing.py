"""A loss that stands where guessing would: at the logarithm of the number of classes, or a little below it."""

from __future__ import annotations

import math
from collections.abc import Sequence

from . import curve
from .told import Told

_SOME = 3
"""Fewer values than this do not stand still."""
_WELL_KNOWN = (2, 3, 5, 10, 100, 1000)
"""Numbers of classes whose logarithm nobody meets by chance."""
_FEW = (2, 3, 4, 5)
"""Classes whose logarithms lie far apart."""
_SURE = 4
"""Standard errors that are no chance."""


def below_random(told: Told, values: Sequence[float]) -> bool | None:
    """Whether a flat loss lies a little below what guessing gives, and clear of its noise: labels of which little can be known."""
    if told.value("loss.flat_from_start") is not True or len(values) < 2 * told.limits["points_smooth"]:
        return None
    rest = values[len(values) // 2 :]
    level, unsure = curve.mean(rest), _SURE * curve.deviation(rest) / math.sqrt(len(rest))
    gaps = [1 - level / math.log(one) for one in _FEW]
    near = told.limits["near_random"], told.limits["below_random"]
    return any(
        near[0] < gap < near[1] and gap * math.log(one) > unsure for one, gap in zip(_FEW, gaps, strict=True)
    )


def near_random(told: Told, values: Sequence[float]) -> bool | None:
    """Whether a loss that does not move is the logarithm of a small number of classes."""
    level = curve.median(values)
    if told.value("loss.flat_from_start") is not True and told.value("loss.constant") is not True:
        # Of a few points, only the numbers that everybody knows: ln 2, ln 10.
        room = 0.1 * told.limits["flat_drop"] * abs(level)
        still = len(values) >= _SOME and max(values) - min(values) < room
        if still and any(abs(level - math.log(one)) < 0.001 for one in _WELL_KNOWN):
            return True
        drop = told.value("loss.drop")
        return False if isinstance(drop, float) and drop > told.limits["drop_far"] else None
    if not 0.5 < level < 10:
        return False
    classes = round(math.exp(level))
    close = abs(level - math.log(classes)) < told.limits["near_random"] * level
    return close and 2 <= classes <= told.limits["random_classes"]
