"""A run whose logs go on one where the other ended, told as one curve: it begins in the first and ends in the last."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence

from traindx.engine.facts import Place

from .hits import Hits
from .log import Log
from .marks import Mark
from .positions import Where
from .store import Store
from .told import Told

_OF_A_PROCESS = frozenset(("memory_gib", "host_memory_gib"))
"""What begins anew with each process, and is no curve of the run."""


class Joined(Log):
    """The logs of one run in their order, as one log.

    The last keeps the numbers of its lines. Those of the others are counted backwards from its beginning, below zero, so
    that what was printed earlier has the smaller number, and each number still says where it was printed.
    """

    def __init__(self, logs: Sequence[Log]) -> None:
        last = logs[-1]
        super().__init__(last.name, Store(), last.positions, last.lines, last.heard, is_text=last.is_text)
        self._logs, self._starts = logs, _starts(logs)
        parts = [(one, start) for log, start in zip(logs, self._starts, strict=True) for one in log.store]
        for one, start in parts:
            alike = [other for other, _ in parts if (other.name, other.rank) == (one.name, one.rank)]
            if one.name.metric in _OF_A_PROCESS and one is not max(alike, key=lambda other: other.count):
                continue
            series = self.store.get(one.name, one.rank)
            if series is not None:
                series.follow(one, start)

    def told(self, limits: Mapping[str, float], hits: Hits) -> Told:
        """A teller whose places are in the logs that were joined."""
        announced = [
            number + start
            for log, start in zip(self._logs, self._starts, strict=True)
            for number in hits.lines_of("stage-announced", log.name)
        ]
        quirks = self.lines.formats.quirks
        return Told(limits, self.place, self._where, quirks, announced=announced, resumed=True)

    def place(self, mark: Mark) -> Place:
        """A mark as a report shows it, in the log where it stands."""
        log, own = self._own(mark)
        return log.place(own)

    def _where(self, mark: Mark) -> Where:
        log, own = self._own(mark)
        return log.where(own)

    def _own(self, mark: Mark) -> tuple[Log, Mark]:
        """The log in which a mark stands, and the mark with the number of its line there."""
        index = max(0, bisect_right(self._starts, mark.number) - 1)
        return self._logs[index], mark._replace(number=mark.number - self._starts[index])


def _starts(logs: Sequence[Log]) -> list[int]:
    """What is added to the numbers of the lines of each log: nothing for the last."""
    starts = [0]
    for log in reversed(logs[:-1]):
        starts.append(
            starts[-1] - 1 - max((one.marks[-1].number for one in log.store if one.marks), default=0)
        )
    return starts[::-1]
