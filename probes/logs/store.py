"""All series of one input, and which of several stands for a metric."""

from __future__ import annotations

from collections.abc import Iterator

from .names import Name
from .series import Series

MAX_SERIES = 96
"""Series kept of one input; the parts of a loss can be many."""


class Store:
    """All series of one input."""

    def __init__(self) -> None:
        self._series: dict[tuple[str, str, int | None], Series] = {}
        self.full = False

    def get(self, name: Name, rank: int | None = None) -> Series | None:
        """The series of a name, new where it is the first time; None where there are too many."""
        key = (name.metric, name.printed, rank)
        series = self._series.get(key)
        if series is None:
            if len(self._series) >= MAX_SERIES:
                self.full = True
                return None
            series = self._series[key] = Series(name, rank)
        return series

    def __iter__(self) -> Iterator[Series]:
        return iter(self._series.values())

    def drop(self, series: Series) -> None:
        """Forget a series."""
        self._series = {key: one for key, one in self._series.items() if one is not series}

    def put(self, series: Series, name: Name) -> None:
        """Take in a series under a name that became known later."""
        series.name = name
        self._series[name.metric, name.printed, series.rank] = series

    def of(self, metric: str) -> list[Series]:
        """The series of a metric: of the lowest rank that prints it, the one to trust most first.

        A name printed once, such as the mean at the end, does not stand before one printed often.
        """
        found = [one for one in self._series.values() if one.name.metric == metric]
        ranks = {one.rank for one in found}
        lowest = None if None in ranks else min((rank for rank in ranks if rank is not None), default=None)
        found = [one for one in found if one.rank == lowest]
        most = max((one.count for one in found), default=0)
        return sorted(found, key=lambda one: (one.count * 2 < most, one.name.trust, -one.count))
