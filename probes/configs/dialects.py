"""Which trainers' languages a document speaks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import cached_property
from typing import Any

from traindx.engine.kb.knowledge import Knowledge

from .dialect import Dialect
from .document import Document
from .packages import compare

SURE = 1.0
"""A marker that one dialect alone lists is enough to recognise it; one that two list counts half."""
SPOKEN_WITH = 3
"""Dialects taken for one document at most."""


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

    @cached_property
    def words(self) -> frozenset[str]:
        """Every word that a key of some trainer is made of."""
        keys = (key for identity in self.stored for key in self[identity].vocabulary)
        return frozenset(word for key in keys for word in key.lower().split("_"))

    def spoken(self, document: Document, versions: Mapping[str, str]) -> list[Dialect]:
        """The dialects of a document: the trainers recognised, those that are always read, then the plain one."""
        names = names_in(document)
        kinds = {document.format} if document.format != "printed" else {"yaml", "python", "shell"}
        taken = [self._newer(one, versions) for one in self._recognised(document, names, kinds)]
        always = [
            one
            for one, stored in self.stored.items()
            if stored.get("always") and kinds & {*stored["formats"]} and self._allowed(one, names)
        ]
        return [self[one] for one in dict.fromkeys([*taken, *sorted(always, key=lambda one: one == "plain")])]

    def _recognised(self, document: Document, names: set[str], kinds: set[str]) -> list[str]:
        scores: Counter[str] = Counter()
        seen: dict[str, set[str]] = {}
        for marker in self._markers.keys() & names:
            for one in self._markers[marker]:
                scores[one] += 1 / len(self._markers[marker])  # type: ignore[assignment]
                seen.setdefault(one, set()).add(marker)
        fitting = [
            one for one in scores if kinds & {*self.stored[one]["formats"]} and self._allowed(one, names)
        ]
        total = {one: scores[one] + sum(scores[base] for base in self._bases(one)) for one in fitting}
        taken: list[str] = []
        told: set[str] = set()
        outside = names
        for one in sorted(fitting, key=lambda one: (-total[one], one)):
            if total[one] < SURE or any(one in self._bases(other) for other in taken):
                continue
            marks = seen[one].union(*(seen.get(base, ()) for base in self._bases(one)))
            if len(marks) == 1 and self._may_be_anothers(document, one, *marks):
                continue
            if (not taken or seen[one] & outside - told) and len(taken) < SPOKEN_WITH:
                taken.append(one)
                outside = outside & names_in(document, self[one].sections)
                told.update(*(seen.get(each, set()) for each in (one, *self._bases(one))))
        return taken

    def _may_be_anothers(self, document: Document, identity: str, marker: str) -> bool:
        """Whether one word alone speaks for a dialect, in a file most of whose keys it does not know."""
        if document.format == "python" or marker.endswith("()"):
            return False
        keys = {
            str(one.path[-1]).replace("-", "_")
            for one in document.reading.entries
            if one.kind in ("", "option")
        }
        return 2 * len(keys & self[identity].vocabulary) < len(keys)

    def _allowed(self, identity: str, names: set[str]) -> bool:
        stored = self.stored[identity]
        needs = stored.get("needs")
        return (not needs or any(key in names for key in needs)) and names.isdisjoint(
            stored.get("excludes", ())
        )

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


def dialects_of(knowledge: Knowledge) -> Dialects:
    """The dialects of a knowledge base; ask for them through `once`, so that each is built once."""
    return Dialects(knowledge.dialects)


def names_in(document: Document, left_out: frozenset[str] = frozenset()) -> set[str]:
    """Every key of a document, with and without the sections around it, and `name()` for what it calls.

    What stands in one of the sections `left_out` is not taken.
    """
    names = {f"{call}()" for call in document.reading.calls}
    for entry in document.reading.entries:
        parts = [str(part).replace("-", "_") for part in entry.path]
        if len(parts) > 1 and parts[0] in left_out:
            continue
        names.update(parts)
        for end in range(2, len(parts) + 1):
            names.add(".".join(parts[:end]))
    return names
