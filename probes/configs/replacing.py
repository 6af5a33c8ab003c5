"""The edits that change a setting where it stands: another value, a switch turned, a switch renamed."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any

from . import flags
from .canonical import in_script
from .combine import Read
from .dialect import Dialect
from .document import Entry
from .formats import format_module
from .formats.edits import Edit
from .occurrence import Occurrence
from .unchanged import Key
from .values import to_bool, to_number
from .way import Way

_QUOTES = ("'", '"')


class Unplaceable(ValueError):
    """A change that has no place in a document. The message says why."""


class Placed:
    """The edits of one change."""

    def __init__(self) -> None:
        self.edits: list[Edit] = []
        self.touched: set[Key] = set()
        self.at = 0
        """Where a person would look in the original."""
        self.inserted = False
        self.removed = False
        """A switch was taken out: what is not there is off."""


class Replacing:
    """Collects the edits of one way to write one setting in one document."""

    def __init__(self, read: Read, dialect: Dialect, way: Way, asked_for: Collection[str] = ()) -> None:
        self.dialect, self.way, self.asked_for = dialect, way, asked_for
        self.document, self.text = read.document, read.document.text
        self.format = format_module(read.document.format)
        self.found = dialect.found(self.document.reading.entries, in_script=in_script(self.document))
        self.placed = Placed()

    def factor(self) -> float:
        """The number of the key that is multiplied in, over that of the key that divides."""
        return self.number(self.way.times) / self.number(self.way.over)

    def number(self, key: str | None) -> float:
        """The number under a key; 1 where there is none."""
        entries = self.found.get(self.dialect.normal(key)) if key else None
        return float(to_number(entries[0].value) or 1.0) if entries else 1.0

    def key(self) -> str:
        """The key to write: one that stands there already, if only without a value, else one that a script asks for."""
        standing = (key for key in (*self.way.keys, *self.way.old) if self.dialect.normal(key) in self.found)
        if key := next(standing, ""):
            return key
        if self.dialect.loose and (key := next((one for one in self.way.keys if one in self.asked_for), "")):
            return key
        # What is `trainer.precision` in a file is a plain argument of `Trainer()`.
        is_call = self.document.format == "python" and self.dialect.calls & self.document.reading.calls
        plain = (key for key in self.way.keys if is_call and "." not in key)
        return next(plain, self.way.keys[0])

    def held(self, key: str, old: Occurrence | None) -> Entry | None:
        """The entry that holds a key now."""
        if old is not None and not self.way.several and old.way is self.way and not old.implied:
            return old.entry
        entries = self.found.get(self.dialect.normal(key))
        return entries[0] if entries else None

    def replace(self, entry: Entry, raw: Any) -> None:
        """Another value for a key that is there."""
        if flags.is_bare(entry, raw):
            self.flag(entry, raw)
            return
        for one in self.alike(entry):
            self.over(one, raw)

    def over(self, entry: Entry, raw: Any) -> None:
        """Replace a value, or the element of `512,512` that counts."""
        if entry.span is None:
            raise Unplaceable(_why_fixed(entry))
        start, end = entry.span
        before = self.text[start:end]
        spelling = self.format.spell(
            raw, _without_quotes(entry, raw), self.text, casts=self.dialect.casts_numbers
        )
        if isinstance(entry.value, str) and "," in before and (self.way.each or self.way.index is not None):
            spelling = self.elements(before, spelling.strip("'\""))
        self.touch(entry)
        if spelling != before:
            self.placed.edits.append(Edit(start, end, spelling))

    def elements(self, before: str, new: str) -> str:
        """A text that holds several values with one of them, or all, replaced."""
        parts = re.split(r"([^,()\[\]'\"\s]+)", before)
        for count, position in enumerate(range(1, len(parts), 2)):
            if self.way.each or count == self.way.index:
                parts[position] = new
        return "".join(parts)

    def alike(self, entry: Entry) -> list[Entry]:
        """All elements of a list that are set together."""
        if not self.way.each or not entry.path or entry.path[-1] != 0:
            return [entry]
        return [
            one
            for one in self.document.reading.entries
            if one.scope == entry.scope and one.path[:-1] == entry.path[:-1] and isinstance(one.path[-1], int)
        ]

    def touch(self, entry: Entry) -> None:
        """Note what changes: the entry, and others of the same key that are filled in from the same place."""
        self.placed.touched.add((entry.scope, entry.path))
        for entries in self.found.values():
            if any(one.span == entry.span and one.path == entry.path for one in entries):
                self.placed.touched |= {(one.scope, one.path) for one in entries if one.span == entry.span}

    def flag(self, entry: Entry, raw: Any) -> None:
        """Turn a switch without a value off: taken out, or with `False` where its trainer reads that."""
        self.touch(entry)
        here = flags.option(self.text, entry)
        if raw is True:
            return
        if here is None:
            raise Unplaceable(_why_fixed(entry))
        start, end = here[0]
        if raw is False and (self.dialect.bare_flags or self.dialect.loose):
            cut = self.format.remove(self.text, Entry(entry.path, True, start, (start, end), (start, end)))
            self.placed.edits += [cut] if cut else []
            self.placed.removed = True
        else:
            spelling = self.format.spell(raw, None, self.text, casts=True)
            self.placed.edits.append(Edit(end, end, f" {spelling}"))

    def swap(self, key: str, entry: Entry) -> None:
        """`--fp16` becomes `--bf16`."""
        name = self.name(key)
        edit = flags.renamed(self.text, entry, name)
        if edit is None:
            raise Unplaceable(_why_fixed(entry))
        self.placed.edits.append(edit)
        self.touch(entry)
        self.placed.touched.add((entry.scope, tuple(name.split("."))))

    def name(self, key: str) -> str:
        """The key as this document spells keys."""
        if self.document.format != "shell":
            return key
        key = self.way.flag or key
        return key.replace("_", "-") if self.dialect.hyphens else key


def _without_quotes(entry: Entry, raw: Any) -> Entry:
    """The entry that is written over; a number or a switch does not take the quotes of a word such as "auto"."""
    is_word = isinstance(entry.value, str) and to_number(entry.value) is None and to_bool(entry.value) is None
    return (
        entry._replace(style="") if is_word and entry.style in _QUOTES and not isinstance(raw, str) else entry
    )


def _why_fixed(entry: Entry) -> str:
    if entry.style in ("computed", "name"):
        return "the value is computed when the script runs"
    if entry.style == "call" or entry.path[-1:] == ("()",):
        return "it follows from a call and is no value of its own"
    return "it is put together from several places, or stands elsewhere too"
