"""The edits that make a setting read as a value: over what stands there, or as a new key beside its sibling."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from traindx.engine.facts import Scalar

from . import flags
from .combine import Read
from .dialect import Dialect
from .document import Entry, Path
from .formats.edits import Edit
from .occurrence import Occurrence
from .replacing import Placed, Replacing, Unplaceable
from .siblings import Siblings, Spot
from .spell import NotSpelled, spelled
from .way import Way


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
    asked_for: Collection[str] = (),
) -> Placed:
    """The edits that make a setting read as a value.

    `old` is where it stands now, `order` all settings, related ones together. Of a value that sets
    several keys, switches that are missing and shall be off are left out unless `all_keys`. Where the trainer
    is not known, a key is added only if it is among those that a script is seen to ask for.
    Raises NotSpelled or Unplaceable with the reason.
    """
    placing = _Placing(read, dialect, way, Siblings(read, dialect, setting, order), asked_for)
    if idle := way.idle_by(placing.found, dialect.normal):
        raise Unplaceable(f"`{placing.key()}` does not count with `{idle.key}: {idle.value}`")
    if missing := way.lacking(placing.found, dialect.normal):
        raise Unplaceable(f"`{placing.key()}` counts only beside `{missing[0]}`, which is not there")
    held_now = old.entry if old else None
    wanted = spelled(way, value, held_now, placing.factor(), mixed=not dialect.loose)
    if not way.several:
        wanted = {placing.key(): raw for raw in wanted.values()}
    held = {key: entry for key in wanted if (entry := placing.held(key, old)) is not None}
    if dialect.filled_in and held and all(entry.value == dialect.filled_in for entry in held.values()):
        filled = next(iter(held.values()))
        raise Unplaceable(
            f"`{filled.key}: {filled.value}` is filled in by the trainer that is given the file: change its own argument"
        )
    needs_all = all_keys or len(wanted) == 1
    new = [key for key, raw in wanted.items() if key not in held and (raw is not False or needs_all)]
    asked = setting not in dialect.never_added and _is_asked_for(new, held, old, asked_for)
    if dialect.loose and new and not asked:
        raise Unplaceable("the trainer is not known, and so is no other name for it")
    if old is not None:
        placing.placed.at = old.entry.at
    if swap := flags.swapped(wanted, held):
        placing.swap(*swap)
        return placing.placed
    placing.write(wanted, held, new)
    return placing.placed


def _is_asked_for(
    new: Iterable[str], held: Mapping[str, Entry], old: Occurrence | None, asked_for: Collection[str]
) -> bool:
    """Whether a script reads all the new keys. Of two names for what stands under one already, either may count.

    A program ends at an option that it does not know, and at a key of its file, or passes over it in silence.
    """
    return (bool(held) or old is None) and all(key.split(".")[-1] in asked_for for key in new)


class _Placing(Replacing):
    """Edits also beside a sibling, where a key is not there yet."""

    def __init__(
        self, read: Read, dialect: Dialect, way: Way, siblings: Siblings, asked_for: Collection[str]
    ) -> None:
        super().__init__(read, dialect, way, asked_for)
        self.siblings = siblings

    def write(self, wanted: Mapping[str, Any], held: Mapping[str, Entry], new: Collection[str]) -> None:
        """Each key with its value: over what it holds, or beside what is there."""
        for key, raw in wanted.items():
            if key in held:
                self.replace(held[key], raw)
            elif key in new:
                self.insert(key, raw, next(iter(held.values()), None))

    def insert(self, key: str, raw: Any, near: Entry | None) -> None:
        if self.document.format == "python" and self.dialect.loose:
            raise Unplaceable("a new name in a script would be read by nothing")
        if self.way.index is not None:
            raise Unplaceable(f"`{key}` holds several values, and the others are not known")
        self.placed.inserted = True
        if self.dialect.id == "environment" and self.document.format == "shell":
            self.export(key, raw)
            return
        scope, path = self.scoped(key)
        if (empty := self.siblings.nothing(scope, path)) is not None:
            self.fill(empty, raw)
            return
        spot = self.siblings.empty_call(scope, path) or next(self.siblings.spots(scope, path, near), None)
        if spot is None:
            raise Unplaceable(f"there is no place for `{key}` in {self.document.name}")
        self.placed.edits += self.format.insert(
            self.text, spot.anchor, spot.keys, self.spelling(raw, spot.example)
        )
        self.placed.touched.add((scope or spot.example.scope, (*spot.outer, *spot.keys)))
        self.placed.at = self.placed.at or spot.anchor[0]

    def fill(self, spot: Spot, raw: Any) -> None:
        """A section in the place of nothing."""
        start, end = spot.anchor
        spelled = self.format.spell(raw, None, self.text, casts=self.dialect.casts_numbers)
        gap = " " if self.text.endswith(":", 0, start) else ""
        self.placed.edits.append(Edit(start, end, gap + self.format.section(spot.keys, spelled)))
        self.placed.touched.add((spot.example.scope, (*spot.outer, *spot.keys)))
        self.placed.at = self.placed.at or start

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

    def spelling(self, raw: Any, example: Entry) -> str:
        """The new value; nothing for a switch that takes none."""
        if self.document.format == "shell" and raw is True and example.kind != "variable":
            others = (entry.style == "flag" for entry in self.document.reading.entries)
            if self.dialect.bare_flags or self.dialect.loose or any(others):
                return ""
        return self.format.spell(raw, None, self.text, casts=self.dialect.casts_numbers)


__all__ = ["NotSpelled", "Placed", "Unplaceable", "place_change"]
