"""What series say, as facts with places."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from traindx.engine.facts import Fact, Origin, Place, Value

from .positions import Where
from .series import Mark

PlaceOf = Callable[[Mark], Place]
WhereOf = Callable[[Mark], Where]


@dataclass(slots=True)
class Told:
    """Facts in the making: the thresholds, and how a mark becomes a place."""

    limits: Mapping[str, float]
    place: PlaceOf
    where: WhereOf
    quirks: frozenset[str] = frozenset()
    counted: bool = False
    """The steps are not printed but counted, a value a step."""
    facts: dict[str, Fact] = field(default_factory=dict)

    def tell(self, name: str, value: Value | None, mark: Mark | None = None, note: str = "") -> None:
        """Say that a fact has a value; None says nothing."""
        if value is not None and name not in self.facts:
            places = (self.place(mark),) if mark is not None else ()
            self.facts[name] = Fact(name, value, Origin.LOG, places, note)

    def value(self, name: str) -> Value | None:
        """What was said of a fact so far."""
        fact = self.facts.get(name)
        return None if fact is None else fact.value

    def step(self, mark: Mark) -> int | None:
        """The step at a mark, as a whole number."""
        step = self.where(mark).step
        return None if step is None else int(step)
