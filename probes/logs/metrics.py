"""The numbers of one log, line by line, into series."""

from __future__ import annotations

from collections.abc import Sequence

from .blocks import Block
from .names import Name
from .positions import Positions
from .ranks import Prefix
from .reader import Reading, Value
from .series import Mark, MarkOf, Store
from .template import Template, converted, learn

MAX_VALUES = 14
"""Numbers of one line that are kept; the parts of a loss can be dozens."""
_LESS = frozenset(("loss_part", "eval_loss_part"))

Key = tuple[Name, int | None]
Batch = list[tuple[int, float]]
"""Values of one series in a block, each with the index of its line."""


def kept(reading: Reading) -> list[Value]:
    """The numbers worth keeping, the parts of a loss last."""
    values = sorted(reading.values, key=lambda value: value.name.metric in _LESS)
    return values[:MAX_VALUES]


class Metrics:
    """Collects the numbers of a block, and hands them to the series when it ends."""

    def __init__(self, store: Store, positions: Positions) -> None:
        self.store = store
        self._positions = positions
        self._used: list[Template] = []
        self._careful: dict[Key, Batch] = {}

    def learn(self, line: bytes, values: Sequence[Value], prefix: Prefix) -> Template | None:
        """A template for lines like this one."""
        return learn(line, values, prefix.digits)

    def add(self, index: int, line: bytes, values: Sequence[Value], rank: int | None) -> None:
        """Take the numbers of a line that was read with care."""
        for value in values:
            number = converted([line[value.start : value.end]], value)[0]
            self._careful.setdefault((value.name, rank), []).append((index, number))

    def use(self, template: Template) -> None:
        """Note that a template reads its first line of this block."""
        self._used.append(template)

    def end_block(self, block: Block) -> None:
        """Hand what was read to the series, each in the order of the lines."""
        if not self._used and not self._careful:
            return
        batches = self._careful
        for template in self._used:
            _sort_in(template, batches)
            template.rows, template.at = [], []
        marks: dict[int, Mark] = {}
        for (name, rank), batch in batches.items():
            series = self.store.get(name, rank)
            if series is not None:
                batch.sort(key=_index)
                series.extend([value for _, value in batch], self._marker(block, batch, rank, marks))
        self._used, self._careful = [], {}

    def _marker(self, block: Block, batch: Batch, rank: int | None, marks: dict[int, Mark]) -> MarkOf:
        def mark(place: int) -> Mark:
            index = batch[place][0]
            found = marks.get(index)
            if found is None:
                bar, header = self._positions.before(block, index)
                found = marks[index] = Mark(block.number(index), block.lines[index], bar, header, None, rank)
            return found

        return mark


def _index(one: tuple[int, float]) -> int:
    return one[0]


def _sort_in(template: Template, batches: dict[Key, Batch]) -> None:
    columns = template.columns()
    ranks = [int(row[0][:9]) for row in template.rows] if template.ranked else None
    for value, numbers in zip(template.values, columns, strict=True):
        if ranks is None:
            batches.setdefault((value.name, None), []).extend(zip(template.at, numbers, strict=True))
            continue
        for rank, index, number in zip(ranks, template.at, numbers, strict=True):
            batches.setdefault((value.name, rank), []).append((index, number))
