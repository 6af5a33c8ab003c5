"""Which exception ended the run, and which process failed first? The others only followed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from traindx.engine.facts import Fact, Origin, Place

from .collected import Collected, shown
from .frames import Places
from .heard import Heard
from .hits import Hits
from .raised import Raised
from .signatures import Signatures
from .vocabulary import letters


class Failure(NamedTuple):
    """An exception, where it stands, and whether it only follows from another process's failure."""

    raised: Raised
    place: Place
    follows: bool
    survived: bool
    """The run went on after it."""
    overcome: bool = False
    """It stands before training, and training followed."""


def failures_of(
    heard: Heard, name: str, machines: Signatures, hits: Hits, trains_from: int = 0
) -> list[Failure]:
    """The exceptions of one log, told apart, in its order: a traceback of one rank may be read to its end after another's.

    `trains_from` is the line from which on the run trained.
    """
    found = []
    for raised in sorted(heard.raised, key=lambda one: one.number):
        place = Place(name, raised.number, rank=raised.rank, text=shown(raised.line))
        roles = _roles(raised, place, machines, hits)
        follows = "consequence" in roles and "failure" not in roles
        number = raised.number
        found.append(Failure(raised, place, follows, heard.went_on_after(raised), number < trains_from))
    return found


def _roles(raised: Raised, place: Place, machines: Signatures, hits: Hits) -> set[str]:
    """The roles of the signatures in an exception's whole text; those found only there are noted."""
    text = f"{raised.type}: {raised.message}"
    line = text.encode()
    roles = set()
    for rule in machines.candidates(line, machines.vocabulary.hits(letters(line))):
        match = machines.search(rule, text)
        if match is not None:
            roles.add(rule.role)
            if rule.id not in hits.found:
                hits.note(rule, match, place)
    return roles


def first_of(failures: Sequence[Failure]) -> Failure | None:
    """The exception that ended the run: of the process that failed first, and not one that followed.

    Times decide where all have them, else the order in the log.
    """
    usable = [one for one in failures if not (one.raised.ignored or one.raised.is_interrupt or one.overcome)]
    for chosen in (
        [one for one in usable if not one.follows and not one.survived],
        [one for one in usable if not one.survived],
        [one for one in usable if not one.follows][-1:],
        usable[-1:],
    ):
        if chosen:
            if all(one.raised.stamp for one in chosen):
                return min(chosen, key=lambda one: one.raised.stamp)
            return chosen[0]
    return None


def tell_failures(facts: Collected, failures: Sequence[Failure], places: Places) -> Failure | None:
    """All facts of the exception that ended the run."""
    first = first_of(failures)
    _tell_interrupt(facts, failures)
    if first is None:
        return None
    raised, place = first.raised, first.place
    facts.add("log.exception.type", raised.type, place)
    facts.add("log.exception.message", raised.message or raised.type, place)
    if raised.chain:
        facts.put(Fact("log.exception.chain", tuple(raised.chain), Origin.LOG, (place,) * len(raised.chain)))
    if raised.rank is not None:
        facts.add("log.first_failing_rank", raised.rank, place)
    if not raised.frames:
        return first
    short = tuple(frame.short for frame in raised.frames)
    facts.put(Fact("log.exception.frames", short, Origin.LOG, (place,) * len(short)))
    own = places.own(raised.frames)
    if own is not None:
        facts.add("log.exception.file", own.file, place)
        facts.add("log.exception.function", own.function or "<module>", place)
        if own.line is not None:
            facts.add("log.exception.line", own.line, place)
        if own.code:
            facts.add("log.exception.code", own.code, place)
    for name, value in places.facts(raised.frames).items():
        facts.add(name, value or (raised.in_worker and name == "log.exception.in_data_loader"), place)
    return first


def _tell_interrupt(facts: Collected, failures: Sequence[Failure]) -> None:
    """Where the run stood when a person stopped it."""
    stopped = [one for one in failures if one.raised.is_interrupt and one.raised.frames]
    if stopped:
        frames = tuple(frame.short for frame in stopped[0].raised.frames)
        facts.put(Fact("log.interrupt.frames", frames, Origin.LOG, (stopped[0].place,) * len(frames)))
