"""A run in several logs: whether one goes on where another ended, and whether it does so smoothly."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations
from typing import NamedTuple

from traindx.engine.facts import Fact, Origin

from . import curve
from .at_resume import reached_at
from .log import Log
from .positions import Where
from .series import Series

MOST = 12
"""Logs that are compared with each other."""
_FEW = 3
"""Values that make a level."""
_NEAR = 2
"""Epochs by which the beginning of one may lie behind the end of the other."""


class Stretch(NamedTuple):
    """The part of a run that one log shows."""

    log: Log
    loss: Series
    start: Where
    end: Where


def tell_resumed(logs: Sequence[Log], limits: Mapping[str, float]) -> Iterator[Fact]:
    """What the step from one log to the next says."""
    stretches = [one for one in map(_stretch, logs[:MOST]) if one is not None]
    for before, after in permutations(stretches, 2):
        if not _goes_on(before, after):
            continue
        place = after.log.place(after.loss.marks[0])
        left = before.loss.values[: _left_at(before, before.loss, after)]
        ended, begins = curve.median(left[-5:]) if left else 0.0, curve.median(after.loss.values[:5])
        if ended > 0:
            jumped = begins > limits["resume_jump"] * ended
            yield Fact("loss.jump_at_resume", jumped, Origin.LOG, (place,))
        rates = [next(iter(one.log.store.of("learning_rate")), None) for one in (before, after)]
        old, new = rates
        # A rate that is printed as 0 was rounded, or had run out.
        if old is None or new is None or not new.values:
            continue
        if (at := _left_at(before, old, after)) and old.values[at - 1] > 0:
            back = new.values[0] > limits["resume_rate_jump"] * old.values[at - 1]
            yield Fact("log.lr.jump_at_resume", back, Origin.LOG, (after.log.place(new.marks[0]),))


def _left_at(before: Stretch, series: Series, after: Stretch) -> int:
    """How many values of the first log stand before the place at which the second takes the run up.

    A run that dies goes on from its last checkpoint, which is older: what came after that was lost, and tells nothing.
    """
    begins = after.start
    known = (begins.step, before.end.step), (begins.epoch, before.end.epoch)
    number = next((one for one, (new, old) in enumerate(known) if new is not None and old is not None), None)
    if number is None:
        return len(series.values)
    taken_up = reached_at(begins)[number]

    def lost(place: int) -> bool:
        reached = reached_at(before.log.positions.where(series.marks[place]))[number]
        return reached is not None and taken_up is not None and reached >= taken_up

    return bisect_left(range(len(series.values)), True, key=lost)


def furthest_first(logs: Sequence[Log]) -> list[Log]:
    """The logs in the same order, but each after those in which its run goes on."""
    stretches = [one for one in map(_stretch, logs[:MOST]) if one is not None]
    later = Counter(id(before.log) for before, after in permutations(stretches, 2) if _goes_on(before, after))
    return sorted(logs, key=lambda log: later[id(log)])


def runs_of(logs: Sequence[Log]) -> list[list[Log]]:
    """The logs in the same order, those of one run together: each goes on where the one before it ended.

    A log whose loss broke ends its run: what was done then is not what would have come.
    """
    stretches = [one for one in map(_stretch, logs[:MOST]) if one is not None]
    runs = {id(log): [log] for log in logs}
    ends = dict[int, Stretch]()
    for after in sorted(stretches, key=lambda one: _reached_by(one.start)):
        before = next(
            (one for one in ends.values() if _is_one_loss(one, after) and _goes_on(one, after)), None
        )
        ends[id(after.log)] = after
        if before is not None:
            del ends[id(before.log)]
            runs[id(after.log)] = [*runs.pop(id(before.log)), after.log]
    return [runs[id(log)] for log in logs if id(log) in runs]


def _is_one_loss(before: Stretch, after: Stretch) -> bool:
    return before.loss.name == after.loss.name and not before.loss.bad


def _reached_by(where: Where) -> tuple[float, float]:
    epoch, step = where.epoch, where.step
    return -1.0 if epoch is None else epoch, -1.0 if step is None else step


def _stretch(log: Log) -> Stretch | None:
    loss = next(iter(log.store.of("loss")), None)
    if loss is None or len(loss.values) < _FEW:
        return None
    start, end = (log.positions.where(loss.marks[place]) for place in (0, -1))
    return Stretch(log, loss, start, end)


def _goes_on(before: Stretch, after: Stretch) -> bool:
    """Whether the second begins about where the first ended, and not where it began: that is another log of the same part."""
    pairs = (
        (before.start.epoch, before.end.epoch, after.start.epoch),
        (before.start.step, before.end.step, after.start.step),
    )
    for start, end, begins in pairs:
        if start is None or end is None or begins is None or end <= start:
            continue
        return begins > (start + end) / 2 and begins <= end + max(_NEAR, 0.1 * (end - start))
    return False
