"""Several documents as one run: which value counts, what the trainer takes by default, what must agree."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from traindx.engine.facts import Fact, Origin, Scalar
from traindx.engine.redact import safe

from .dialect import Dialect
from .document import Document
from .occurrence import Occurrence
from .values import equal


class Read(NamedTuple):
    """A document, the dialects it speaks, and the settings found in it."""

    document: Document
    dialects: Sequence[Dialect]
    occurrences: Sequence[Occurrence]

    @property
    def trainer(self) -> Dialect | None:
        """The trainer that was recognised."""
        return next((one for one in self.dialects if not one.stored.get("always")), None)


def counting(reads: Iterable[Read]) -> list[Occurrence]:
    """All settings, those that count first: what scripts pass, then files in the order they were given."""
    found = [one for read in reads for one in read.occurrences if one.value is not None]
    return sorted(found, key=lambda one: (one.document.origin.rank, one.implied))


def in_force(reads: Iterable[Read]) -> dict[str, Scalar]:
    """Setting -> the value that counts."""
    found: dict[str, Scalar] = {}
    for one in counting(reads):
        if one.value is not None:
            found.setdefault(one.setting, one.value)
    return found


def setting_facts(reads: Sequence[Read]) -> Iterator[Fact]:
    """The facts `config.<setting>`, the most trusted first."""
    for one in counting(reads):
        if one.value is not None:
            place = one.document.place(one.entry.at)
            value = safe(one.value) if isinstance(one.value, str) else one.value
            yield Fact(f"config.{one.setting}", value, one.document.origin, (place,), one.way.note)


def default_facts(reads: Sequence[Read], least: float) -> Iterator[Fact]:
    """What the recognised trainers take where nothing is given.

    An excerpt does not say what is not set: a trainer whose documents hold fewer than `least` of its
    keys is passed over, and so is one that a script also hands settings which are not written down. What is given
    by a variable that nothing sets is no default either.
    """
    held: dict[str, int] = {}
    for read in reads:
        for one in read.occurrences:
            held[one.dialect.id] = held.get(one.dialect.id, 0) + 1
    open_ended = {
        call.removesuffix("**")
        for read in reads
        for call in read.document.reading.calls
        if call.endswith("**")
    }
    told = {one.setting for read in reads for one in read.occurrences if one.computed}
    for dialect in dict.fromkeys(read.trainer for read in reads if read.trainer is not None):
        if held.get(dialect.id, 0) < least or dialect.calls & open_ended:
            continue
        for setting, value in dialect.defaults():
            if setting not in told:
                told.add(setting)
                yield Fact(f"config.{setting}", value, Origin.DEFAULT, (), f"the default of {dialect.title}")


def disagreements(reads: Sequence[Read]) -> Iterator[tuple[str, Occurrence, Occurrence]]:
    """Settings that two files of one run give differently although their trainer wants them the same."""
    firsts: dict[str, Occurrence] = {}
    for one in counting(reads):
        first = firsts.setdefault(one.setting, one)
        apart = first.document is not one.document and first.dialect.id != one.dialect.id
        bound = one.setting in one.dialect.agrees or one.setting in first.dialect.agrees
        if apart and bound and not equal(first.value, one.value):
            yield one.setting, first, one


def environment(documents: Iterable[Document]) -> dict[str, tuple[Scalar, Document, int]]:
    """The environment variables that scripts set, the first of each name."""
    found: dict[str, tuple[Scalar, Document, int]] = {}
    for document in documents:
        for entry in document.reading.entries:
            if entry.kind == "environment" and isinstance(entry.value, str):
                found.setdefault(entry.key, (entry.value, document, entry.at))
    return found


def versions_of(facts: Iterable[Fact]) -> Mapping[str, str]:
    """Package -> version, from the facts about packages."""
    prefix = "env.package."
    return {fact.name.removeprefix(prefix): str(fact.value) for fact in facts if fact.name.startswith(prefix)}
