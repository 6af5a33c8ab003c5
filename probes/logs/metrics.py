"""The numbers of one log, line by line, into series."""

from __future__ import annotations

from collections.abc import Sequence
from operator import itemgetter

from .guides import Guides
from .marks import Mark, Marker
from .names import Name
from .positions import Positions
from .ranks import Prefix
from .reading import Reading, Value
from .series import Series
from .store import Store
from .template import Template, converted, learn

MAX_VALUES = 14
"""Numbers of one line that are kept; the parts of a loss can be dozens."""
_LESS = frozenset(("loss_part", "eval_loss_part"))

Key = tuple[Name, int | None]
Batch = tuple[Sequence[int], Sequence[float]]
"""The indices of some lines of a block, and a value of each."""


def kept(reading: Reading) -> list[Value]:
    """The numbers worth keeping, the parts of a loss last."""
    values = sorted(reading.values, key=lambda value: value.name.metric in _LESS)
    return values[:MAX_VALUES]


class Metrics:
    """Collects the numbers of a block, and hands them to the series when it ends."""

    def __init__(self, store: Store, positions: Positions) -> None:
        self.store = store
        self._positions = positions
        self._batches: dict[Key, list[Batch]] = {}

    def learn(self, line: bytes, values: Sequence[Value], prefix: Prefix) -> Template | None:
        """A template for lines like this one."""
        return learn(line, values, prefix.digits)

    def add(self, index: int, line: bytes, values: Sequence[Value], rank: int | None) -> None:
        """Take the numbers of a line that was read with care."""
        for value in values:
            number = converted([line[value.start : value.end]], value)
            self._batches.setdefault((value.name, rank), []).append(([index], number))

    def take(self, template: Template, indices: Sequence[int], columns: Sequence[Sequence[bytes]]) -> None:
        """Take what a template has read in some lines."""
        texts = columns[1:] if template.ranked else columns
        ranks = [int(rank[:9]) for rank in columns[0]] if template.ranked else None
        for value, column in zip(template.values, texts, strict=True):
            numbers = converted(column, value)
            if ranks is None:
                self._batches.setdefault((value.name, None), []).append((indices, numbers))
                continue
            for rank in set(ranks):
                own = [place for place, one in enumerate(ranks) if one == rank]
                batch = [indices[place] for place in own], [numbers[place] for place in own]
                self._batches.setdefault((value.name, rank), []).append(batch)

    def end_block(self) -> None:
        """Hand what was read to the series, each in the order of the lines."""
        if not self._batches:
            return
        places = Places(self._positions.guides)
        # A trainer's own pattern and the general reader may both give one series its numbers.
        found: dict[Series, list[Batch]] = {}
        for (name, rank), batches in self._batches.items():
            series = self.store.get(name, rank)
            if series is not None:
                found[series] = found[series] + batches if series in found else batches
        for series, batches in found.items():
            indices, values = batches[0] if len(batches) == 1 else _merged(batches)
            marker = places.marker(indices, series.rank)
            series.extend(values, marker)
            if series.name.metric == "loss":
                self._positions.trained(marker.one(len(indices) - 1), indices)
        self._batches = {}


class Places:
    """The marks of the lines of one block. Numbers of one kind of line share them."""

    def __init__(self, guides: Guides) -> None:
        self._guides = guides
        self._markers: dict[tuple[int, int | None], InBlock] = {}
        """By the identity of the indices, which are held so that nothing else takes it."""

    def marker(self, indices: Sequence[int], rank: int | None) -> Marker:
        """Gives the marks of these lines."""
        key = id(indices), rank
        if key not in self._markers:
            self._markers[key] = InBlock(self._guides, indices, rank)
        return self._markers[key]


class InBlock:
    """Gives the marks of some lines of a block, each made once."""

    def __init__(self, guides: Guides, indices: Sequence[int], rank: int | None) -> None:
        self._guides, self._indices, self._rank = guides, indices, rank
        self._made: dict[int, Mark] = {}

    def one(self, place: int) -> Mark:
        """The mark of the k-th."""
        mark = self._made.get(place)
        if mark is None:
            mark = self._made[place] = self._guides.mark(self._indices[place], self._rank)
        return mark


def _merged(batches: Sequence[Batch]) -> Batch:
    pairs = [pair for indices, values in batches for pair in zip(indices, values, strict=True)]
    pairs.sort(key=itemgetter(0))
    return [index for index, _ in pairs], [value for _, value in pairs]
