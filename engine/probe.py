"""What the engine asks of a probe, and what a probe hands back.

The engine names facts; a probe that can give them runs. It reads, and never reasons.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple, Protocol

from .facts import Fact, Place, Scalar

EXCERPT = 1 << 16
"""Characters of each end of a text that are kept to tell what it reads like."""


class Event(NamedTuple):
    """Something that happened in the run, for the timeline."""

    what: str
    place: Place
    said: str = ""
    """The message itself, of an error that `what` puts in our words."""


class InputSeen(NamedTuple):
    """One input as it was read, for the report."""

    name: str
    kind: str
    """`log`, `config`, `code`, `records`, `events`, `state`, `live` or `other`."""
    size: int | None = None
    """Bytes, where there is a file."""
    note: str = ""
    """What could not be read of it, or how it was read."""
    bad: bool = False
    """True where nothing could be read of what the person named."""


class Findings:
    """What one run of a probe brought."""

    __slots__ = ("events", "excerpts", "facts", "inputs", "notes", "unknowable")

    def __init__(
        self,
        facts: Iterable[Fact] = (),
        unknowable: Mapping[str, str] = MappingProxyType({}),
        events: Iterable[Event] = (),
        inputs: Iterable[InputSeen] = (),
        notes: Iterable[str] = (),
        excerpts: Iterable[str] = (),
    ) -> None:
        self.facts, self.events, self.inputs = list(facts), list(events), list(inputs)
        self.unknowable = dict(unknowable)
        """Fact -> why this probe could not give it."""
        self.notes = list(notes)
        """What a person should know about how far this probe could see."""
        self.excerpts = list(excerpts)
        """Pieces of what was read, of bounded length, for telling which cause it reads like. They are never shown: of
        their words only those that the knowledge base uses as well."""


Progress = Callable[[str, int, int], None]
"""Called with what is being read, how far it is and how much there is, in bytes."""


class Probe(Protocol):
    """One kind of input, a declared list of facts, bounded in time and memory.

    A probe never raises into the engine: what it could not do is a reason in its findings.
    """

    @property
    def id(self) -> str:
        """A short name: `logs`, `configs`, `device`."""
        ...

    @property
    def gives(self) -> frozenset[str]:
        """The facts it can give with the inputs at hand: names, or `prefix.*` for all below."""
        ...

    @property
    def cost(self) -> float:
        """What running it will take, in seconds, roughly."""
        ...

    @property
    def asked_for(self) -> bool:
        """True where the person handed in its input: then it always runs."""
        ...

    def run(self) -> Findings:
        """Read, and hand back what was found."""
        ...


__all__ = ["Event", "Fact", "Findings", "InputSeen", "Place", "Probe", "Progress", "Scalar"]
