"""What a probe of this machine collects: facts with their source, and reasons for what it cannot tell."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from traindx.engine.facts import Fact, Origin, Place, Value
from traindx.engine.probe import Findings

HERE = "this machine"
"""The name of the machine that diagnoses, as an input."""


@dataclass(slots=True)
class Observed:
    """Facts of this machine, in the making."""

    findings: Findings = field(default_factory=Findings)

    def tell(self, name: str, value: Value, source: str, note: str = "") -> None:
        """A fact, and where on the machine it was read."""
        self.tell_each(name, value, (source,), note)

    def tell_each(self, name: str, value: Value, sources: Iterable[str], note: str = "") -> None:
        """A fact of several texts, with the place of each."""
        places = tuple(Place(HERE, text=source) for source in sources)
        self.findings.facts.append(Fact(name, value, Origin.HERE, places, note))

    def cannot(self, names: str | Iterable[str], reason: str) -> None:
        """Why facts cannot be known. The first reason counts, and none where the fact is known."""
        known = {fact.name for fact in self.findings.facts}
        for name in (names,) if isinstance(names, str) else names:
            if name not in known:
                self.findings.unknowable.setdefault(name, reason)


def gib(size: float) -> float:
    """Bytes as GiB, to the mebibyte."""
    return round(size / 2**30, 3)
