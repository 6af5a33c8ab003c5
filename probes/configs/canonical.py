"""From the keys of a document to canonical settings, each with the place and the way it is written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from traindx.engine.facts import Scalar
from traindx.engine.kb.rules import SettingRule

from .dialects import Dialect, Way
from .document import Document, Entry
from .values import NOTHING, last_number, reference, same, to_bool, to_count, to_minutes, to_number, to_size

Found = Mapping[str, Sequence[Entry]]
_TEXT_ONLY = ("shell", "ini", "printed")
"""Formats in which every value is text."""


@dataclass(frozen=True, slots=True)
class Occurrence:
    """One canonical setting as one document gives it."""

    setting: str
    value: Scalar | None
    """None where the document computes it, or leaves it to the trainer."""
    entry: Entry
    document: Document
    dialect: Dialect
    way: Way
    wrong: str = ""
    """What is wrong with its type or range."""
    as_text: bool = False
    """A number that stands as text."""

    @property
    def computed(self) -> bool:
        """Whether only running the script would tell the value."""
        return self.value is None and self.entry.style in ("computed", "name", "call")


def occurrences(
    document: Document, dialects: Sequence[Dialect], settings: Mapping[str, SettingRule]
) -> list[Occurrence]:
    """Every setting of a document. An entry speaks for the first dialect that knows it."""
    entries = [_resolved(one, document) for one in document.reading.entries]
    plain = dialects[-1] if dialects else None
    result: list[Occurrence] = []
    for dialect in dialects:
        found = dialect.found(entries)
        reader = _Reader(document, dialect, plain, settings, found)
        new = list(reader.all())
        result += new
        claimed = {id(entry) for key in reader.used for entry in found[key]}
        entries = [one for one in entries if id(one) not in claimed]
    return result


def _resolved(entry: Entry, document: Document) -> Entry:
    """`${train.lr}` stands for the entry it names, in this document."""
    path = reference(entry.value)
    if not path:
        return entry
    for other in document.reading.entries:
        if other.path == path or other.path == (*entry.path[:-1], *path):
            return replace(entry, value=other.value, at=other.at, span=other.span, style=other.style)
    return replace(entry, value=None, style="computed", span=None)


class _Reader:
    def __init__(
        self,
        document: Document,
        dialect: Dialect,
        plain: Dialect | None,
        settings: Mapping[str, SettingRule],
        found: Found,
    ) -> None:
        self.document, self.dialect, self.plain, self.settings, self.found = document, dialect, plain, settings, found
        self.used: set[str] = set()
        """The keys that some setting was looked for under."""

    def all(self) -> Iterator[Occurrence]:
        if not self.found:
            return
        for setting, ways in self.dialect.settings.items():
            rule = self.settings.get(setting)
            for way in ways:
                if rule is not None and (one := self.several(way, rule) if way.several else self.single(way, rule)):
                    yield one

    def first(self, key: str) -> Entry | None:
        """The entry that counts for a key."""
        normal = self.dialect.normal(key)
        entries = self.found.get(normal)
        if not entries:
            return None
        self.used.add(normal)
        return entries[0]

    # -- one key -----------------------------------------------------------------------------

    def single(self, way: Way, rule: SettingRule) -> Occurrence | None:
        for key in (*way.keys, *((way.flag,) if way.flag else ()), *way.old):
            if (entry := self.element(key, way)) is not None:
                return self.read(way, rule, entry)
        for key, value in way.implied.items():
            entry = self.first(key)
            if entry is not None and to_bool(entry.value) is not False:
                return Occurrence(rule.id, value, replace(entry, span=None), self.document, self.dialect, way)
        return None

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
        return replace(entry, value=parts[index].strip()) if index < len(parts) else None

    def read(self, way: Way, rule: SettingRule, entry: Entry) -> Occurrence | None:
        blank = Occurrence(rule.id, None, entry, self.document, self.dialect, way)
        raw = entry.value
        if entry.style in ("computed", "call") or raw is None:
            return blank if entry.style in ("computed", "call") else None
        if any(same(one, raw) for one in way.unset):
            return None
        for canonical, spelling in way.values.items():
            if same(spelling, raw):
                return replace(blank, value=_typed(canonical, rule))
        if isinstance(raw, str) and raw.strip().lower() in NOTHING:
            return None
        if rule.type == "bool":
            return self.switch(blank, raw)
        if rule.type in ("int", "float"):
            return self.number(blank, rule, raw)
        return self.word(blank, rule, raw)

    def switch(self, blank: Occurrence, raw: Any) -> Occurrence | None:
        value = to_bool(raw)
        if value is None and blank.entry.kind in ("option", "launch"):
            # `--fp16 data/`: a switch without a value, and a word that is not its own.
            value = True
        if value is None:
            if blank.entry.style == "name":
                return blank
            return None if self.dialect.loose or blank.way.values else replace(blank, wrong=f"`{_shown(raw)}` is no switch")
        return replace(blank, value=value is not blank.way.inverted)

    def word(self, blank: Occurrence, rule: SettingRule, raw: Any) -> Occurrence | None:
        if isinstance(raw, bool | list | dict):
            return None
        text = str(raw)
        if rule.values and text.lower() in rule.values:
            wrong = "" if self.dialect.loose or not blank.way.values else f"`{text}` is not one of {_choices(blank.way)}"
            return replace(blank, value=text.lower(), wrong=wrong)
        for way in self.plain.settings.get(rule.id, ()) if self.plain else ():
            for canonical, spelling in way.values.items():
                if not isinstance(spelling, dict) and same(spelling, text):
                    return replace(blank, value=canonical)
        if not rule.values:
            return replace(blank, value=text)
        if blank.entry.style == "name":
            return blank
        return None if self.dialect.loose else replace(blank, wrong=f"`{_shown(raw)}` is not one of {_choices(blank.way) or ', '.join(rule.values)}")

    def number(self, blank: Occurrence, rule: SettingRule, raw: Any) -> Occurrence | None:
        way = blank.way
        number = _measured(way, raw)
        if number is None:
            if blank.entry.style == "name":
                return blank
            return self.no_number(blank, rule, raw)
        as_text = isinstance(raw, str) and not way.reads and self.document.format not in _TEXT_ONLY
        if way.ratio_below is not None and way.ratio_as and 0 < number < way.ratio_below:
            return replace(blank, setting=way.ratio_as, value=float(number), as_text=as_text)
        if way.exponent:
            number = float(2**number) if 0 <= number < 200 else number
        if way.times and (factor := self.first(way.times)):
            number *= to_number(factor.value) or 1
        scaled = number if way.reads == "size" else number * way.scale
        return replace(blank, as_text=as_text, **_checked(scaled, rule))

    def no_number(self, blank: Occurrence, rule: SettingRule, raw: Any) -> Occurrence | None:
        """A number was wanted. Where the trainer is not known, only what looks like one is a mistake."""
        if isinstance(raw, list | dict):
            return None
        like_one = isinstance(raw, str) and raw[:1].isdigit() and len(raw) < 20 and not raw[-1:].isalpha()
        if self.dialect.loose and not like_one:
            return None
        return replace(blank, wrong=f"`{_shown(raw)}` is no number")

    # -- several keys together ---------------------------------------------------------------

    def several(self, way: Way, rule: SettingRule) -> Occurrence | None:
        """The canonical value whose keys all stand as they should. A switch that is missing is off."""
        keys = {key for spelling in way.values.values() for key in spelling}
        present = {key: entry for key in keys if (entry := self.first(key)) is not None}
        if not present or not any(key in present for key in way.keys):
            return None
        chosen = next((entry for entry in present.values() if entry.value), next(iter(present.values())))
        for canonical, spelling in way.values.items():
            if all(_stands(wanted, present.get(key)) for key, wanted in spelling.items()):
                telling = [present[key] for key, wanted in spelling.items() if key in present and wanted]
                return Occurrence(rule.id, canonical, (telling or [chosen])[0], self.document, self.dialect, way)
        computed = [entry for entry in present.values() if entry.value is None or entry.style == "name"]
        return Occurrence(rule.id, None, computed[0], self.document, self.dialect, way) if computed else None


def _stands(wanted: Any, entry: Entry | None) -> bool:
    if entry is None or entry.value is None:
        return wanted is False
    if entry.value is True and isinstance(wanted, bool):
        return wanted
    if entry.kind in ("option", "launch") and isinstance(wanted, bool) and to_bool(entry.value) is None:
        return wanted
    return same(wanted, entry.value)


def _measured(way: Way, raw: Any) -> int | float | None:
    match way.reads:
        case "size":
            return to_size(raw, way.scale)
        case "duration":
            return to_minutes(raw)
        case "count":
            return to_count(raw)
        case "last-number":
            return last_number(raw)
    return to_number(raw)


def _checked(number: float, rule: SettingRule) -> dict[str, Any]:
    """The value in the setting's type, and what is wrong with it."""
    if number != number or number in (float("inf"), float("-inf")):
        return {"value": None, "wrong": f"{number} is no finite number"}
    wrong = ""
    if rule.type == "int":
        if number == int(number):
            number = int(number)
        else:
            wrong = f"{number:g} is no whole number"
    if rule.low is not None and number < rule.low:
        wrong = f"{number:g} is below {rule.low:g}"
    if rule.high is not None and number > rule.high:
        wrong = f"{number:g} is above {rule.high:g}"
    return {"value": number if rule.type == "int" else float(number), "wrong": wrong}


def _typed(canonical: str, rule: SettingRule) -> Scalar:
    """A canonical value that stands as a key of the knowledge base."""
    if rule.type == "bool":
        return canonical == "true"
    return canonical if rule.type == "str" else to_number(canonical) or 0


def _choices(way: Way) -> str:
    spelled = (one[0] if isinstance(one, list) else one for one in way.values.values())
    return ", ".join(str(one).lower() if isinstance(one, bool) else str(one) for one in spelled)


def _shown(raw: Any) -> str:
    return str(raw)[:40]

