"""One trainer's language of settings: which of its keys mean what, and how values are spelled."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

from traindx.engine.regex import regex

from .document import Entry
from .way import Way

_SEPARATORS = regex(r"[-_ ]")
_WORDS = regex(r"[a-z]+")
_FIRST = ("option", "", "launch", "argument", "environment", "variable", "default")
"""Of two entries for one key, the one held by the earlier of these counts."""


class Dialect:
    """One trainer's language, its base's keys included."""

    def __init__(self, identity: str, stored: Mapping[str, Any], base: Dialect | None = None) -> None:
        self.id, self.stored, self.base = identity, stored, base
        self.title: str = stored["title"]
        self.package: str = stored.get("package", "")
        self.loose: bool = stored.get("loose", False)
        self.flat: bool = stored.get("flat", False)
        self.casts_numbers: bool = stored.get("casts_numbers", False)
        self.casts_with: frozenset[str] = self._together("casts_with")
        self.filled_in: str = stored.get("filled_in", "")
        self.bare_flags: bool = stored.get("bare_flags", False)
        self.style: str = stored.get("style", "underscore")
        self.hyphens: bool = self.style == "hyphen"
        self.calls: frozenset[str] = self._together("calls")
        self.known: frozenset[str] = self._together("known")
        self.includes: frozenset[str] = self._together("includes")
        self.agrees: frozenset[str] = self._together("agrees")
        self.not_under: frozenset[str] = self._together("not_under")
        self.parts: frozenset[str] = self._together("parts")
        self.never_added: frozenset[str] = self._together("never_added")
        self.added_beside: frozenset[str] = self._together("added_beside")
        self.follows: Mapping[str, str] = {
            **(base.follows if base else {}),
            **stored.get("follows", {}),
        }
        self.everyday = frozenset(map(self.normal, stored.get("everyday", ())))

    def _together(self, name: str) -> frozenset[str]:
        inherited: frozenset[str] = getattr(self.base, name) if self.base else frozenset()
        return inherited | frozenset(self.stored.get(name, ()))

    @cached_property
    def settings(self) -> Mapping[str, tuple[Way, ...]]:
        """Canonical setting -> the ways to write it, the first preferred."""
        inherited = dict(self.base.settings) if self.base else {}
        own = {
            name: tuple(Way(**way) for way in ways) for name, ways in self.stored.get("settings", {}).items()
        }
        return {name: ways for name, ways in (inherited | own).items() if name not in self.follows}

    @cached_property
    def renamed(self) -> Mapping[str, Mapping[str, Any]]:
        """Former key -> what became of it."""
        inherited = dict(self.base.renamed) if self.base else {}
        own = {
            key: {**change, "package": self.package} for key, change in self.stored.get("renamed", {}).items()
        }
        return inherited | own

    @cached_property
    def keys(self) -> Mapping[str, Sequence[str]]:
        """Every key that means a setting, in the form in which keys are compared -> the settings it means."""
        index: dict[str, list[str]] = {}
        for setting, ways in self.settings.items():
            for key in {self.normal(key) for way in ways for key in way.all_keys()}:
                index.setdefault(key, []).append(setting)
        return index

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        """Every word that is a key of it, or a section around one."""
        keys = (*self.keys, *(self.normal(one) for one in (*self.known, *self.renamed)))
        return frozenset(part for key in keys for part in key.split(".") if part.isidentifier())

    @cached_property
    def sections(self) -> frozenset[str]:
        """The outermost sections that its keys name."""
        keys = (key for ways in self.settings.values() for way in ways for key in way.keys)
        return frozenset(key.split(".")[0] for key in keys if "." in key)

    def normal(self, key: str) -> str:
        """The form in which keys are compared: `max-steps` is `max_steps`; where loose, `maxSteps` too."""
        return _SEPARATORS.sub("", key).lower() if self.loose else key.replace("-", "_")

    def match(self, entry: Entry, *, in_script: bool) -> tuple[str, int] | None:
        """The key of this dialect that an entry is, and how many outer names were dropped to find it."""
        if not entry.path or self._elsewhere(entry):
            return None
        if in_script and entry.kind in ("", "argument") and self.normal(str(entry.path[-1])) in self.everyday:
            return None
        if entry.scope and (full := self.normal(f"{entry.scope}.{entry.key}")) in self.keys:
            return full, 0
        if entry.kind == "argument" and not (
            self.loose or entry.scope in self.calls or entry.path[-1] == "()"
        ):
            return None
        names = [self.normal(str(part)) for part in entry.path]
        for dropped in range(len(names)):
            name = ".".join(names[dropped:])
            if name in self.keys:
                return name, 0 if self.flat else dropped
        return None

    def knows(self, entry: Entry) -> bool:
        """Whether an entry is one of the keys that it has beside its settings."""
        return bool(entry.path) and self.normal(str(entry.path[-1])) in self.known

    def _elsewhere(self, entry: Entry) -> bool:
        """Whether it stands in a section about something other than training."""
        if not self.not_under:
            return False
        around = [entry.scope, *map(str, entry.path[:-1])]
        if any(word in self.not_under for part in around for word in _WORDS.findall(part.lower())):
            return True
        # `sampler = DistributedSampler(...)` is named after what it is, `val_set = Dataset(...)` after what it is for.
        words, own = _WORDS.findall(entry.target.lower()), entry.scope.lower()
        return any(word in self.not_under and word not in own for word in words)

    def found(self, entries: Iterable[Entry], *, in_script: bool) -> dict[str, list[Entry]]:
        """Key -> the entries for it, the one that counts first."""
        ranked: dict[str, list[tuple[int, int, int, Entry]]] = {}
        for order, entry in enumerate(entries):
            if matched := self.match(entry, in_script=in_script):
                key, dropped = matched
                ranked.setdefault(key, []).append((_FIRST.index(entry.kind), dropped, order, entry))
        return {
            key: [one[3] for one in sorted(all_, key=lambda one: one[:3])] for key, all_ in ranked.items()
        }

    def defaults(self) -> Iterable[tuple[str, Any]]:
        """What the trainer takes where nothing is given."""
        for setting, ways in self.settings.items():
            for way in ways:
                if way.default is not None:
                    yield setting, way.default
