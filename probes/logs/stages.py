"""The stages, folds and trials of one log: a loss that is another one, or of other data, goes on from nothing before it."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from traindx.engine.regex import regex

from .marks import Mark
from .series import Curve
from .told import Told

_SAMPLE = 256
_SHORTEST = 3
"""Fewer points between two beginnings are no stage: such lines stand in every epoch."""
_FEW, _LOOPS = 64, 8
"""Points that are looked at to see whether their lines begin alike, and the most loops that one log holds."""
_BEGINNING = regex(rb"[\d=:|/]")
_MANY = 64
"""So many beginnings anew are no stages, but epochs of several processes in one log."""


def beginnings(told: Told, line: Curve) -> list[int]:
    """The numbers of the lines at which a stage begins: it is announced, or its epochs or steps are counted anew."""
    numbers = sorted(
        {
            *told.announced,
            *(() if told.resumed else (*_counted_anew(told, line), *_of_other_loops(told, line))),
        }
    )
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


def _of_other_loops(told: Told, line: Curve) -> Sequence[int]:
    """The lines at which another loop takes over: it counts from its beginning, and its lines begin with other words for good."""
    some = line.marks[:: max(1, len(line) // _FEW)]
    if len({_words(mark) for mark in some}) < 2:
        return ()
    runs = [(words, list(marks)) for words, marks in itertools.groupby(line.marks, key=_words)]
    names = [words for words, _ in runs]
    if len(runs) > _LOOPS or len(set(names)) < len(names) or not all(names):
        return ()
    found = list[int]()
    for (_, before), (_, after) in itertools.pairwise(runs):
        last, first = told.where(before[-1]).step, told.where(after[0]).step
        if first is not None and (last is None or first < last):
            found.append(after[0].number)
    return found


def _words(mark: Mark) -> bytes:
    """What a line begins with, up to its first number."""
    return _BEGINNING.split(mark.line, 1)[0].strip()
