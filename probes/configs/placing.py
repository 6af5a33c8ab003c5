"""The edits that make a setting read as a value: over what stands there, or as a new key beside its sibling."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from traindx.engine.facts import Scalar

from . import flags
from .canonical import in_script
from .combine import Read
from .dialect import Dialect, Way
from .document import Entry, Path
from .formats import format_module
from .formats.edits import Edit
from .occurrence import Occurrence
from .siblings import Siblings
from .spell import NotSpelled, spelled
from .unchanged import Key
from .values import to_number


class Unplaceable(ValueError):
    """A change that has no place in a document. The message says why."""


@dataclass(slots=True)
class Placed:
    """The edits of one change."""

    edits: list[Edit] = field(default_factory=list)
    touched: set[Key] = field(default_factory=set)
    at: int = 0
    """Where a person would look in the original."""
    inserted: bool = False
    removed: bool = False
    """A switch was taken out: what is not there is off."""


def place_change(
    read: Read,
    dialect: Dialect,
    way: Way,
    setting: str,
    value: Scalar,
    old: Occurrence | None,
    order: Sequence[str],
    *,
    all_keys: bool,
) -> Placed:
    """The edits that make a setting read as a value.

    `old` is where it stands now, `order` all settings, related ones together. Of a value that sets
    several keys, switches that are missing and shall be off are left out unless `all_keys`.
    Raises NotSpelled or Unplaceable with the reason.
    """
    placing = _Placing(read, dialect, way, Siblings(read, dialect, setting, order))
    wanted = spelled(way, value, old.entry if old else None, placing.factor())
    held = {key: entry for key in wanted if (entry := placing.held(key, old)) is not None}
    if dialect.loose and not held and (old is not None or setting in dialect.never_added):
        raise Unplaceable("the trainer is not known, and so is no other name for it")
    if old is not None:
        placing.placed.at = old.entry.at
    if swap := flags.swapped(wanted, held):
        placing.swap(*swap)
        return placing.placed
    for key, raw in wanted.items():
        if key in held:
            placing.replace(held[key], raw)
        elif raw is not False or all_keys or len(wanted) == 1:
            placing.insert(key, raw, next(iter(held.values()), None))
    return placing.placed


class _Placing:
    def __init__(self, read: Read, dialect: Dialect, way: Way, siblings: Siblings) -> None:
        self.dialect, self.way, self.siblings = dialect, way, siblings
        self.document, self.text = read.document, read.document.text
        self.format = format_module(read.document.format)
        self.found = dialect.found(self.document.reading.entries, in_script=in_script(self.document))
        self.placed = Placed()

    def factor(self) -> float:
        """The number of the key that is multiplied in."""
        entries = self.found.get(self.dialect.normal(self.way.times)) if self.way.times else None
        return float(to_number(entries[0].value) or 1.0) if entries else 1.0

    def held(self, key: str, old: Occurrence | None) -> Entry | None:
        """The entry that holds a key now."""
        if old is not None and not self.way.several and old.way is self.way and not old.implied:
            return old.entry
        entries = self.found.get(self.dialect.normal(key))
        return entries[0] if entries else None

    # -- over what stands there --------------------------------------------------------------

    def replace(self, entry: Entry, raw: Any) -> None:
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
        spelling = self.format.spell(raw, entry, self.text, casts=self.dialect.casts_numbers)
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

    # -- beside a sibling --------------------------------------------------------------------

    def insert(self, key: str, raw: Any, near: Entry | None) -> None:
        if self.document.format == "python" and self.dialect.loose:
            raise Unplaceable("a new name in a script would be read by nothing")
        self.placed.inserted = True
        if self.dialect.id == "environment" and self.document.format == "shell":
            self.export(key, raw)
            return
        scope, path = self.scoped(key)
        spot = self.siblings.empty_call(scope, path) or next(self.siblings.spots(scope, path, near), None)
        if spot is None:
            raise Unplaceable(f"there is no place for `{key}` in {self.document.name}")
        self.placed.edits += self.format.insert(
            self.text, spot.anchor, spot.keys, self.spelling(raw, spot.example)
        )
        self.placed.touched.add((scope or spot.example.scope, (*spot.outer, *spot.keys)))
        self.placed.at = self.placed.at or spot.anchor[0]

    def export(self, name: str, raw: Any) -> None:
        from .formats import shell_edit

        self.placed.edits.append(shell_edit.export(self.text, name, str(raw)))
        self.placed.touched.add(("", (name,)))

    def scoped(self, key: str) -> tuple[str, Path]:
        """The callable or program that a key names, and the path below it."""
        scope, _, rest = key.partition(".")
        called = (
            entry.scope == scope or entry.path[-2:] == (scope, "()")
            for entry in self.document.reading.entries
        )
        if rest and any(called):
            if rest.isdigit() or rest == "()":
                raise Unplaceable(f"`{key}` has no name to add it under")
            return scope, (rest,)
        if self.dialect.stored.get("always") and not self.dialect.loose:
            raise Unplaceable(f"there is no {scope} in {self.document.name}")
        return "", tuple(self.name(key).split("."))

    def name(self, key: str) -> str:
        """The key as this document spells keys."""
        if self.document.format != "shell":
            return key
        key = self.way.flag or key
        return key.replace("_", "-") if self.dialect.hyphens else key

    def spelling(self, raw: Any, example: Entry) -> str:
        """The new value; nothing for a switch that takes none."""
        if self.document.format == "shell" and raw is True and example.kind != "variable":
            others = (entry.style == "flag" for entry in self.document.reading.entries)
            if self.dialect.bare_flags or self.dialect.loose or any(others):
                return ""
        return self.format.spell(raw, None, self.text, casts=self.dialect.casts_numbers)


def _why_fixed(entry: Entry) -> str:
    if entry.style in ("computed", "name"):
        return "the value is computed when the script runs"
    if entry.style == "call" or entry.path[-1:] == ("()",):
        return "it follows from a call and is no value of its own"
    return "it is put together from several places, or stands elsewhere too"


__all__ = ["NotSpelled", "Placed", "Unplaceable", "place_change"]
