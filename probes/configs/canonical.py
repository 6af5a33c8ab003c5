"""From the keys of a document to canonical settings, each with the place and the way it is written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from traindx.engine.facts import Origin
from traindx.engine.kb.rules import SettingRule
from traindx.engine.regex import regex

from .dialect import Dialect
from .document import Document, Entry
from .meaning import meaning, typed
from .occurrence import Occurrence
from .values import reference, same, to_bool, to_number
from .way import Way

_RESOLVER = regex(r"\s*\$\{\s*[\w.]+\s*:(?!-)")
"""`${oc.env:LR,0.1}` of OmegaConf; the `${LR:-0.1}` of a shell names its default."""


def occurrences(
    document: Document, dialects: Sequence[Dialect], settings: Mapping[str, SettingRule]
) -> list[Occurrence]:
    """Every setting of a document. An entry speaks for the first dialect that knows it."""
    entries = [_resolved(one, document) for one in document.reading.entries]
    plain = dialects[-1] if dialects else None
    result: list[Occurrence] = []
    trainer = next((one for one in dialects if not one.stored.get("always")), None)
    for dialect in dialects:
        found = dialect.found(entries, in_script=in_script(document))
        reader = _Reader(document, dialect, plain, settings, found)
        result += reader.all()
        claimed = {id(entry) for key in reader.used for entry in found[key]}
        if dialect is trainer:
            # Its own keys mean what it says they mean, whatever others mean by such a name.
            claimed |= {
                id(entry) for entry in entries if entry.kind in ("", "option") and dialect.knows(entry)
            }
        entries = [one for one in entries if id(one) not in claimed]
    follows = trainer.follows if trainer else {}
    return [one for one in _without_misread(result) if one.setting not in follows]


def _without_misread(found: Sequence[Occurrence]) -> Iterator[Occurrence]:
    """`16-mixed` is a precision and says nothing of the weights' own: one reading of a value suffices."""
    read = {(one.entry.at, str(one.entry.value)) for one in found if one.value is not None and not one.wrong}
    return (one for one in found if not (one.wrong and (one.entry.at, str(one.entry.value)) in read))


def in_script(document: Document) -> bool:
    """Whether a document is a program, in which not every name is a setting."""
    return document.format == "python" and document.origin is Origin.CODE


def _resolved(entry: Entry, document: Document) -> Entry:
    """`${train.lr}` stands for the entry it names, in this document. What a resolver gives is not known."""
    path = reference(entry.value)
    if not path:
        resolved = isinstance(entry.value, str) and _RESOLVER.match(entry.value)
        return entry._replace(value=None, style="computed", span=None) if resolved else entry
    for other in document.reading.entries:
        if other.path == path or other.path == (*entry.path[:-1], *path):
            return entry._replace(value=other.value, at=other.at, span=other.span, style=other.style)
    return entry._replace(value=None, style="computed", span=None)


class _Reader:
    def __init__(
        self,
        document: Document,
        dialect: Dialect,
        plain: Dialect | None,
        settings: Mapping[str, SettingRule],
        found: Mapping[str, Sequence[Entry]],
    ) -> None:
        self.document, self.dialect, self.plain, self.settings, self.found = (
            document,
            dialect,
            plain,
            settings,
            found,
        )
        self.used: set[str] = set()
        """The keys that some setting was looked for under."""

    def all(self) -> Iterator[Occurrence]:
        given = {setting for key in self.found for setting in self.dialect.keys[key]}
        for setting, ways in self.dialect.settings.items():
            rule = self.settings.get(setting)
            if rule is None or setting not in given:
                continue
            for way in ways:
                if one := self.several(way, rule) if way.several else self.single(way, rule):
                    yield one

    def first(self, key: str) -> Entry | None:
        """The entry that counts for a key."""
        normal = self.dialect.normal(key)
        entries = self.found.get(normal)
        if not entries:
            return None
        self.used.add(normal)
        return entries[0]

    def single(self, way: Way, rule: SettingRule) -> Occurrence | None:
        """A setting under a key of its own, or implied by another."""
        normal = self.dialect.normal
        if way.idle_by(self.found, normal) or way.lacking(self.found, normal):
            self.used |= self.found.keys() & set(map(self.dialect.normal, way.keys))
            return None
        for key in (*way.keys, *((way.flag,) if way.flag else ()), *way.old):
            if (entry := self.element(key, way)) is not None:
                factor = self.number(way.times) / self.number(way.over)
                blank = Occurrence(rule.id, None, entry, self.document, self.dialect, way)
                return meaning(blank, rule, self.plain, factor)
        for key, value in way.implied.items():
            entry = self.first(key)
            if entry is not None and to_bool(entry.value) is not False:
                fixed = entry._replace(span=None)
                return Occurrence(rule.id, value, fixed, self.document, self.dialect, way, implied=True)
        return None

    def number(self, key: str | None) -> float:
        """The number under a key that another one is multiplied with or divided by; 1 where there is none."""
        entry = self.first(key) if key else None
        return float(to_number(entry.value) or 1) if entry else 1.0

    def element(self, key: str, way: Way) -> Entry | None:
        """The entry of a key, or of the element of its list that counts."""
        index = way.index if way.index is not None else 0 if way.each else None
        if index is None:
            return self.first(key)
        if (entry := self.first(f"{key}.{index}")) is not None:
            return entry
        entry = self.first(key)
        if entry is None or not isinstance(entry.value, str):
            return entry if index == 0 else None
        parts = entry.value.strip("()[] ").split(",")
        if len(parts) == 1:
            return entry if index == 0 else None
        return entry._replace(value=parts[index].strip()) if index < len(parts) else None

    def several(self, way: Way, rule: SettingRule) -> Occurrence | None:
        """The canonical value whose keys all stand as they should. A switch that is missing is off."""
        keys = dict.fromkeys(key for spelling in way.values.values() for key in spelling)
        present = {key: entry for key in keys if (entry := self.first(key)) is not None}
        if not any(key in present for key in way.keys):
            return None
        for canonical, spelling in way.values.items():
            if all(self.stands(wanted, present.get(key)) for key, wanted in spelling.items()):
                entry, value = _telling(spelling, present), typed(canonical, rule)
                return Occurrence(rule.id, value, entry, self.document, self.dialect, way)
        computed = [entry for entry in present.values() if entry.value is None or entry.style == "name"]
        return Occurrence(rule.id, None, computed[0], self.document, self.dialect, way) if computed else None

    def stands(self, wanted: Any, entry: Entry | None) -> bool:
        """Whether a key holds what a value of several keys wants there."""
        if entry is None:
            return wanted is False
        is_option = entry.kind in ("option", "launch") and isinstance(wanted, bool)
        if entry.value is None:
            # What follows a switch in `--fp16 $DATA` is not its value; where a switch takes one, it is not known.
            return wanted is True and self.dialect.bare_flags if is_option else wanted is False
        return wanted if is_option and to_bool(entry.value) is None else same(wanted, entry.value)


def _telling(spelling: Mapping[str, Any], present: Mapping[str, Entry]) -> Entry:
    """Of the keys that together say a value, the one that says it: which is on, or holds anything, or stands first."""
    wanted = (present[key] for key, value in spelling.items() if key in present and value)
    holding = (entry for entry in present.values() if entry.value)
    return next(chain(wanted, holding, present.values()))
