"""The lines of one block that say where the run is."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable

from .blocks import Block
from .marks import Mark

_BACK = 256
"""Bars that are passed over on the way back to one of training."""


class Guides:
    """The lines of one block that say where the run is, and the last ones before it."""

    __slots__ = ("_counts", "_told", "bar", "bars", "block", "header", "headers")

    def __init__(
        self,
        block: Block,
        bars: list[int],
        headers: list[int],
        bar: bytes | None,
        header: bytes | None,
        counts: Callable[[bytes], bool],
    ) -> None:
        self.block = block
        self.bars, self.headers = sorted(bars), sorted(headers)
        """By their index in the block."""
        self.bar, self.header = bar, header
        self._counts = counts
        """Whether a bar counts steps of training, as far as is known."""
        self._told: dict[int, bool] = {}
        """What was told of bars, by their place, as marks that stand close together pass over the same ones."""

    def before(self, index: int) -> tuple[bytes | None, bytes | None]:
        """The bar and the header that stand for a line of the block."""
        bar, header = self._bar_before(bisect_left(self.bars, index)), self._header_at(index)
        if bar >= 0 and (header < 0 or self.bars[bar] > self.headers[header]):
            return self.block.lines[self.bars[bar]], self.header_before(index)
        return self.bar if header < 0 else None, self.header_before(index)

    def header_before(self, index: int) -> bytes | None:
        """The header that stands for a line of the block."""
        header = self._header_at(index)
        return self.block.lines[self.headers[header]] if header >= 0 else self.header

    def _header_at(self, index: int) -> int:
        return bisect_left(self.headers, index) - 1

    def _bar_before(self, place: int) -> int:
        """Of the bars before this place the last that counts steps, and not the batches of a validation between them."""
        for one in range(place - 1, max(-1, place - 1 - _BACK), -1):
            if (counts := self._told.get(one)) is None:
                counts = self._told[one] = self._counts(self.block.lines[self.bars[one]])
            if counts:
                return one
        return -1 if self.bar is not None and self._counts(self.bar) else place - 1

    def mark(self, index: int, rank: int | None) -> Mark:
        """The mark of a line of the block."""
        return Mark(self.block.number(index), self.block.lines[index], *self.before(index), None, rank)
