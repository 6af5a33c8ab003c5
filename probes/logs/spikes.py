"""Spikes of the loss, and the jump after a resume."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from . import curve
from .marks import Mark, Peak
from .series import Curve
from .stages import stages_of
from .told import Told

_FEWEST = 3
_SURE = 10
_SAMPLE = 256


class Spike(NamedTuple):
    """A loss far above what came before it."""

    point: int
    ratio: float
    """Times the mean of its window."""
    level: float
    """The loss just before it."""
    mark: Mark


def tell_spikes(told: Told, line: Curve) -> Spike | None:
    """Say whether the loss spiked, where most, and whether it came back. Gives the largest spike."""
    if len(line) <= _FEWEST or min(line.values) <= 0:
        return None
    # Where a stage begins, the loss is another one: each is measured by itself.
    found = [(spike, stage) for stage in stages_of(told, line) for spike in _spikes(told, stage)]
    if not found:
        told.tell("loss.spike", False if len(line) >= _SURE else None, line.marks[-1])
        return None
    worst, line = max(found, key=lambda one: one[0].ratio)
    spikes = [spike for spike, stage in found if stage is line]
    told.tell("loss.spike", True, worst.mark)
    told.tell("loss.spike_step", told.step(worst.mark), worst.mark)
    told.tell("loss.spike_ratio", worst.ratio, worst.mark)
    rest = line.values[worst.point + 1 :]
    if len(rest) >= _FEWEST:
        back = curve.median(rest[-_FEWEST:]) <= told.limits["spike_recovery"] * worst.level
        told.tell("loss.spike_recovered", back, line.marks[-1])
    _tell_epoch_starts(told, line, spikes)
    return worst


def _spikes(told: Told, line: Curve) -> list[Spike]:
    ratio, window = told.limits["spike_ratio"], int(told.limits["window"])
    # A loss that has come down to next to nothing jumps by its noise.
    least = told.limits["near_zero"] * curve.median(line.values[:_FEWEST])
    values, found = line.values, list[Spike]()
    total = sum(values[:_FEWEST])
    for index in range(_FEWEST, len(values)):
        seen = min(index, window)
        peak = line.peaks[index]
        if peak.value > max(least, ratio * total / seen) and (not found or index - found[-1].point > _FEWEST):
            spike = _examined(told, values[index - seen : index], peak, index)
            if spike is not None:
                found.append(spike)
        total += values[index] - (values[index - window] if index >= window else 0.0)
    return found


def _examined(told: Told, before: Sequence[float], peak: Peak, index: int) -> Spike | None:
    """The spike, unless the curve is so noisy or so short that it may be chance."""
    level = curve.median(before[-5:])
    low = curve.logs(before)
    if low is None or (len(before) < _SURE and peak.value < 1.2 * max(before)):
        return None
    spread = max(curve.noise(low), 0.01 if len(before) >= _SURE else 0.1)
    if math.log(peak.value / level) < told.limits["spike_sigma"] * spread:
        return None
    return Spike(index, peak.value / curve.mean(before), level, peak.mark)


def _tell_epoch_starts(told: Told, line: Curve, spikes: Sequence[Spike]) -> None:
    known = starts = 0
    for spike in spikes[:20]:
        here, before = told.where(spike.mark).epoch, told.where(line.marks[spike.point - 1]).epoch
        if here is not None and before is not None:
            known += 1
            starts += int(here) > int(before)
    if known >= 2 or (known and not starts):
        told.tell("loss.spike_at_epoch_start", starts > 0.7 * known, spikes[0].mark)


def tell_resume(told: Told, line: Curve) -> None:
    """Say whether the loss is higher after the steps went back to an earlier one, as they do on a resume."""
    stride = max(1, len(line) // _SAMPLE)
    points = list(range(0, len(line), stride))
    steps = [told.where(line.marks[index]).step for index in points]
    back = [
        place
        for place in range(1, len(points))
        if (before := steps[place - 1]) is not None
        and (here := steps[place]) is not None
        and 0.05 * before < here < before
    ]
    if not 1 <= len(back) <= 3:
        return
    place = points[back[0]]
    # What the checkpoint is older than was lost: the loss is compared with what it was where the run was taken up.
    here = steps[back[0]]
    reached = (
        one
        for one in range(back[0] - 1, -1, -1)
        if (step := steps[one]) is None or here is None or step < here
    )
    left = points[next(reached, 0)] + 1
    earlier, later = line.values[max(0, left - 5) : left], line.values[place : place + 5]
    if len(earlier) >= _FEWEST and len(later) >= _FEWEST:
        jumped = curve.median(later) > told.limits["resume_jump"] * curve.median(earlier)
        told.tell("loss.jump_at_resume", jumped, line.marks[place])


def tell_restart(told: Told, line: Curve, mark: Mark) -> None:
    """Say whether the loss is higher after the learning rate began anew, at `mark`, in steps that go on."""
    place = line.marks.before(mark.number)
    earlier, later = line.values[max(0, place - 5) : place], line.values[place : place + _FEWEST]
    if len(earlier) < _FEWEST or len(later) < _FEWEST:
        return
    before, after = told.where(line.marks[place - 1]), told.where(line.marks[place])
    if before.step is not None and after.step is not None and after.step <= before.step:
        return
    jumped = curve.median(later) > told.limits["resume_jump"] * curve.median(earlier)
    told.tell("loss.jump_where_rate_restarts", jumped, line.marks[place])
