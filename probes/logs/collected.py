"""The facts found so far: the first value of a name counts, texts become what the fact is declared to be."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from traindx.engine.facts import Fact, Origin, Place, Value
from traindx.engine.kb.knowledge import Knowledge
from traindx.engine.redact import excerpt
from traindx.engine.regex import regex

from .quantities import measured

SHOWN = 300
"""Characters of a line that a place shows."""
_VERSION = regex(r"\d+(?:\.\d+)*(?:\.?(?:dev|a|b|rc|post)\d+)?(?:\+[\w.]+)?")
_QUOTED = regex(r"""['"`]([^'"`]{1,200})['"`]""")
_TRUE = frozenset(("true", "yes", "on", "1", "enabled"))
_FALSE = frozenset(("false", "no", "off", "0", "disabled", "none"))


def shown(line: bytes | str) -> str:
    """A line as a report shows it: decoded, without control characters and secrets, shortened."""
    text = line.decode("utf-8", "replace") if isinstance(line, bytes) else line
    text = "".join(char if char.isprintable() else " " for char in text.strip()[: SHOWN * 8])
    return excerpt(text, SHOWN)


class Collected:
    """Facts by name."""

    def __init__(self, knowledge: Knowledge) -> None:
        self._knowledge = knowledge
        self._facts: dict[str, Fact] = {}

    def __contains__(self, name: object) -> bool:
        return name in self._facts

    def __iter__(self) -> Iterator[Fact]:
        return iter(self._facts.values())

    def get(self, name: str) -> Fact | None:
        """The fact of a name, where there is one."""
        return self._facts.get(name)

    def add(self, name: str, value: Value, place: Place, origin: Origin = Origin.LOG, note: str = "") -> None:
        """Take in a fact that stands at one place, as `take` does."""
        self.take(Fact(name, value, origin, (place,), note))

    def take(self, fact: Fact) -> None:
        """Take a fact in, unless one of its name is there already from as good an origin.

        Of two that say the same of one log, that of the earlier line counts.
        """
        before = self._facts.get(fact.name)
        if before is None or fact.origin.rank < before.origin.rank or _sooner(fact, before):
            self._facts[fact.name] = fact

    def deny(self, names: Iterable[str], place: Place) -> None:
        """Take in that many facts are false, as `add` does one by one."""
        places, facts = (place,), self._facts
        for name in names:
            fact = Fact(name, False, Origin.LOG, places)
            if name in facts:
                self.take(fact)
            else:
                facts[name] = fact

    def drop(self, name: str) -> None:
        """Forget a fact, to be told anew."""
        self._facts.pop(name, None)

    def put(self, fact: Fact) -> None:
        """Take a fact in as it is, in place of one of its name."""
        self._facts[fact.name] = fact

    def captured(self, name: str, text: str, place: Place, origin: Origin) -> None:
        """Take in a text that was cut out of a line, as the type and unit that its fact is declared with."""
        value = self._as_declared(name, text.strip())
        if value is not None:
            self.add(name, value, place, origin)

    def _as_declared(self, name: str, text: str) -> Value | None:
        fact = self._knowledge.facts.get(name)
        kind = self._knowledge.fact_type(name)
        unit = fact.unit if fact else ""
        if kind in ("int", "float"):
            return _number(text, unit, whole=kind == "int")
        if kind == "bool":
            low = text.lower()
            return True if low in _TRUE else False if low in _FALSE else None
        if kind == "version":
            found = _VERSION.search(text)
            return found[0] if found else None
        if kind == "list":
            return _list(text)
        allowed = fact.values if fact else ()
        return (
            text or None
            if not allowed
            else next((one for one in allowed if one.lower() == text.lower()), None)
        )


def _sooner(fact: Fact, before: Fact) -> bool:
    here, there = fact.place, before.place
    if (
        here is None
        or there is None
        or (fact.value, fact.origin, here.input) != (before.value, before.origin, there.input)
    ):
        return False
    return here.line is not None and there.line is not None and here.line < there.line


def _number(text: str, unit: str, *, whole: bool) -> int | float | None:
    if text.lower().startswith("0x"):
        return int(text, 16) if re.fullmatch(r"0x[0-9a-fA-F]{1,16}", text) else None
    value = measured(text, unit)
    if value is None or not whole:
        return value
    return int(value) if abs(value) < 1e18 else None


def _list(text: str) -> tuple[str, ...] | None:
    """The quoted texts, or the parts between commas."""
    parts = _QUOTED.findall(text) or [part.strip(" []()\n") for part in text.split(",")]
    return tuple(part for part in parts if part)[:200] or None
