"""Records made when they are first asked for: of thousands, a run needs a few."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Generic, Protocol, TypeAlias, TypeVar, overload

Record = TypeVar("Record")
Section: TypeAlias = Mapping[str, Mapping[str, Any]]
"""The entries of some kinds, in their compiled form, by kind and id."""
Sections: TypeAlias = Callable[[str], Section]
"""Gives a compiled section by name."""


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


class HasSections(Protocol):
    """What compiled entries can be read from."""

    sections: Sections


class Entries(Generic[Record]):
    """An attribute that holds the records of one kind by id. Its section is read when it is first asked for."""

    def __init__(self, section: str, kind: str, make: Callable[[str, Any], Record]) -> None:
        self._section, self._kind, self._make = section, kind, make

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, holder: None, owner: type) -> Entries[Record]: ...
    @overload
    def __get__(self, holder: HasSections, owner: type) -> Mapping[str, Record]: ...
    def __get__(self, holder: HasSections | None, owner: type) -> Mapping[str, Record] | Entries[Record]:
        if holder is None:
            return self
        # Kept under the attribute's own name, which from then on is found before this.
        records = Lazily(holder.sections(self._section)[self._kind], self._make)
        vars(holder)[self._name] = records
        return records
