"""Is everything but the wanted change as it was? Asked after every edit, of the text that was read again."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from typing import Any

from .combine import Read
from .dialect import Dialect
from .document import Document, Entry, Path, Span

Key = tuple[str, Path]
"""What an entry is called: its scope and path."""


def difference(
    before: Sequence[Read],
    after: Sequence[Read],
    document: Document,
    touched: Collection[Key],
    spans: Sequence[Span],
) -> str:
    """What else would change in a file; empty where nothing would.

    `touched` are the entries of `document` that are meant to change, `spans` the stretches of the
    file that are edited: what they are filled into, or lie inside, changes with them.
    """
    if len(before) != len(after):
        return "the file would read as something else"
    for old, new in zip(before, after, strict=True):
        if _broken(new) > _broken(old):
            return "the file would no longer parse"
        meant = set(touched) if old.document is document else set()
        around = {
            (entry.scope, entry.path)
            for entry in old.document.reading.entries
            if _goes_along(entry, old.document, spans, own=old.document is document)
        }
        if other := _other(old, new, meant | around):
            return other
    return ""


def misplaced(before: Read, after: Sequence[Read], dialect: Dialect) -> str:
    """The section in which a new key stands deeper, or less deep, than the keys of its trainer that were there; or nothing."""
    if dialect.loose or dialect.flat or before.document.format in ("shell", "python"):
        return ""
    was = {_key(entry) for entry in before.document.reading.entries}
    levels = {_level(entry, dialect) for entry in before.document.reading.entries} - {None}
    for read in after:
        for entry in read.document.reading.entries:
            if levels and _key(entry) not in was and _level(entry, dialect) not in {None, *levels}:
                return ".".join(map(str, entry.path[:-1]))
    return ""


def _key(entry: Entry) -> Key:
    return entry.scope, entry.path


def _level(entry: Entry, dialect: Dialect) -> int | None:
    """How many sections stand around what a dialect knows as a key; None for what it does not know."""
    matched = dialect.match(entry, in_script=False)
    return matched[1] if matched else None


def _broken(read: Read) -> int:
    return sum(one.kind in ("syntax", "duplicate") for one in read.document.reading.problems)


def _goes_along(entry: Entry, document: Document, spans: Sequence[Span], *, own: bool) -> bool:
    """Whether an entry holds what is edited: a variable that feeds an option, an option that holds JSON."""
    if entry.kind == "variable" and entry.span is None:
        # Put together from others; what it does to the options shows there.
        return True
    if entry.span is None or (own and entry.kind not in ("variable", "environment", "")):
        return False
    place = document.to_file(entry.span)
    return place is not None and any(place[0] <= start and end <= place[1] for start, end in spans)


def _other(old: Read, new: Read, meant: set[Key]) -> str:
    was, becomes = _values(old), _values(new)
    for key in sorted(was.keys() | becomes.keys(), key=str):
        if was[key] != becomes[key] and key not in meant and not _holds(key, meant):
            return f"{'.'.join(map(str, key[1]))} would change too"
    return ""


def _values(read: Read) -> dict[Key, Counter[str]]:
    """Every entry with all its values: one key may stand several times in a script."""
    values: dict[Key, Counter[str]] = defaultdict(Counter)
    for entry in read.document.reading.entries:
        values[entry.scope, entry.path][_shown(entry.value)] += 1
    return values


def _shown(value: Any) -> str:
    # 1, 1.0 and True are three different things to a trainer.
    return f"{type(value).__name__} {value!r}"


def _holds(key: Key, meant: set[Key]) -> bool:
    """An empty section is no longer one with its first key."""
    return any(
        scope == key[0] and len(path) > len(key[1]) and path[: len(key[1])] == key[1] for scope, path in meant
    )
