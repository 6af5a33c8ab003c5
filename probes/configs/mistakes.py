"""What is wrong with configurations as texts: syntax, types and ranges, keys that were renamed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from traindx.engine.facts import Place
from traindx.engine.redact import MASK, redact, safe

from .combine import Read
from .document import Document, Entry, Problem
from .packages import compare

Versions = Mapping[str, str]
"""Package -> installed version."""
_AROUND = 2
"""Lines shown either side of a mistake."""


class Mistake(NamedTuple):
    """Something wrong, in words, and where."""

    text: str
    place: Place


def syntax_errors(documents: Iterable[Document]) -> Iterator[Mistake]:
    """What does not parse, with the lines around it."""
    for document in documents:
        for problem in document.reading.problems:
            if problem.kind == "syntax":
                yield _syntax(document, problem)


def _syntax(document: Document, problem: Problem) -> Mistake:
    place = document.place(problem.at)
    lines = document.file.text.splitlines()
    here = (place.line or 1) - document.file.first_line + 1
    shown = [
        f"{'>>>' if number == here else '   '} {number}: {safe(lines[number - 1][:160])}"
        for number in range(max(1, here - _AROUND), min(len(lines), here + _AROUND) + 1)
    ]
    text = f"{place.input}:{place.line}:{place.column}: {problem.message}"
    return Mistake("\n".join([text, *shown]), place)


def duplicates(documents: Iterable[Document]) -> Iterator[Mistake]:
    """Keys that stand twice in one mapping: the first is silently lost."""
    yield from _of_kind(documents, "duplicate")


def loose_json(reads: Iterable[Read]) -> Iterator[Mistake]:
    """JSON that Python's own reader refuses, in files whose trainer uses it."""
    plain = (read.document for read in reads if not _reads_loosely(read))
    yield from _of_kind(plain, "loose")


def _reads_loosely(read: Read) -> bool:
    return any(one.stored.get("loose_json") for one in read.dialects) or not read.document.file.name.endswith(
        ".json"
    )


def _of_kind(documents: Iterable[Document], kind: str) -> Iterator[Mistake]:
    for document in documents:
        for problem in document.reading.problems:
            if problem.kind == kind:
                yield Mistake(problem.message, document.place(problem.at))


def type_errors(reads: Iterable[Read]) -> Iterator[Mistake]:
    """Settings of the wrong type or outside their range."""
    for read in reads:
        for one in read.occurrences:
            if one.wrong:
                yield Mistake(safe(f"{one.entry.key}: {one.wrong}"), one.document.place(one.entry.at))


def numbers_as_text(reads: Iterable[Read]) -> Iterator[Mistake]:
    """Numbers that stand as text, for trainers that do not turn text into numbers."""
    for read in reads:
        casting = _loaded_casting(read)
        for one in read.occurrences:
            if one.as_text and not one.dialect.casts_numbers and (one.entry.style or not casting):
                text = f"{one.entry.key}: {one.entry.value} is text{_why_text(one.entry, read.document)}"
                yield Mistake(safe(text), one.document.place(one.entry.at))


def _loaded_casting(read: Read) -> bool:
    """Whether the keys of a file tell that its loader takes a bare `1e-5` for a number."""
    telling = frozenset[str]().union(*(dialect.casts_with for dialect in read.dialects))
    return any(not telling.isdisjoint(map(str, entry.path)) for entry in read.document.reading.entries)


def _why_text(entry: Entry, document: Document) -> str:
    if document.format == "yaml" and not entry.style:
        return " in YAML 1.1, which wants a dot and a sign: 1.0e-5"
    return ", as it stands in quotes" if entry.style else ""


def renamed_keys(reads: Iterable[Read], versions: Versions) -> Iterator[tuple[Mistake, bool]]:
    """Keys that were renamed or removed; the switch says whether the installed version no longer reads them."""
    for read in reads:
        dialect = read.trainer
        if dialect is None:
            continue
        for entry in read.document.reading.entries:
            change = dialect.renamed.get(entry.key) or dialect.renamed.get(
                str(entry.path[-1]) if entry.path else ""
            )
            if change is None or (entry.kind == "argument" and entry.scope not in dialect.calls):
                continue
            since, installed = change.get("since", ""), versions.get(change["package"].replace("-", "_"))
            if since and installed and compare(installed, since) < 0:
                continue
            name = entry.path[-1]
            became = f"is now `{change['to']}`" if change.get("to") else "was removed"
            when = f" (since {change['package']} {since})" if since else ""
            lost = change.get("then", "ignored") != "still read" and bool(installed or not since)
            yield Mistake(f"`{name}` {became}{when}", read.document.place(entry.at)), lost


def secrets(documents: Iterable[Document]) -> Iterator[Mistake]:
    """Values that look like keys or passwords. They are named, and never shown."""
    for document in documents:
        for entry in document.reading.entries:
            if isinstance(entry.value, str) and MASK in redact(f"{entry.key}: {entry.value[:300]}"):
                yield Mistake(f"`{entry.key}` holds what looks like a secret", document.place(entry.at))
