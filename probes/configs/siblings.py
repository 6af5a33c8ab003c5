"""Where a new key goes in a document: beside its nearest sibling, in the section it belongs to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from .combine import Read
from .dialect import Dialect
from .document import Entry, Path, Span
from .values import to_number


class Spot(NamedTuple):
    """A place for a new key."""

    anchor: Span
    """What it goes behind."""
    outer: Path
    """The sections that are there already."""
    keys: Path
    """What is still to write: the key, and the sections that are missing."""
    example: Entry
    """The sibling, whose form it takes."""


class Siblings:
    """Finds places for new keys of one dialect in one document."""

    def __init__(self, read: Read, dialect: Dialect, setting: str, order: Sequence[str]) -> None:
        self.read, self.dialect, self.document = read, dialect, read.document
        self.setting, self.wanted = setting, order.index(setting)
        self.order = {name: index for index, name in enumerate(order)}

    def spots(self, scope: str, path: Path, near: Entry | None) -> Iterator[Spot]:
        """The places for a key, the best first. `near` is an entry that it belongs beside."""
        entries = [one for one in self.document.reading.entries if self.is_anchor(one, scope)]
        free = [one for one in entries if self.home(one) is not None]
        if near is not None and near.whole and scope in ("", near.scope):
            free = [near, *free]
        ranked = sorted(free, key=lambda one: (one is not near, not self.home(one), *self.distance(one)))
        if self.document.format == "shell":
            # Options do not nest: `--optimizer.lr` is one word. Those of one section stand together.
            alike = sorted(
                ranked, key=lambda one: (one is not near, one.path[:1] != path[:1] or len(path) == 1)
            )
            yield from (Spot(_span(one), (), path, one) for one in alike)
            return
        for kept in range(len(path) - 1, -1, -1):
            for one in ranked:
                outer = one.path[:-1]
                if outer[len(outer) - kept :] == path[:kept] if kept else len(outer) == self.depth(one):
                    spot = Spot(_span(one), outer, path[kept:], one)
                    if not self.is_second(spot):
                        yield spot
            yield from self.behind_inner(path, kept, free)
        if len(path) > 1 or not free or not self.dialect.loose:
            yield from self.behind_sections(path, entries)

    def empty_call(self, scope: str, path: Path) -> Spot | None:
        """Between the brackets of a call that has no argument yet."""
        for one in self.document.reading.entries:
            if scope and one.path[-2:] == (scope, "()") and one.span is not None:
                return Spot(one.span, (), path, one)
        return None

    def nothing(self, scope: str, path: Path) -> Spot | None:
        """Where nothing stands, or an empty section, in place of the section that the key belongs in."""
        for entry in self.document.reading.entries:
            if (
                entry.value not in (None, {})
                or entry.span is None
                or entry.scope != scope
                or entry.style == "computed"
            ):
                continue
            for kept in range(len(path) - 1, 0, -1):
                around = len(entry.path) - kept
                if entry.path[-kept:] == path[:kept] and (kept > 1 or around == self.level):
                    return Spot(entry.span, entry.path, path[kept:], entry)
        return None

    def is_second(self, spot: Spot) -> bool:
        """Whether a section would be written that is there already: of two, one would replace the other."""
        return len(spot.keys) > 1 and self.holds((*spot.outer, *spot.keys[:1]))

    def behind_inner(self, path: Path, kept: int, entries: Sequence[Entry]) -> Iterator[Spot]:
        """Behind a section within the one that the key belongs in, where that holds nothing but sections."""
        for section, span in self.document.reading.sections.items():
            outer = section[:-1]
            if not kept or outer != path[:kept] or (kept < len(path) - 1 and self.holds(path[: kept + 1])):
                continue
            inside = (one for one in entries if one.path[: len(section)] == section)
            if (example := next(inside, None)) is not None:
                yield Spot(span, outer, path[kept:], example)

    def holds(self, section: Path) -> bool:
        """Whether the document has a section of this name."""
        return any(key[: len(section)] == section for key in self.document.reading.sections)

    def behind_sections(self, path: Path, entries: Sequence[Entry]) -> Iterator[Spot]:
        """Behind the last section, where the document holds nothing else at the top."""
        tops = [span for key, span in self.document.reading.sections.items() if len(key) == 1]
        if tops and entries:
            yield Spot(tops[-1], (), path, entries[0])

    def is_anchor(self, entry: Entry, scope: str) -> bool:
        """Whether a new key can stand beside an entry."""
        if scope:
            return (
                entry.scope == scope and (entry.whole or entry.span) is not None and entry.kind != "default"
            )
        if entry.whole is None or entry.kind in ("default", "variable", "environment", "launch"):
            return False
        if self.document.format == "python" and not self.dialect.calls.isdisjoint(
            self.document.reading.calls
        ):
            return entry.scope in self.dialect.calls
        return self.document.format != "shell" or entry.kind == "option"

    def home(self, entry: Entry) -> bool | None:
        """Whether an entry stands in a section that the key belongs in by name; None where it does not belong."""
        parts = self.dialect.parts.intersection(map(str, entry.path[:-1]))
        ways = self.dialect.settings[self.setting]
        own = {key.split(".")[0] for way in ways for key in way.keys if "." in key}
        return None if parts - own else bool(parts)

    def depth(self, entry: Entry) -> int:
        """How many sections stand around the keys of this dialect in this document; none in a call."""
        if entry.kind == "argument":
            return 0
        if entry.scope or self.dialect.loose:
            return len(entry.path) - 1
        matched = self.dialect.match(entry, in_script=False)
        # What the dialect has no setting for tells nothing: `overlap_comm` may stand in a section of its own.
        return self.level if matched is None else len(entry.path) - matched[0].count(".") - 1

    @cached_property
    def level(self) -> int:
        """How many sections stand around the outermost keys of this dialect."""
        found = self.dialect.found(self.document.reading.entries, in_script=False)
        around = (len(one.path) - key.count(".") - 1 for key, entries in found.items() for one in entries)
        return min(around, default=0)

    def distance(self, entry: Entry) -> tuple[bool, bool, int]:
        """How far a setting is from another in the list of all settings; what is no setting is farthest.

        `type: AdamW` says which object a section makes: the numbers it takes may stand further down.
        """
        here = (one.setting for one in self.read.occurrences if one.entry.at == entry.at)
        places = [abs(self.order[one] - self.wanted) for one in here if one in self.order]
        foreign = not places or self.dialect.match(entry, in_script=False) is None
        names_object = self.dialect.loose and isinstance(entry.value, str) and to_number(entry.value) is None
        return foreign, names_object, min(places, default=0)


def _span(entry: Entry) -> Span:
    return entry.whole or entry.span or (0, 0)
