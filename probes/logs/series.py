"""Metric series in bounded memory: exact extremes, and points at a stride that doubles."""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence
from copy import copy
from itertools import repeat
from typing import NamedTuple

from .marks import MANY, Mark, Marker, Marks, Peak, higher, made, peak_of, settled_peak, shifted
from .names import Name

MAX_POINTS = 2048

_PEAKED = frozenset(("loss", "loss_part", "number"))
"""The metrics whose spikes matter; a number without a name may turn out to be a loss."""


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

    def follow(self, other: Series, shift: int) -> None:
        """Take in a series that goes on where this one ended; `shift` is added to the numbers of its lines."""
        other = copy(other)
        for one, beside in ((self, other), (other, self)):
            while one.stride < beside.stride:
                one._thin()
        first, bad, low, high = (
            one and Extreme(one.value, one.point + self.count, shifted(one.mark, shift))
            for one in (other.first, other.first_bad, other.low, other.high)
        )
        self.first, self.first_bad = self.first or first, self.first_bad or bad
        self.low = min(filter(None, (self.low, low)), key=_value, default=None)
        self.high = max(filter(None, (self.high, high)), key=_value, default=None)
        if (last := other.last) is not None:
            self._last = last.value, last.point + self.count, made(shifted(last.mark, shift)), 0
        if other.last_finite >= 0:
            self.last_finite = other.last_finite + self.count
        self.values.extend(other.values)
        self.marks.follow(other.marks, shift)
        self.peaks += [Peak(one.value, (made(shifted(one.mark, shift)), 0)) for one in other.peaks]
        self.count, self.bad = self.count + other.count, self.bad + other.bad
        while len(self.values) >= MAX_POINTS:
            self._thin()

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
            self.peaks[-1] = higher(self.peaks[-1], peak_of(values, 0, start, mark))
        if stride == 1:
            peaks = map(Peak, values, zip(repeat(mark), places, strict=False))
        else:
            peaks = map(
                peak_of,
                repeat(values),
                places,
                range(start + stride, len(values) + stride, stride),
                repeat(mark),
            )
        before = max(0, len(self.peaks) - 1)
        self.peaks += peaks
        if len(places) < MANY:
            # The last may still rise: its mark is made when the next begins.
            self.peaks[before:-1] = map(settled_peak, self.peaks[before:-1])

    def _thin(self) -> None:
        odd = self.peaks[1::2]
        pairs = zip(self.peaks[::2], [*odd, *self.peaks[-1:]], strict=False)
        self.peaks = [higher(*pair) for pair in pairs]
        self.values = self.values[::2]
        self.marks = self.marks[::2]
        self.stride *= 2
        if self.stride >= MANY:
            # Of most blocks a few marks are left by now.
            self.marks.settle()
            self.peaks = list(map(settled_peak, self.peaks))


def _value(extreme: Extreme) -> float:
    return extreme.value


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
