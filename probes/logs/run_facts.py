"""What the other series say: gradient norm, loss scale, memory."""

from __future__ import annotations

from collections.abc import Sequence

from . import curve
from .marks import Mark
from .series import Curve, Series, curve_of
from .store import Store
from .told import Told

_SOME = 3
_LAST_LEVELS = 4
"""Of nine levels the last three steps, in which a straight climb goes up by more than a third of all of it."""
_OF_THE_HOST = {
    "host_memory_gib": "process.memory_growing",
    "worker_memory_gib": "process.workers_growing",
}
_BLOCK = 20
"""Points that say together what was usual before those that follow."""


def tell_norm(told: Told, norm: Series, trouble: Mark | None) -> None:
    """All facts of the gradient norm. `trouble` is where the loss broke or spiked."""
    line, end = curve_of(norm), norm.marks[-1]
    bad = norm.first_bad
    told.tell("grad.norm.nonfinite", bad is not None, bad.mark if bad else end)
    if bad is not None:
        told.tell("grad.norm.first_nonfinite_step", told.step(bad.mark), bad.mark)
        told.tell("grad.norm.recovers", norm.last is not None and norm.last.point == norm.count - 1, end)
        trouble = bad.mark if trouble is None or bad.mark.number <= trouble.number else trouble
    if not line.values or norm.first is None or norm.high is None:
        return
    values = line.values
    told.tell("grad.norm.first", norm.first.value, norm.first.mark)
    if norm.last is not None and norm.last.point == norm.count - 1:
        told.tell("grad.norm.last", norm.last.value, norm.last.mark)
    told.tell("grad.norm.max", norm.high.value, norm.high.mark)
    told.tell("grad.norm.median", curve.median(values), end)
    told.tell("grad.norm.zero", curve.median(values[-_SOME:]) == 0 if len(values) >= 2 else None, end)
    tail = curve.median(values[-10:])
    told.tell("grad.norm.vanishing", 0 < tail < told.limits["grad_norm_vanishing"], end)
    told.tell("grad.norm.exploding", _exploding(told, values, norm), norm.high.mark)
    told.tell("grad.norm.growing", _growing(told, values), end)
    if trouble is not None:
        _tell_before(told, line, trouble)


