"""Trainers' languages of settings: which one a document speaks, and which of its keys mean what."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from .document import Document, Entry
from .packages import compare

_SEPARATORS = re.compile(r"[-_ ]")
_WORDS = re.compile(r"[a-z]+")
SURE = 1.0
"""A marker that one dialect alone lists is enough to recognise it; one that two list counts half."""
SPOKEN_WITH = 3
"""Dialects taken for one document at most."""
_FIRST = ("option", "", "launch", "argument", "environment", "variable", "default")
"""Of two entries for one key, the one held by the earlier of these counts."""


@dataclass(frozen=True, slots=True)
class Way:
    """One way to write a setting. The fields are those of the knowledge base."""

    key: str | Sequence[str]
    flag: str | None = None
    old: Sequence[str] = ()
    values: Mapping[str, Any] = field(default_factory=dict)
    implied: Mapping[str, Any] = field(default_factory=dict)
    inverted: bool = False
    exponent: bool = False
    scale: float = 1.0
    reads: str | None = None
    times: str | None = None
    ratio_below: float | None = None
    ratio_as: str | None = None
    index: int | None = None
    each: bool = False
    unset: Sequence[Any] = ()
    default: Any = None
    note: str = ""

    @property
    def keys(self) -> tuple[str, ...]:
        """Where it may stand, the preferred first."""
        return (self.key,) if isinstance(self.key, str) else tuple(self.key)

    @property
    def several(self) -> bool:
        """Whether a value sets several keys together."""
        return any(isinstance(spelling, dict) for spelling in self.values.values())

    def all_keys(self) -> Iterable[str]:
        """Every key that says something about it."""
        yield from self.keys
        yield from self.old
        yield from self.implied
        if self.flag:
            yield self.flag
        if self.times:
            yield self.times
        for spelling in self.values.values():
            if isinstance(spelling, dict):
                yield from spelling


class Dialect:
    """One trainer's language, its base's keys included."""

    def __init__(self, identity: str, stored: Mapping[str, Any], base: Dialect | None = None) -> None:
        self.id, self.stored, self.base = identity, stored, base
        self.title: str = stored["title"]
        self.package: str = stored.get("package", "")
        self.loose: bool = stored.get("loose", False)
        self.flat: bool = stored.get("flat", False)
        self.casts_numbers: bool = stored.get("casts_numbers", False)
        self.bare_flags: bool = stored.get("bare_flags", False)
        self.hyphens: bool = stored.get("style") == "hyphen"
        self.calls: frozenset[str] = self._together("calls")
        self.known: frozenset[str] = self._together("known")
        self.includes: frozenset[str] = self._together("includes")
        self.agrees: frozenset[str] = self._together("agrees")
        self.not_under: frozenset[str] = self._together("not_under")

    def _together(self, name: str) -> frozenset[str]:
        inherited: frozenset[str] = getattr(self.base, name) if self.base else frozenset()
        return inherited | frozenset(self.stored.get(name, ()))

    @cached_property
    def settings(self) -> Mapping[str, tuple[Way, ...]]:
        """Canonical setting -> the ways to write it, the first preferred."""
        inherited = dict(self.base.settings) if self.base else {}
        own = {name: tuple(Way(**way) for way in ways) for name, ways in self.stored.get("settings", {}).items()}
        return inherited | own

    @cached_property
    def renamed(self) -> Mapping[str, Mapping[str, Any]]:
        """Former key -> what became of it."""
        inherited = dict(self.base.renamed) if self.base else {}
        return inherited | self.stored.get("renamed", {})

    @cached_property
    def keys(self) -> frozenset[str]:
        """Every key that means a setting, in the form in which keys are compared."""
        return frozenset(self.normal(key) for ways in self.settings.values() for way in ways for key in way.all_keys())

    def normal(self, key: str) -> str:
        """The form in which keys are compared: `max-steps` is `max_steps`; where loose, `maxSteps` too."""
        return _SEPARATORS.sub("", key).lower() if self.loose else key.replace("-", "_")

    def match(self, entry: Entry) -> tuple[str, int] | None:
        """The key of this dialect that an entry is, and how many outer names were dropped to find it."""
        if not entry.path or self._elsewhere(entry):
            return None
        if entry.scope and (full := self.normal(f"{entry.scope}.{entry.key}")) in self.keys:
            return full, 0
        if entry.kind == "argument" and not (self.loose or entry.scope in self.calls or entry.path[-1] == "()"):
            return None
        names = [self.normal(str(part)) for part in entry.path]
        for dropped in range(len(names)):
            name = ".".join(names[dropped:])
            if name in self.keys:
                return name, 0 if self.flat else dropped
        return None

    def _elsewhere(self, entry: Entry) -> bool:
        """Whether it stands in a section about something other than training."""
        if not self.not_under:
            return False
        around = [entry.scope, *map(str, entry.path[:-1])]
        return any(word in self.not_under for part in around for word in _WORDS.findall(part.lower()))

    def found(self, entries: Iterable[Entry]) -> dict[str, list[Entry]]:
        """Key -> the entries for it, the one that counts first."""
        ranked: dict[str, list[tuple[int, int, int, Entry]]] = {}
        for order, entry in enumerate(entries):
            if matched := self.match(entry):
                key, dropped = matched
                ranked.setdefault(key, []).append((_FIRST.index(entry.kind), dropped, order, entry))
        return {key: [one[3] for one in sorted(all_, key=lambda one: one[:3])] for key, all_ in ranked.items()}

    def defaults(self) -> Iterable[tuple[str, Any]]:
        """What the trainer takes where nothing is given."""
        for setting, ways in self.settings.items():
            for way in ways:
                if way.default is not None:
                    yield setting, way.default


class Dialects:
    """All dialects of the knowledge base, built when they are first needed."""

    def __init__(self, stored: Mapping[str, Any]) -> None:
        self.stored = stored
        self._built: dict[str, Dialect] = {}

    def __getitem__(self, identity: str) -> Dialect:
        if identity not in self._built:
            stored = self.stored[identity]
            base = self[stored["base"]] if "base" in stored else None
            self._built[identity] = Dialect(identity, stored, base)
        return self._built[identity]

    @cached_property
    def _markers(self) -> Mapping[str, list[str]]:
        """Marker -> the dialects that list it."""
        index: dict[str, list[str]] = {}
        for identity, one in self.stored.items():
            for marker in one.get("markers", ()):
                index.setdefault(marker, []).append(identity)
        return index

    def spoken(self, document: Document, versions: Mapping[str, str]) -> list[Dialect]:
        """The dialects of a document: the trainers recognised, those that are always read, then the plain one."""
        names = names_in(document)
        kinds = {document.format} if document.format != "printed" else {"yaml", "python", "shell"}
        taken = [self._newer(one, versions) for one in self._recognised(names, kinds)]
        always = [one for one, stored in self.stored.items() if stored.get("always") and kinds & {*stored["formats"]}]
        return [self[one] for one in dict.fromkeys([*taken, *sorted(always, key=lambda one: one == "plain")])]

    def _recognised(self, names: set[str], kinds: set[str]) -> list[str]:
        scores: Counter[str] = Counter()
        seen: dict[str, set[str]] = {}
        for marker in self._markers.keys() & names:
            for one in self._markers[marker]:
                scores[one] += 1 / len(self._markers[marker])  # type: ignore[assignment]
                seen.setdefault(one, set()).add(marker)
        fitting = [one for one in scores if kinds & {*self.stored[one]["formats"]} and self._allowed(one, names)]
        total = {one: scores[one] + sum(scores[base] for base in self._bases(one)) for one in fitting}
        taken: list[str] = []
        told: set[str] = set()
        for one in sorted(fitting, key=lambda one: (-total[one], one)):
            if total[one] < SURE or any(one in self._bases(other) for other in taken):
                continue
            if (not taken or seen[one] - told) and len(taken) < SPOKEN_WITH:
                taken.append(one)
                told.update(*(seen.get(each, set()) for each in (one, *self._bases(one))))
        return taken

    def _allowed(self, identity: str, names: set[str]) -> bool:
        stored = self.stored[identity]
        needs = stored.get("needs")
        return (not needs or any(key in names for key in needs)) and names.isdisjoint(stored.get("excludes", ()))

    def _bases(self, identity: str) -> list[str]:
        bases = []
        while "base" in self.stored[identity]:
            identity = self.stored[identity]["base"]
            bases.append(identity)
        return bases

    def _newer(self, identity: str, versions: Mapping[str, str]) -> str:
        """The dialect of the installed version, where another one builds on this for it."""
        package = self.stored[identity].get("package", "")
        installed = versions.get(package)
        for other, stored in self.stored.items():
            newer = stored.get("base") == identity and stored.get("package") == package and "since" in stored
            if newer and installed and compare(installed, stored["since"]) >= 0:
                return other
        return identity


def names_in(document: Document) -> set[str]:
    """Every key of a document, with and without the sections around it, and `name()` for what it calls."""
    names = {f"{call}()" for call in document.reading.calls}
    for entry in document.reading.entries:
        parts = [str(part).replace("-", "_") for part in entry.path]
        names.update(parts)
        for end in range(2, len(parts) + 1):
            names.add(".".join(parts[:end]))
    return names
