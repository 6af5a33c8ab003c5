"""The facts that a watched run gives. Of two of one name the first counts, and true stands against false."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from traindx.engine.facts import Fact, Origin, Place, Value
from traindx.engine.kb.knowledge import Knowledge

_MOST = 200
"""Texts kept of a fact that is a list."""


class Undeclared(ValueError):
    """A fact that the knowledge base does not declare, or a value that does not fit its type."""


class LiveFacts:
    """Facts by name, all of them measured in the run."""

    def __init__(self, knowledge: Knowledge) -> None:
        self._knowledge = knowledge
        self._facts: dict[str, Fact] = {}

    def __iter__(self) -> Iterator[Fact]:
        return iter(self._facts.values())

    def __contains__(self, name: object) -> bool:
        return name in self._facts

    def value(self, name: str) -> Value | None:
        """What is known of a fact so far."""
        fact = self._facts.get(name)
        return None if fact is None else fact.value

    def tell(self, name: str, value: Value | None, place: Place, note: str = "") -> None:
        """Say that a fact has a value, unless it is known; None says nothing."""
        if value is not None:
            self.take(Fact(name, value, Origin.LIVE, (place,), note))

    def take(self, fact: Fact) -> None:
        """Take a fact in, as one of the run, unless its name is known. A `true` replaces a `false`."""
        known = self._facts.get(fact.name)
        if known is None or (known.value is False and fact.value is True):
            self._facts[fact.name] = fact._replace(origin=Origin.LIVE)

    def take_all(self, facts: Iterable[Fact]) -> None:
        """Take several in."""
        for fact in facts:
            self.take(fact)

    def latest(self, name: str, value: object, place: Place, note: str = "") -> None:
        """Say that a fact has a value from now on, except that `true` is not taken back by `false`.

        Raises Undeclared for a name that is not declared and for a value of another type. A number
        that is NaN or infinite says nothing.
        """
        kind = self._knowledge.fact_type(name)
        if kind in ("int", "float") and value in ("nan", "inf", "-inf"):
            return
        fitting = _as_declared(value, kind)
        if kind is None or fitting is None:
            raise Undeclared(name)
        known = self._facts.get(name)
        if known is not None and known.value is True and fitting is False:
            return
        places = (place,) * (len(fitting) if isinstance(fitting, tuple) else 1)
        self._facts[name] = Fact(name, fitting, Origin.LIVE, places, note)


def _as_declared(value: object, kind: str | None) -> Value | None:
    """The value in the type that a fact is declared with; None where it does not fit."""
    if kind == "bool":
        return value if isinstance(value, bool) else None
    if kind in ("int", "float"):
        return _as_number(value, whole=kind == "int")
    if kind == "list":
        parts = value if isinstance(value, (list, tuple)) else [value]
        return tuple(str(part) for part in parts[:_MOST]) or None
    if isinstance(value, (list, tuple)):
        return ", ".join(str(part) for part in value[:_MOST]) or None
    return str(value) if isinstance(value, (str, int, float)) and not isinstance(value, bool) else None


def _as_number(value: object, *, whole: bool) -> int | float | None:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    if whole:
        return int(value) if float(value).is_integer() else None
    return value
