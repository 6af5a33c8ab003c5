"""What a probe of this machine collects: facts with their source, and reasons for what it cannot tell."""

from __future__ import annotations

from collections.abc import Iterable

from traindx.engine.facts import Fact, Origin, Place, Value
from traindx.engine.probe import Findings

HERE = "this machine"
"""The name of the machine that diagnoses, as an input."""


class Observed:
    """Facts of this machine, in the making."""

    def __init__(self) -> None:
        self.findings = Findings()

    def tell(self, name: str, value: Value, source: str, note: str = "") -> None:
        """A fact, and where on the machine it was read."""
        self.tell_each(name, value, (source,), note)

    def tell_each(self, name: str, value: Value, sources: Iterable[str], note: str = "") -> None:
        """A fact of several texts, with the place of each."""
        places = tuple(Place(HERE, text=source) for source in sources)
        self.findings.facts.append(Fact(name, value, Origin.HERE, places, note))

    def take(self, part: Observed) -> None:
        """Add what another look brought. Of two facts of one name the first counts."""
        for fact in part.findings.facts:
            if not self.knows(fact.name):
                self.findings.facts.append(fact)
                self.findings.unknowable.pop(fact.name, None)
        for name, reason in part.findings.unknowable.items():
            self.cannot(name, reason)

    def knows(self, name: str) -> bool:
        """Whether a fact has been told."""
        return any(fact.name == name for fact in self.findings.facts)

    def cannot(self, names: str | Iterable[str], reason: str) -> None:
        """Why facts cannot be known. The first reason counts, and none where the fact is known."""
        for name in (names,) if isinstance(names, str) else names:
            if not self.knows(name):
                self.findings.unknowable.setdefault(name, reason)


def gib(size: float) -> float:
    """Bytes as GiB, to the mebibyte."""
    return round(size / 2**30, 3)
