"""A run that was resumed in one log: whether loss and rate go on from there, or it begins anew."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from traindx.engine.facts import Fact, Origin

from . import curve
from .log import Log
from .positions import Where
from .series import Series

_FEW = 3
"""Values that make a level."""
_SAMPLED = 256
"""Places of a log that are looked at to see whether the run goes back to its start."""


def tell_rate_at_resume(log: Log, resumed: Iterable[int], limits: Mapping[str, float]) -> Iterator[Fact]:
    """What the learning rate says where one log goes on from a checkpoint, in the lines `resumed`.

    A schedule that begins anew puts it back up, or back to the foot of its warm-up.
    """
    rate = next(iter(log.store.of("learning_rate")), None)
    if rate is None or rate.stride != 1:
        return
    places = sorted({rate.marks.before(line) for line in resumed})
    # A rate is exact: one value before is enough.
    places = [one for one in places if one >= 1 and len(rate.values) >= one + 2 and rate.values[one - 1] > 0]
    jumps = [
        one for one in places if _begins_anew(rate.values[one - 1 : one + 2], limits["resume_rate_jump"])
    ]
    for place in (jumps or places)[:1]:
        yield Fact("log.lr.jump_at_resume", bool(jumps), Origin.LOG, (log.place(rate.marks[place]),))


def tell_loss_at_resume(log: Log, resumed: Iterable[int], limits: Mapping[str, float]) -> Iterator[Fact]:
    """What the loss says where one log goes on from a checkpoint, in the lines `resumed`, and its steps do not go back."""
    loss = next(iter(log.store.of("loss")), None)
    if loss is None or loss.stride != 1:
        return
    places = [
        one
        for one in sorted({loss.marks.before(line) for line in resumed})
        if _FEW <= one <= len(loss.values) - _FEW and not _any_behind(log, loss, one)
    ]
    levels = [
        (one, curve.median(loss.values[max(0, one - 5) : one]), curve.median(loss.values[one : one + 5]))
        for one in places
    ]
    levels = [(one, before, after) for one, before, after in levels if before > 0]
    jumps = [one for one, before, after in levels if after > limits["resume_jump"] * before]
    for place in (jumps or [one for one, _, _ in levels])[:1]:
        yield Fact("loss.jump_at_resume", bool(jumps), Origin.LOG, (log.place(loss.marks[place]),))


def _any_behind(log: Log, loss: Series, place: int) -> bool:
    """Whether the step after a resume is an earlier one than that before: the curves themselves tell of those."""
    before, after = (log.positions.where(loss.marks[one]).step for one in (place - 1, place))
    return before is not None and after is not None and after < before


def _begins_anew(rates: Sequence[float], factor: float) -> bool:
    """Whether the rate before the resume, and two after it, are of a schedule that does not go on."""
    before, first, second = rates
    return first > factor * before or (0 < first * factor * factor < before and second > first)


def tell_begun_anew(log: Log, limits: Mapping[str, float]) -> Iterator[Fact]:
    """How often the run in one log goes back to its start, in its steps and in its loss, as one does that resumes nothing."""
    loss = next(iter(log.store.of("loss")), None)
    if loss is None or len(loss.values) < 2 * _FEW:
        return
    stride = max(1, len(loss.values) // _SAMPLED)
    places = range(0, len(loss.values) - _FEW, stride)
    reached = [reached_at(log.positions.where(loss.marks[place])) for place in places]
    back = []
    for number in range(1, len(places)):
        if not _is_behind(reached[number], reached[number - 1]):
            continue
        # The values around the step back, which stands somewhere between two that were looked at.
        before = curve.median(loss.values[max(0, places[number - 1] - _FEW + 1) : places[number - 1] + 1])
        after = loss.values[places[number] : places[number] + _FEW]
        if 0 < limits["resume_jump"] * before < max(curve.median(after), after[0]):
            back.append(log.place(loss.marks[places[number]]))
    yield Fact("log.begun_anew", len(back), Origin.LOG, tuple(back[:1]))


def reached_at(where: Where) -> tuple[float | None, float | None]:
    """The step and the epoch of a place, as far as they are known."""
    return where.step, where.epoch


def _is_behind(now: tuple[float | None, float | None], before: tuple[float | None, float | None]) -> bool:
    """Whether whatever says how far the run is fell to less than half."""
    pairs = [
        (one, other) for one, other in zip(now, before, strict=True) if one is not None and other is not None
    ]
    return bool(pairs) and all(2 * one < other for one, other in pairs)
