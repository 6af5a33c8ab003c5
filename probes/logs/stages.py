"""The stages, folds and trials of one log: a loss that is another one, or of other data, goes on from nothing before it."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from traindx.engine.regex import regex

from . import curve
from .marks import Mark
from .series import Curve
from .told import Told

_SAMPLE = 256
_SHORTEST = 3
"""Fewer points between two beginnings are no stage: such lines stand in every epoch."""
_FEW, _LOOPS = 64, 8
"""Points that are looked at to see whether their lines begin alike, and the most loops that one log holds."""
_CLEAR = 0.1
"""A loss that came less of its own height away from where it began may be there by chance."""
_BEGINNING = regex(rb"[\d=:|/]")
_MANY = 64
"""So many beginnings anew are no stages, but epochs of several processes in one log."""


def beginnings(told: Told, line: Curve, broke: int | None = None) -> list[int]:
    """The numbers of the lines at which a stage begins: it is announced, or its epochs or steps are counted anew.

    `broke` is the line of the first loss that is no number, which the curve leaves out.
    """
    numbers = sorted(
        {
            *told.announced,
            *(
                ()
                if told.resumed
                else (
                    *_counted_anew(told, line),
                    *_begun_anew(told, line, broke or 0),
                    *_of_other_loops(told, line),
                )
            ),
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


def _begun_anew(told: Told, line: Curve, broke: int) -> Sequence[int]:
    """The lines at which the steps are counted anew, and the loss had broken or is back where it began.

    A counter of each epoch goes back alone.
    """
    if (
        not line.marks
        or told.where(line.marks[0]).step is None
        or told.where(line.marks[-1]).epoch is not None
    ):
        return ()
    stride = max(1, len(line) // _SAMPLE)
    points = [*range(0, len(line), stride), len(line) - 1]
    steps = [told.where(line.marks[point]).step for point in points]
    found, start = list[int](), 0
    for place, (before, here) in enumerate(itertools.pairwise(steps), 1):
        if before is None or here is None or here >= before:
            continue
        near = range(points[place - 1] + 1, points[place] + 1)
        anew = (point for point in near if _goes_back(told, line, point, first=steps[0]))
        point = next(anew, None)
        if point is not None and (
            line.marks[point - 1].number < broke < line.marks[point].number
            or _is_back(line.values, start, point)
        ):
            found.append(line.marks[point].number)
            start = point
    return found


def _goes_back(told: Told, line: Curve, point: int, first: float | None) -> bool:
    before, here = (told.where(line.marks[one]).step for one in (point - 1, point))
    return None not in (before, here, first) and here < before and here <= first  # type: ignore[operator]


def _is_back(values: Sequence[float], start: int, point: int) -> bool:
    """Whether the loss is back where it began, and clearly not where it had come to."""
    began, came, here = (
        curve.median(values[at : at + _SHORTEST]) for at in (start, max(start, point - _SHORTEST), point)
    )
    return abs(here - came) > max(2 * abs(here - began), _CLEAR * abs(began))


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
