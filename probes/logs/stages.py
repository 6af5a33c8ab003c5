"""The stages, folds and trials of one log: a loss that is another one, or of other data, goes on from nothing before it."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from .series import Curve
from .told import Told

_SAMPLE = 256
_SHORTEST = 3
"""Fewer points between two beginnings are no stage: such lines stand in every epoch."""
_MANY = 64
"""So many beginnings anew are no stages, but epochs of several processes in one log."""


def beginnings(told: Told, line: Curve) -> list[int]:
    """The numbers of the lines at which a stage begins: it is announced, or its epochs are counted anew."""
    numbers = sorted({*told.announced, *(() if told.resumed else _counted_anew(told, line))})
    found, before = list[int](), 0
    for number in numbers:
        place = line.marks.before(number)
        if place - before >= _SHORTEST and len(line) - place >= _SHORTEST:
            found.append(number)
            before = place
    return found


def stages_of(told: Told, line: Curve) -> list[Curve]:
    """The stages of a curve, at least one."""
    places = sorted({0, len(line), *(line.marks.before(number) for number in told.stages)})
    return [_piece(line, start, end) for start, end in itertools.pairwise(places)] or [line]


def last_stage(told: Told, line: Curve) -> Curve:
    """The last stage that has points enough to be judged, else the longest."""
    if not told.stages:
        return line
    stages = stages_of(told, line)[::-1]
    enough = (one for one in stages if len(one) >= told.limits["points_few"])
    return next(enough, None) or max(stages, key=len)


def _piece(line: Curve, start: int, end: int) -> Curve:
    return Curve(line.values[start:end], line.marks[start:end], line.peaks[start:end])


def _counted_anew(told: Told, line: Curve) -> Sequence[int]:
    """The lines at which the epochs begin anew from the first one."""
    if not line.marks or told.where(line.marks[-1]).epoch is None:
        return ()
    stride = max(1, len(line) // _SAMPLE)
    points = [*range(0, len(line), stride), len(line) - 1]
    epochs = [told.where(line.marks[point]).epoch for point in points]
    found = list[int]()
    for place in range(1, len(points)):
        if _is_anew(epochs[place - 1], epochs[place]):
            near = range(points[place - 1] + 1, points[place] + 1)
            marks = [line.marks[point] for point in near]
            first = next(mark for mark in marks if _is_anew(epochs[place - 1], told.where(mark).epoch))
            found.append(first.number)
    return found if len(found) <= _MANY else ()


def _is_anew(before: float | None, here: float | None) -> bool:
    return before is not None and here is not None and here <= 1 and before >= here + 2
