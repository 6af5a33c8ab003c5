"""Where is the run? Steps and epochs from the line itself, else from the bar or header before it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence

from .blocks import Block
from .guides import Guides
from .lines import Lines
from .marks import Mark
from .reading import Reading

MAX_SAMPLES = 256
_COMPARED = 16
"""Bars of a block that are read to see how they count."""


class Where:
    """How far the run was. The epoch is looked up when it is asked for."""

    __slots__ = ("_epoch", "step")

    def __init__(self, step: float | None = None, epoch: Callable[[], float | None] = lambda: None) -> None:
        self.step, self._epoch = step, epoch

    @property
    def epoch(self) -> float | None:
        """The epoch, where it is known."""
        return self._epoch()


class Positions:
    """The lines of a log that say how far it is: progress bars and step lines, and headers of epochs."""

    def __init__(self, lines: Lines) -> None:
        self._lines = lines
        self.guides = Guides(Block(b"", 1), [], [], None, None, self.is_of_training)
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
        self.last: Mark | None = None
        """The same with all that places it."""
        self._totals: set[int] = set()
        """How much the bars count that stand with a loss of training."""
        self._barless = False
        """Losses were printed long before any bar."""
        self._anew = self._on = False
        """The bars were seen to begin anew with an epoch, or to go on through it."""
        self._counted_before: tuple[float, tuple[int, int]] | None = None
        """The epoch and the pair of the last bar that was compared."""
        self._stride = 1

    def begin_block(self, block: Block, bars: list[int], headers: list[int]) -> None:
        """Note the lines of a block, by index, whose shape tells that they are bars or headers."""
        bar, header = self.before(len(self.guides.block.lines))
        self.guides = Guides(block, bars, headers, bar, header, self.is_of_training)

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
        # -1 and 0 say that the number of epochs decides.
        if (reading.total_steps or 0) > 0:
            self.total_steps = self.total_steps or reading.total_steps
        self.total_epochs = self.total_epochs or reading.total_epochs
        if reading.finished or (reading.epoch == 0 and reading.whole_epoch):
            self.zero_based = True

    def trained(self, mark: Mark, indices: Sequence[int]) -> None:
        """Take in that a loss of training stands here, the last of those at these indices: bars with it count steps.

        A bar that comes first after many losses, as that of an evaluation, counts none.
        """
        own, bars = self._reading(mark.line), self.guides.bars
        early = 0 if self.seen else bisect_left(indices, bars[0]) if bars else len(indices)
        self._barless = self._barless or early >= _COMPARED
        beside = own.step is None and not self._barless
        pair = own.pair or (self._reading(mark.bar).pair if beside else None)
        if pair is not None and len(self._totals) < MAX_SAMPLES:
            self._totals.add(pair[1])

    def goes_on(self, total: int) -> bool:
        """Whether a bar with this total counts the steps of the whole run, and not anew in each epoch."""
        return not self._anew and (self._on or total == self.total_steps)

    def is_of_training(self, line: bytes) -> bool:
        """Whether a bar counts steps of training, as far as the bars beside losses tell."""
        pair = self._lines.pair(line) if self._totals or self._barless else None
        return pair is None or pair[1] in self._totals

    def _compare(self) -> None:
        """See by some bars of the block, those around headers above all, whether they begin anew with each epoch."""
        bars, headers = self.guides.bars, self.guides.headers
        places = {*range(0, len(bars), len(bars) // _COMPARED + 1), len(bars) - 1}
        for header in (*headers[:_COMPARED], *headers[-_COMPARED:]):
            place = bisect_left(bars, header)
            places.update(one for one in (place - 1, place) if 0 <= one < len(bars))
        for place in sorted(places):
            line = self.guides.block.lines[bars[place]]
            pair = self._reading(line).pair
            if pair is None or not self.is_of_training(line):
                continue
            epoch = self._epoch(self.guides.mark(bars[place], None), whole=True)
            if epoch is None:
                continue
            before, self._counted_before = self._counted_before, (epoch, pair)
            if before is not None and before[0] < epoch and before[1][1] == pair[1]:
                self._anew = self._anew or pair[0] <= before[1][0]
                self._on = self._on or pair[0] > before[1][0]

    def end_block(self) -> None:
        """Keep some of the block's bars."""
        bars, block = self.guides.bars, self.guides.block
        if not bars:
            return
        self.last_number = block.number(bars[-1])
        self.last = self.guides.mark(bars[-1], None)
        if self._lines.whole_epochs and not self._anew:
            self._compare()
        place = -self.seen % self._stride
        while place < len(bars):
            index = bars[place]
            self.sample.append(
                Mark(block.number(index), block.lines[index], None, self.guides.header_before(index))
            )
            if len(self.sample) >= MAX_SAMPLES:
                self.sample = self.sample[::2]
                self._stride *= 2
            place += self._stride - (self.seen + place) % self._stride
        self.seen += len(bars)

    def where(self, mark: Mark) -> Where:
        """The step and the epoch at a mark."""
        if mark.step is not None or mark.epoch is not None:
            return Where(mark.step, lambda: mark.epoch)
        own = self._reading(mark.line)
        counts = own.pair is not None and self.is_of_training(mark.line)
        said = own if own.step is not None or counts else self._reading(mark.bar)
        step = said.step
        if (
            step is None
            and said.pair is not None
            and not (self._barless and said.pair[1] not in self._totals)
        ):
            step = self._counted(mark, *said.pair)
        return Where(step, lambda: self._epoch(mark))

    def _counted(self, mark: Mark, done: int, total: int) -> float:
        """The step, from a bar that begins anew with each epoch, where the epochs are counted."""
        epoch = None if self.goes_on(total) else self._epoch(mark, whole=True)
        if epoch is None:
            return float(done)
        from_zero = self.zero_based or "epochs-from-zero" in self._lines.formats.quirks
        return float(done + total * max(0, int(epoch) - (0 if from_zero else 1)))

    def _epoch(self, mark: Mark, *, whole: bool = False) -> float | None:
        """The epoch that the line says, else the bar or the header before it; `whole` that it is counted."""
        if not (self._lines.whole_epochs if whole else self._lines.epochs):
            return None
        readings = map(self._reading, (mark.line, mark.bar, mark.header))
        return next(
            (one.epoch for one in readings if one.epoch is not None and one.whole_epoch >= whole), None
        )

    def _reading(self, line: bytes | None) -> Reading:
        if not line:
            return Reading()
        found = self._read.get(line)
        if found is None:
            if len(self._read) > 4096:
                self._read.clear()
            found = self._read[line] = self._lines.placed(line, wanted=frozenset())
        return found


def _insert(ordered: list[int], index: int) -> None:
    place = bisect_left(ordered, index)
    if place == len(ordered) or ordered[place] != index:
        ordered.insert(place, index)
