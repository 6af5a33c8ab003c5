"""Where is the run? Steps and epochs from the line itself, else from the bar or header before it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import repeat
from typing import NamedTuple

from .blocks import Block
from .lines import Lines
from .reading import Reading
from .series import Mark

MAX_SAMPLES = 256


class Where(NamedTuple):
    """How far the run was."""

    step: float | None = None
    epoch: float | None = None


class Guides:
    """The lines of one block that say where the run is, and the last ones before it."""

    __slots__ = ("bar", "bars", "block", "header", "headers")

    def __init__(
        self, block: Block, bars: list[int], headers: list[int], bar: bytes | None, header: bytes | None
    ) -> None:
        self.block = block
        self.bars, self.headers = sorted(bars), sorted(headers)
        """By their index in the block."""
        self.bar, self.header = bar, header

    def before(self, index: int) -> tuple[bytes | None, bytes | None]:
        """The bar and the header that stand for a line of the block."""
        bar = bisect_left(self.bars, index) - 1
        header = bisect_left(self.headers, index) - 1
        if header >= 0:
            fresh = bar >= 0 and self.bars[bar] > self.headers[header]
            return (self.block.lines[self.bars[bar]] if fresh else None), self.block.lines[
                self.headers[header]
            ]
        return (self.block.lines[self.bars[bar]] if bar >= 0 else self.bar), self.header

    def mark(self, index: int, rank: int | None) -> Mark:
        """The mark of a line of the block."""
        return Mark(self.block.number(index), self.block.lines[index], *self.before(index), None, rank)

    def marks(self, indices: Sequence[int], rank: int | None) -> list[Mark]:
        """The marks of lines of the block."""
        if self.headers or len(indices) == 1:
            return [self.mark(index, rank) for index in indices]
        lines, numbers = map(self.block.lines.__getitem__, indices), self.block.numbers(indices)
        bars = [self.bar, *map(self.block.lines.__getitem__, self.bars)]
        own = (bars[bisect_left(self.bars, index)] for index in indices)
        rest = repeat(self.header), repeat(None), repeat(rank)
        return list(map(Mark._make, zip(numbers, lines, own, *rest, strict=False)))


class Positions:
    """The lines of a log that say how far it is: progress bars and step lines, and headers of epochs."""

    def __init__(self, lines: Lines) -> None:
        self._lines = lines
        self.guides = Guides(Block(b"", 1), [], [], None, None)
        """Those of the block that is being read."""
        self._read: dict[bytes, Reading] = {}
        self.zero_based = False
        """Some epoch is called 0."""
        self.total_steps: int | None = None
        self.total_epochs: int | None = None
        self.sample: list[Mark] = []
        """Bars at a stride that doubles, for the speed."""
        self.seen = 0
        """How many lines said the step."""
        self.last_number = 0
        """The last line that did."""
        self._stride = 1

    def begin_block(self, block: Block, bars: list[int], headers: list[int]) -> None:
        """Note the lines of a block, by index, whose shape tells that they are bars or headers."""
        bar, header = self.before(len(self.guides.block.lines))
        self.guides = Guides(block, bars, headers, bar, header)

    def before(self, index: int) -> tuple[bytes | None, bytes | None]:
        """The bar and the header that stand for a line of the block."""
        return self.guides.before(index)

    def bar(self, index: int) -> None:
        """Note that the line at this index of the block says the step."""
        _insert(self.guides.bars, index)

    def header(self, index: int) -> None:
        """Note that the line at this index says the epoch; the bar before it counts no more."""
        _insert(self.guides.headers, index)

    def learn(self, reading: Reading) -> None:
        """Take in the totals that a line says."""
        self.total_steps = self.total_steps or reading.total_steps
        self.total_epochs = self.total_epochs or reading.total_epochs
        if reading.epoch == 0 and reading.whole_epoch:
            self.zero_based = True

    def end_block(self) -> None:
        """Keep some of the block's bars."""
        bars, block = self.guides.bars, self.guides.block
        if not bars:
            return
        self.last_number = block.number(bars[-1])
        place = -self.seen % self._stride
        while place < len(bars):
            index = bars[place]
            self.sample.append(Mark(block.number(index), block.lines[index], None, self.before(index)[1]))
            if len(self.sample) >= MAX_SAMPLES:
                self.sample = self.sample[::2]
                self._stride *= 2
            place += self._stride - (self.seen + place) % self._stride
        self.seen += len(bars)

    def where(self, mark: Mark) -> Where:
        """The step and the epoch at a mark."""
        if mark.step is not None:
            return Where(mark.step, self._reading(mark.line).epoch if mark.line else None)
        own = self._reading(mark.line)
        bar = self._reading(mark.bar) if mark.bar else Reading()
        header = self._reading(mark.header) if mark.header else Reading()
        epoch = next((one.epoch for one in (own, bar, header) if one.epoch is not None), None)
        counted = next((one for one in (own, bar, header) if one.epoch is not None and one.whole_epoch), None)
        said = own if own.places and (own.step is not None or own.pair) else bar
        if said.step is not None:
            return Where(said.step, epoch)
        if said.pair is None:
            return Where(None, epoch)
        done, total = said.pair
        if counted is not None and counted.epoch is not None:
            done += total * max(0, int(counted.epoch) - (0 if self.zero_based else 1))
        return Where(float(done), epoch)

    def _reading(self, line: bytes) -> Reading:
        found = self._read.get(line)
        if found is None:
            if len(self._read) > 4096:
                self._read.clear()
            found = self._read[line] = self._lines.placed(line, values=False)
        return found


def _insert(ordered: list[int], index: int) -> None:
    place = bisect_left(ordered, index)
    if place == len(ordered) or ordered[place] != index:
        ordered.insert(place, index)
