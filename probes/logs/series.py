"""Metric series in bounded memory: exact extremes, and points at a stride that doubles."""

from __future__ import annotations

import math
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from itertools import repeat
from typing import NamedTuple, Protocol, overload

from .names import Name

MAX_POINTS = 2048

_MANY = 16
"""Kept values of one block, from which on their marks are made when they are asked for."""
_PEAKED = frozenset(("loss", "loss_part"))
"""The metrics whose spikes matter."""


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
        self._spots += spots if len(places) >= _MANY else map(_settled, spots)

    def settle(self) -> None:
        """Make all marks now, and let go of their blocks."""
        self._spots = list(map(_settled, self._spots))


class Peak(NamedTuple):
    """The largest value of a stretch. Where it stands is worked out for the few that are asked about."""

    value: float
    spot: Spot

    @property
    def mark(self) -> Mark:
        """Where it was printed."""
        marker, place = self.spot
        return marker.one(place)


class Extreme(NamedTuple):
    """A value that stands out."""

    value: float
    point: int
    """Which of all values it was, counted from 0."""
    mark: Mark


class Series:
    """The values of one metric under one name.

    `values` holds every `stride`-th value, `peaks` of a loss the largest finite one since then.
    """

    __slots__ = (
        "_last", "bad", "count", "first", "first_bad", "high", "last_finite", "low", "marks", "name", "peaks", "rank",
        "stride", "values",
    )  # fmt: skip

    def __init__(self, name: Name, rank: int | None = None) -> None:
        self.name, self.rank = name, rank
        self.count = self.bad = 0
        self.stride = 1
        self.values: array[float] = array("d")
        self.marks = Marks()
        self.peaks: list[Peak] = []
        self.first: Extreme | None = None
        self._last: tuple[float, int, Marker, int] | None = None
        self.low: Extreme | None = None
        self.high: Extreme | None = None
        self.first_bad: Extreme | None = None
        self.last_finite = -1

    def extend(self, values: Sequence[float], mark: Marker) -> None:
        """Take in values in the order they were printed."""
        if not values:
            return
        total = sum(values)
        finite = values
        if total - total != 0.0:
            self._note_bad(values, mark)
            finite = [value for value in values if math.isfinite(value)]
        else:
            self.last_finite = self.count + len(values) - 1
        if finite:
            self._note_extremes(values, finite, mark)
        self._keep(values, mark)
        self.count += len(values)

    @property
    def last(self) -> Extreme | None:
        """The last finite value. Its mark is made only here: each block has another."""
        if self._last is None:
            return None
        value, point, mark, index = self._last
        return Extreme(value, point, mark.one(index))

    def _at(self, values: Sequence[float], index: int, mark: Marker) -> Extreme:
        return Extreme(values[index], self.count + index, mark.one(index))

    def _note_bad(self, values: Sequence[float], mark: Marker) -> None:
        for index, value in enumerate(values):
            if math.isfinite(value):
                self.last_finite = self.count + index
                continue
            self.bad += 1
            if self.first_bad is None:
                self.first_bad = self._at(values, index, mark)

    def _note_extremes(self, values: Sequence[float], finite: Sequence[float], mark: Marker) -> None:
        if self.first is None:
            self.first = self._at(values, values.index(finite[0]), mark)
        last = len(values) - 1 - (0 if finite is values else values[::-1].index(finite[-1]))
        self._last = values[last], self.count + last, mark, last
        low, high = min(finite), max(finite)
        if self.low is None or low < self.low.value:
            self.low = self._at(values, values.index(low), mark)
        if self.high is None or high > self.high.value:
            self.high = self._at(values, values.index(high), mark)

    def _keep(self, values: Sequence[float], mark: Marker) -> None:
        """Keep every `stride`-th value, of all values and not only of these."""
        while (
            len(self.values) + len(range(-self.count % self.stride, len(values), self.stride)) >= MAX_POINTS
        ):
            self._thin()
        stride = self.stride
        places = range(-self.count % stride, len(values), stride)
        if self.name.metric in _PEAKED:
            self._raise_peaks(values, places, mark)
        self.values.extend(values[places.start :: stride])
        self.marks.add(mark, places)

    def _raise_peaks(self, values: Sequence[float], places: range, mark: Marker) -> None:
        start, stride = places.start, self.stride
        if start and self.peaks:
            self.peaks[-1] = _settled_peak(_higher(self.peaks[-1], _peak(values, 0, start, mark)))
        if stride == 1:
            peaks = map(Peak, values, zip(repeat(mark), places, strict=False))
        else:
            peaks = map(
                _peak,
                repeat(values),
                places,
                range(start + stride, len(values) + stride, stride),
                repeat(mark),
            )
        self.peaks += peaks if len(places) >= _MANY else map(_settled_peak, peaks)

    def _thin(self) -> None:
        odd = self.peaks[1::2]
        pairs = zip(self.peaks[::2], [*odd, *self.peaks[-1:]], strict=False)
        self.peaks = [_higher(*pair) for pair in pairs]
        self.values = self.values[::2]
        self.marks = self.marks[::2]
        self.stride *= 2
        if self.stride >= _MANY:
            # Of most blocks a few marks are left by now.
            self.marks.settle()
            self.peaks = list(map(_settled_peak, self.peaks))


def _peak(values: Sequence[float], start: int, end: int, mark: Marker) -> Peak:
    """The largest finite value of a stretch, or what stands first where none is finite."""
    some = values[start:end]
    high = max(some)
    if not math.isfinite(sum(some)):
        high = max(filter(math.isfinite, some), default=some[0])
    return Peak(high, (mark, start + (some.index(high) if math.isfinite(high) else 0)))


def _higher(one: Peak, other: Peak) -> Peak:
    """The higher of two; the first where they are alike, or the other is no number."""
    return other if other.value > one.value or math.isnan(one.value) else one


def _settled(spot: Spot) -> Spot:
    """The same, with the mark made now."""
    marker, place = spot
    return spot if isinstance(marker, _Made) else (_Made(marker.one(place)), 0)


def _settled_peak(peak: Peak) -> Peak:
    return Peak(peak.value, _settled(peak.spot))


class Curve:
    """The finite values of a series, kept at its stride, with their marks."""

    def __init__(self, values: list[float], marks: Marks, peaks: list[Peak]) -> None:
        self.values, self.marks, self.peaks = values, marks, peaks

    def __len__(self) -> int:
        return len(self.values)


def curve_of(series: Series) -> Curve:
    """The finite values of a series."""
    if not series.bad:
        return Curve(list(series.values), series.marks[:], series.peaks[:])
    kept = [index for index, value in enumerate(series.values) if math.isfinite(value)]
    return Curve(
        [series.values[index] for index in kept], series.marks.some(kept),
        [series.peaks[index] for index in kept] if series.peaks else [],
    )  # fmt: skip
