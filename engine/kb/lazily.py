"""Records made when they are first asked for: of thousands, a run needs a few."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Generic, TypeVar

Record = TypeVar("Record")


class Lazily(Mapping[str, Record], Generic[Record]):
    """Stored entries by id, each made into a record at its first use."""

    def __init__(self, stored: Mapping[str, Any], make: Callable[[str, Any], Record]) -> None:
        self._stored, self._make = stored, make
        self._made: dict[str, Record] = {}

    def __getitem__(self, name: str) -> Record:
        made = self._made.get(name)
        if made is None:
            made = self._made[name] = self._make(name, self._stored[name])
        return made

    def __contains__(self, name: object) -> bool:
        return name in self._stored

    def __iter__(self) -> Iterator[str]:
        return iter(self._stored)

    def __len__(self) -> int:
        return len(self._stored)
