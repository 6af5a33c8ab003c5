"""Where values of a curve were printed. Of thousands of places a few are asked for, and only these are worked out."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from itertools import repeat
from typing import NamedTuple, Protocol, overload

MANY = 16
"""Kept values of one block, from which on their marks are made when they are asked for."""


class Mark(NamedTuple):
    """Where a value was printed, kept raw: its step is worked out only for the few that are shown."""

    number: int
    """The line, counted from 1."""
    line: bytes
    bar: bytes | None = None
    """The last line before it that says the step, such as a progress bar."""
    header: bytes | None = None
    """The last line before it that says the epoch."""
    step: float | None = None
    """The step itself, where the record says it."""
    rank: int | None = None
    epoch: float | None = None
    """The epoch, where the record says it."""


class Marker(Protocol):
    """Gives the marks of the values handed over."""

    def one(self, place: int) -> Mark:
        """The mark of the k-th."""
        ...


class Each:
    """Marks that are made one by one."""

    __slots__ = ("one",)

    def __init__(self, make: Callable[[int], Mark]) -> None:
        self.one = make


class _Made:
    """A mark that is made already."""

    __slots__ = ("_mark",)

    def __init__(self, mark: Mark) -> None:
        self._mark = mark

    def one(self, place: int) -> Mark:
        """The mark."""
        return self._mark


Spot = tuple[Marker, int]
"""Who gives a mark, and for which of his values."""


class Marks(Sequence[Mark]):
    """Where the values of a curve were printed. Of thousands of marks a few are asked for, and only these are made."""

    __slots__ = ("_spots",)

    def __init__(self, spots: Iterable[Spot] = ()) -> None:
        self._spots = list(spots)

    def __len__(self) -> int:
        return len(self._spots)

    @overload
    def __getitem__(self, which: int) -> Mark: ...
    @overload
    def __getitem__(self, which: slice) -> Marks: ...
    def __getitem__(self, which: int | slice) -> Mark | Marks:
        if isinstance(which, slice):
            return Marks(self._spots[which])
        marker, place = self._spots[which]
        return marker.one(place)

    def before(self, number: int) -> int:
        """How many of them stand in lines before this one."""
        return bisect_left(self, number, key=lambda mark: mark.number)

    def some(self, places: Iterable[int]) -> Marks:
        """Those at these places."""
        return Marks(map(self._spots.__getitem__, places))

    def add(self, marker: Marker, places: range) -> None:
        """Take in the marks of some values of a block.

        A mark that is made later holds on to its block: where there are few in a block, that is too dear.
        """
        spots = zip(repeat(marker), places, strict=False)
        self._spots += spots if len(places) >= MANY else map(_settled, spots)

    def follow(self, others: Marks, shift: int) -> None:
        """Take in marks that come after these, `shift` added to the numbers of their lines."""
        self._spots += [(made(shifted(mark, shift)), 0) for mark in others]

    def settle(self) -> None:
        """Make all marks now, and let go of their blocks."""
        self._spots = list(map(_settled, self._spots))


def made(mark: Mark) -> Marker:
    """Gives a mark that is made already."""
    return _Made(mark)


def shifted(mark: Mark, shift: int) -> Mark:
    """The mark with something added to the number of its line."""
    return mark._replace(number=mark.number + shift)


class Peak(NamedTuple):
    """The largest value of a stretch. Where it stands is worked out for the few that are asked about."""

    value: float
    spot: Spot

    @property
    def mark(self) -> Mark:
        """Where it was printed."""
        marker, place = self.spot
        return marker.one(place)


def peak_of(values: Sequence[float], start: int, end: int, mark: Marker) -> Peak:
    """The largest finite value of a stretch, or what stands first where none is finite."""
    some = values[start:end]
    high = max(some)
    if not math.isfinite(sum(some)):
        high = max(filter(math.isfinite, some), default=some[0])
    return Peak(high, (mark, start + (some.index(high) if math.isfinite(high) else 0)))


def higher(one: Peak, other: Peak) -> Peak:
    """The higher of two; the first where they are alike, or the other is no number."""
    return other if other.value > one.value or math.isnan(one.value) else one


def _settled(spot: Spot) -> Spot:
    """The same, with the mark made now."""
    marker, place = spot
    return spot if isinstance(marker, _Made) else (_Made(marker.one(place)), 0)


def settled_peak(peak: Peak) -> Peak:
    """The same, with the mark made now."""
    return Peak(peak.value, _settled(peak.spot))
