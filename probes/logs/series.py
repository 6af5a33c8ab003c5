"""Metric series in bounded memory: exact extremes, and points at a stride that doubles."""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Sequence
from typing import NamedTuple

from .names import Name

MAX_POINTS = 2048

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


MarkOf = Callable[[int], Mark]
"""Gives the mark of the k-th of the values handed over."""


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
        self.peaks: list[tuple[float, Mark]] = []
        self.first: Extreme | None = None
        self._last: tuple[float, int, MarkOf, int] | None = None
        self.low: Extreme | None = None
        self.high: Extreme | None = None
        self.first_bad: Extreme | None = None
        self.last_finite = -1

    def extend(self, values: Sequence[float], mark: MarkOf) -> None:
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
        return Extreme(value, point, mark(index))

    def _at(self, values: Sequence[float], index: int, mark: MarkOf) -> Extreme:
        return Extreme(values[index], self.count + index, mark(index))

    def _note_bad(self, values: Sequence[float], mark: MarkOf) -> None:
        for index, value in enumerate(values):
            if math.isfinite(value):
                self.last_finite = self.count + index
                continue
            self.bad += 1
            if self.first_bad is None:
                self.first_bad = self._at(values, index, mark)

    def _note_extremes(self, values: Sequence[float], finite: Sequence[float], mark: MarkOf) -> None:
        if self.first is None:
            self.first = self._at(values, values.index(finite[0]), mark)
        last = len(values) - 1 - (0 if finite is values else values[::-1].index(finite[-1]))
        self._last = values[last], self.count + last, mark, last
        low, high = min(finite), max(finite)
        if self.low is None or low < self.low.value:
            self.low = self._at(values, values.index(low), mark)
        if self.high is None or high > self.high.value:
            self.high = self._at(values, values.index(high), mark)

    def _keep(self, values: Sequence[float], mark: MarkOf) -> None:
        stride = self.stride
        start = -self.count % stride
        if start and self.peaks:
            self._raise_peak(-1, values, 0, start, mark)
        kept = range(start, len(values), stride)
        marks, some = list(map(mark, kept)), values[start::stride]
        self.values.extend(some)
        self.marks += marks
        if self.name.metric in _PEAKED:
            before = len(self.peaks)
            self.peaks += zip(some, marks, strict=True)
            if stride > 1:
                for peak, index in enumerate(kept, before):
                    self._raise_peak(peak, values, index + 1, index + stride, mark)
        while len(self.values) >= MAX_POINTS:
            self._thin()

    def _raise_peak(self, peak: int, values: Sequence[float], start: int, end: int, mark: MarkOf) -> None:
        some = values[start:end]
        if not some:
            return
        high = max(some)
        if not math.isfinite(sum(some)):
            high = max(filter(math.isfinite, some), default=-math.inf)
        if not high <= self.peaks[peak][0] and high != -math.inf:
            self.peaks[peak] = (high, mark(start + some.index(high)))

    def _thin(self) -> None:
        odd = self.peaks[1::2]
        self.peaks = [
            max(pair, key=lambda peak: peak[0] if peak[0] == peak[0] else -math.inf)
            for pair in zip(self.peaks[::2], [*odd, *self.peaks[-1:]], strict=False)
        ]
        self.values = self.values[::2]
        self.marks = self.marks[::2]
        self.stride *= 2


class Curve:
    """The finite values of a series, kept at its stride, with their marks."""

    def __init__(self, values: list[float], marks: list[Mark], peaks: list[tuple[float, Mark]]) -> None:
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
