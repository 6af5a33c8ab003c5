"""What series say, as facts with places."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from traindx.engine.facts import Fact, Origin, Place, Value

from .marks import Mark
from .positions import Where

PlaceOf = Callable[[Mark], Place]
WhereOf = Callable[[Mark], Where]


class Told:
    """Facts in the making: the thresholds, and how a mark becomes a place."""

    def __init__(
        self,
        limits: Mapping[str, float],
        place: PlaceOf,
        where: WhereOf,
        quirks: frozenset[str] = frozenset(),
        *,
        counted: bool = False,
        announced: Sequence[int] = (),
        resumed: bool = False,
    ) -> None:
        self.limits, self.place, self.where, self.quirks = limits, place, where, quirks
        self.counted = counted
        """The steps are not printed but counted, a value a step."""
        self.announced, self.resumed = announced, resumed
        """The lines that announce a stage, and whether the run goes on from a checkpoint."""
        self.stages: Sequence[int] = ()
        """The lines at which a stage of the run begins."""
        self.facts: dict[str, Fact] = {}

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
