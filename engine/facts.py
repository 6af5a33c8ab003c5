"""What is known: named, typed values, each with the place it was read from.

A fact is known, or unknown, or unknowable here (a probe that could have told could
not run, with its reason). Unknown is never false.
"""

from collections.abc import Callable, Iterable, Iterator, KeysView
from enum import StrEnum
from typing import NamedTuple, Self, TypeAlias

Scalar: TypeAlias = bool | int | float | str
Value: TypeAlias = Scalar | tuple[str, ...]
"""What a fact may hold. A tuple is a list of texts: key names, sentences, shapes."""


class Origin(StrEnum):
    """Where a fact comes from, the most trusted first.

    The order decides between two facts of one name: what a person answers beats what was
    measured in the run, that beats what the run printed, and that what its files ask for. Facts of
    the machine that diagnoses come after all of these, because it may not be the machine that trained.
    """

    ANSWER = "answer"
    LIVE = "live"
    LOG = "log"
    SCRIPT = "script"
    CONFIG = "config"
    CODE = "code"
    PROSE = "prose"
    DERIVED = "derived"
    DEFAULT = "default"
    HERE = "here"

    @property
    def rank(self) -> int:
        """Lower is trusted more."""
        return _RANK[self]


_RANK = {origin: place for place, origin in enumerate(Origin)}
_OF_A_RUN = frozenset({Origin.LIVE, Origin.LOG, Origin.SCRIPT, Origin.CONFIG, Origin.CODE, Origin.PROSE})


def in_digits(step: float) -> str:
    """A step, or another count, with all its digits."""
    return f"{step:.0f}" if float(step).is_integer() else f"{step:g}"


class Place(NamedTuple):
    """Where something stands in what the person gave us."""

    input: str
    """The name shown to the person: a path, `<stdin>`, `this machine`, `answer`."""
    line: int | None = None
    """Counted from 1."""
    column: int | None = None
    """Counted from 1, in characters."""
    step: int | float | None = None
    """The optimiser step the log was at."""
    rank: int | None = None
    """The process, where several wrote."""
    text: str = ""
    """The line itself, shortened."""
    epoch: int | float | None = None
    """The epoch the log was at, where it says no step."""

    def __str__(self) -> str:
        where = self.input
        if self.line is not None:
            where += f":{self.line}"
            if self.column is not None:
                where += f":{self.column}"
        extra = []
        if self.step is not None:
            extra.append(f"step {in_digits(self.step)}")
        elif self.epoch is not None:
            extra.append(f"epoch {in_digits(self.epoch)}")
        if self.rank is not None:
            extra.append(f"rank {self.rank}")
        return f"{where} ({', '.join(extra)})" if extra else where


class Fact(NamedTuple):
    """One thing known, and where it stands."""

    name: str
    """A dotted name declared in the knowledge base: `grad.norm.max`."""
    value: Value
    origin: Origin
    places: tuple[Place, ...] = ()
    """Where it was read. For a tuple of texts: one place for each text, in the same order."""
    note: str = ""
    """What a reader should know about it: `the default of transformers 4`."""

    @property
    def place(self) -> Place | None:
        """The first place, where there is one."""
        return self.places[0] if self.places else None


class Facts:
    """All facts of one diagnosis, each with the value that counts."""

    __slots__ = ("_best", "_unknowable", "known", "of_a_run")

    def __init__(self) -> None:
        self._best: dict[str, Fact] = {}
        self._unknowable: dict[str, str] = {}
        self.known: KeysView[str] = self._best.keys()
        """The names of those that are known, now and as more become so."""
        self.of_a_run = False
        """Whether something of a run was read: a log, a configuration, a script, a report."""

    def copy(self) -> Self:
        """The same facts, to which others can be added."""
        other = type(self)()
        other._best.update(self._best)
        other._unknowable.update(self._unknowable)
        other.of_a_run = self.of_a_run
        return other

    def add(self, fact: Fact) -> None:
        """Take a fact in. The more trusted origin counts; between equals, the first."""
        self.of_a_run = self.of_a_run or fact.origin in _OF_A_RUN
        best = self._best.get(fact.name)
        if best is None or fact.origin.rank < best.origin.rank:
            self._best[fact.name] = fact

    def extend(self, facts: Iterable[Fact]) -> None:
        """Take several facts in."""
        for fact in facts:
            self.add(fact)

    def cannot_know(self, name: str, reason: str) -> None:
        """Remember why a probe could not give a fact. The first reason counts."""
        self._unknowable.setdefault(name, reason)

    def get(self, name: str) -> Fact | None:
        """The fact that counts, or None where it is unknown."""
        return self._best.get(name)

    def value(self, name: str) -> Value | None:
        """The value that counts, or None where it is unknown."""
        fact = self._best.get(name)
        return None if fact is None else fact.value

    def elsewhere(self, name: str) -> bool:
        """Whether what is known of this tells about a machine on which the run may not have been."""
        fact = self._best.get(name)
        return fact is not None and fact.origin is Origin.HERE and self.of_a_run

    def not_false(self) -> Iterator[str]:
        """The names of those that are known to be something else than false."""
        return (name for name, fact in self._best.items() if fact.value is not False)

    def why_unknown(self, name: str) -> str | None:
        """Why a fact cannot be known here, where a probe said so."""
        return None if name in self._best else self._unknowable.get(name)

    def reasons(self, wanted: Callable[[str], bool]) -> list[str]:
        """Why those that are wanted cannot be known here, each reason once, in the order in which probes gave them."""
        unknown = (name for name in self._unknowable if name not in self._best and wanted(name))
        return list(dict.fromkeys(map(self._unknowable.__getitem__, unknown)))

    def __contains__(self, name: object) -> bool:
        return name in self._best

    def __iter__(self) -> Iterator[Fact]:
        """The facts that count, by name."""
        return iter(sorted(self._best.values(), key=lambda fact: fact.name))

    def __len__(self) -> int:
        return len(self._best)
