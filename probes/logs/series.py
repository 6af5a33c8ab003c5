"""Metric series in bounded memory: exact extremes, and points at a stride that doubles."""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from .names import Name

MAX_POINTS = 2048

_MANY = 16
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

    def some(self, start: int, stride: int) -> list[Mark]:
        """The marks of every `stride`-th from the k-th on."""
        ...


class Each:
    """Marks that are made one by one."""

    def __init__(self, make: Callable[[int], Mark], count: int) -> None:
        self.one, self._count = make, count

    def some(self, start: int, stride: int) -> list[Mark]:
        """The marks of every `stride`-th from the k-th on."""
        return list(map(self.one, range(start, self._count, stride)))


class Peak(NamedTuple):
    """The largest value of a stretch. Where it stands is worked out for the few that are asked about."""

    value: float
    marker: Marker
    place: int

    @property
    def mark(self) -> Mark:
        """Where it was printed."""
        return self.marker.one(self.place)


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
        self.marks: list[Mark] = []
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
        start = -self.count % stride
        if self.name.metric in _PEAKED:
            self._raise_peaks(values, start, mark)
        self.values.extend(values[start::stride])
        self.marks += mark.some(start, stride)

    def _raise_peaks(self, values: Sequence[float], start: int, mark: Marker) -> None:
        stride = self.stride
        if start and self.peaks:
            self.peaks[-1] = _higher(self.peaks[-1], _peak(values, 0, start, mark))
        # A peak that is worked out later holds on to its block: where there are few in a block, that is too dear.
        lasting = (len(values) - start) // stride >= _MANY
        for place in range(start, len(values), stride):
            peak = (
                Peak(values[place], mark, place)
                if stride == 1
                else _peak(values, place, place + stride, mark)
            )
            self.peaks.append(peak if lasting else _settled(peak))

    def _thin(self) -> None:
        odd = self.peaks[1::2]
        pairs = zip(self.peaks[::2], [*odd, *self.peaks[-1:]], strict=False)
        self.peaks = [_higher(*pair) for pair in pairs]
        self.values = self.values[::2]
        self.marks = self.marks[::2]
        self.stride *= 2


def _peak(values: Sequence[float], start: int, end: int, mark: Marker) -> Peak:
    """The largest finite value of a stretch, or what stands first where none is finite."""
    some = values[start:end]
    high = max(some) if math.isfinite(sum(some)) else max(filter(math.isfinite, some), default=some[0])
    return Peak(high, mark, start + (some.index(high) if math.isfinite(high) else 0))


def _higher(one: Peak, other: Peak) -> Peak:
    """The higher of two; the first where they are alike, or the other is no number."""
    return other if other.value > one.value or math.isnan(one.value) else one


def _settled(peak: Peak) -> Peak:
    return Peak(peak.value, Each([peak.mark].__getitem__, 1), 0)


class Curve:
    """The finite values of a series, kept at its stride, with their marks."""

    def __init__(self, values: list[float], marks: list[Mark], peaks: list[Peak]) -> None:
        self.values, self.marks, self.peaks = values, marks, peaks

    def __len__(self) -> int:
        return len(self.values)


def curve_of(series: Series) -> Curve:
    """The finite values of a series."""
    if not series.bad:
        return Curve(list(series.values), series.marks[:], series.peaks[:])
    kept = [index for index, value in enumerate(series.values) if math.isfinite(value)]
    return Curve(
        [series.values[index] for index in kept], [series.marks[index] for index in kept],
        [series.peaks[index] for index in kept] if series.peaks else [],
    )  # fmt: skip
