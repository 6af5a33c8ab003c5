"""One way to write a setting in a trainer's language."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Any

from .document import Entry
from .values import same


class Way:
    """One way to write a setting. The fields are those of the knowledge base.

    Hundreds are made at every start, so only what differs from the class's own values is stored.
    """

    key: str | Sequence[str] = ()
    flag: str | None = None
    old: Sequence[str] = ()
    values: Mapping[str, Any] = MappingProxyType({})
    implied: Mapping[str, Any] = MappingProxyType({})
    inverted: bool = False
    exponent: bool = False
    scale: float = 1.0
    reads: str | None = None
    times: str | None = None
    over: str | None = None
    ratio_below: float | None = None
    ratio_as: str | None = None
    index: int | None = None
    each: bool = False
    only_with: Mapping[str, Any] = MappingProxyType({})
    beside: Sequence[str] = ()
    unset: Sequence[Any] = ()
    default: Any = None
    note: str = ""

    def __init__(self, **stored: Any) -> None:
        self.__dict__.update(stored)

    @cached_property
    def keys(self) -> tuple[str, ...]:
        """Where it may stand, the preferred first."""
        return (self.key,) if isinstance(self.key, str) else tuple(self.key)

    @cached_property
    def several(self) -> bool:
        """Whether a value sets several keys together."""
        return any(isinstance(spelling, dict) for spelling in self.values.values())

    def idle_by(self, found: Mapping[str, Sequence[Entry]], normal: Callable[[str], str]) -> Entry | None:
        """The entry with which the trainer passes this way over; None where it counts. `found` holds entries by key."""
        for key, wanted in self.only_with.items():
            entries = found.get(normal(key))
            if entries and entries[0].value is not None and not same(wanted, entries[0].value):
                return entries[0]
        return None

    def lacking(self, found: Mapping[str, Sequence[Entry]], normal: Callable[[str], str]) -> Sequence[str]:
        """The keys that are missing and without which the trainer passes this way over."""
        return [key for key in self.beside if normal(key) not in found]

    def all_keys(self) -> Iterable[str]:
        """Every key that says something about it."""
        yield from self.keys
        yield from self.old
        yield from self.implied
        yield from self.only_with
        yield from self.beside
        if self.index is not None or self.each:
            yield from (f"{key}.{self.index or 0}" for key in (*self.keys, *self.old))
        if self.flag:
            yield self.flag
        if self.times:
            yield self.times
        if self.over:
            yield self.over
        for spelling in self.values.values():
            if isinstance(spelling, dict):
                yield from spelling