def _exploding(told: Told, values: Sequence[float], norm: Series) -> bool | None:
    """A norm above the limit, or several far above the usual one and above those before them.

    The start does not count, where norms are high by nature, nor does a norm that only comes down from there. A loss with a margin has
    no gradient at all in most steps, once it is learnt: beside a norm of zero nothing is large.
    """
    highest = norm.high.value if norm.high else 0.0
    if highest > told.limits["grad_norm_exploding"]:
        return True
    values = [value for value in values if value > 0]
    if len(values) < told.limits["points_few"]:
        return None if highest > told.limits["grad_norm_adapter"] else False
    start, ratio = max(5, len(values) // 20), told.limits["explosion_ratio"]
    usual = curve.median(values)
    before = [curve.median(values[:start])]
    before += [curve.median(values[place : place + _BLOCK]) for place in range(0, len(values), _BLOCK)]
    above = [
        value
        for place, value in enumerate(values)
        if place >= start and value > ratio * max(usual, before[place // _BLOCK])
    ]
    return bool(above) and (len(above) >= _SOME or max(above) > told.limits["grad_norm_warning"])


def _growing(told: Told, values: Sequence[float]) -> bool | None:
    if len(values) < told.limits["points_few"]:
        return None
    levels = curve.parts(values, 8)
    return curve.climbs(levels) > 0.6 and levels[-1] > 2 * levels[0] > 0


def _tell_before(told: Told, line: Curve, trouble: Mark) -> None:
    """How the norm was in the steps before the trouble."""
    before = line.values[: line.marks.before(trouble.number)]
    if not before:
        return
    told.tell("grad.norm.before_trouble", curve.median(before), trouble)
    if len(before) >= 2 * _SOME:
        end, usual = before[-_SOME:], before[-int(told.limits["window"]) : -_SOME]
        climbed = curve.median(end) > told.limits["climb"] * curve.median(usual) and end[-1] > curve.median(
            usual
        )
        told.tell("grad.norm.rising_before_trouble", climbed, trouble)


def tell_scale(told: Told, scale: Series) -> None:
    """All facts of the loss scale."""
    line, end = curve_of(scale), scale.marks[-1]
    if not line.values or scale.low is None:
        return
    first, last = line.values[0], line.values[-1]
    told.tell("log.loss_scale.first", first, line.marks[0])
    told.tell("log.loss_scale.last", last, end)
    told.tell("log.loss_scale.min", scale.low.value, scale.low.mark)
    # A scale that begins high comes down within the first steps, and stays where the gradients fit.
    settled = len(line) >= told.limits["points_few"] and last >= line.values[len(line) // 2]
    fallen = first > 1 and (last <= 1 or (last <= told.limits["scale_collapse"] * first and not settled))
    told.tell("log.loss_scale.collapsed", fallen or (last == 0 and len(line) > 1), end)


def tell_memory(told: Told, memory: Series) -> None:
    """All facts of the device memory printed."""
    line, end = curve_of(memory), memory.marks[-1]
    if not line.values:
        return
    told.tell("log.memory.first_gib", line.values[0], line.marks[0])
    told.tell("log.memory.last_gib", line.values[-1], end)
    told.tell("log.memory.growing", _climbing(told, line.values), end)


def tell_host_memory(told: Told, store: Store) -> None:
    """Whether the memory of the process grows, and that of its data workers."""
    for metric, name in _OF_THE_HOST.items():
        for series in store.of(metric)[:1]:
            values = curve_of(series).values
            grows = _climbing(told, values)
            told.tell(name, grows and (_rises_evenly(told, values) or None), series.marks[-1])


def _climbing(told: Told, values: Sequence[float]) -> bool | None:
    """Whether memory climbs over the run, the first tenth of it aside; of a few values, only a plain climb counts."""
    if len(values) < told.limits["points_few"]:
        return _climbs_plainly(told, values) or None
    levels = curve.parts(values, 10)[1:]
    grown = levels[-1] - levels[0]
    higher = levels[-1] > told.limits["memory_growth"] * levels[0]
    # What is taken once, as evaluation and larger batches come up, stays and is followed by nothing.
    goes_on = levels[-1] - levels[-_LAST_LEVELS] > told.limits["memory_growth_end"] * grown
    return higher and goes_on and levels[-1] > 1.02 * levels[len(levels) // 2] and curve.climbs(levels) > 0.8


def _rises_evenly(told: Told, values: Sequence[float]) -> bool:
    """Whether it rises nearly each time, in a run that is still short.

    The memory of a program goes up by a jump now and then until all that it does has come up once.
    """
    steps = curve.steps_between(values)
    rising = sum(one > 0 for one in steps)
    even = rising >= told.limits["leak_rises"] * len(steps)
    return even or len(values) >= told.limits["memory_figures_many"] or values[-1] > 2 * values[0]


def _climbs_plainly(told: Told, values: Sequence[float]) -> bool:
    """Whether at least four values rise without a break to `memory_growth_few` times the first, and do not level off.

    Five that rise by as much each time are a leak before that, where each step is more than what a program takes as it warms up.
    """
    if len(values) < 4:
        return False
    steps = curve.steps_between(values)
    mean = sum(steps) / len(steps)
    even = min(steps) > 0.8 * mean and max(steps) < 1.25 * mean
    if len(values) > 4 and even and mean > told.limits["memory_growth_step"] * values[0]:
        return True
    enough = values[-1] >= told.limits["memory_growth_few"] * values[0]
    return min(steps) > 0 and enough and steps[-1] >= 0.5 * mean


def tell_skips(told: Told, store: Store) -> None:
    """Skipped steps and overflows."""
    for series in store.of("skipped_steps_total")[:1]:
        if series.last is not None:
            told.tell("log.skipped_steps", int(series.last.value), series.last.mark)
    for series in store.of("skipped_steps")[:1]:
        skipped = [value * series.stride for value in curve_of(series).values]
        told.tell("log.skipped_steps", int(sum(skipped)), series.marks[-1])
    for series in store.of("overflows")[:1]:
        told.tell("log.overflows", series.count, series.marks[0])
