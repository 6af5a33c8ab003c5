"""Settings as a run prints them: `Namespace(...)`, a repr, a dict, `key: value` lines, dotted or ruled tables. Read only."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from traindx.engine.facts import Scalar
from traindx.engine.regex import regex

from ..document import MAX_ENTRIES, Entry, Path, Reading, Span
from .edits import Edit

_LINE = regex(r"[^\r\n]+")
_SETTING = regex(
    r"(?P<key>[A-Za-z_][\w\-/]*(?:\.\w[\w\-/]*)*(?: [\w\-/&]+)*)[ ]?(?:\([^()]*\))?"
    r"(?:[ \t]*(?:[:=]|\.{3,}|[|\u2502\u2503])|[ ]{2,}|\t)[ \t]*"
)
_OPENING = regex(r"(?:(?P<name>[A-Za-z_]\w*)\s?\(|\{)")
_FIRST = 200
"""Characters at the start among which a namespace or dict begins: a log puts its own words in front."""
_BAR = regex(r" \| ")
_ROW = regex(r"\s*(?:[\w./ -]{1,80}:\s+)?(?=[A-Za-z_]\w*=)")
_COMMA = regex(r",\s?(?=[A-Za-z_]\w*=)")
_MANY = 4
"""Commas between `key=value` that make a row of settings of one line."""
_MAPPING = regex(r"(?:dict\(|\w*Namespace\(|\{)")
_ENUM = regex(r"<[\w.]+: (?P<value>[^<>]*)>")
_NAMED = regex(
    r"\s*(?:(?P<bare>[A-Za-z_][\w.\-]*)|'(?P<single>[^'\r\n]*)'|\"(?P<double>[^\"\r\n]*)\")\s*[=:]\s*"
)
_INTEGER = regex(r"[-+]?\d[\d_]*")
_FLOAT = regex(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_WORDS: dict[str, Any] = {"true": True, "false": False, "none": None, "null": None}
MAX_DEPTH = 8
_ELEMENTS = 16
_LONGEST = 2_000
"""Characters of a line that may hold a setting."""


def read(text: str) -> Reading:
    """Every setting of a printed block."""
    opening = _OPENING.search(text, 0, _FIRST)
    if opening and text.rstrip().rstrip(",;")[-1:] in (")", "}"):
        name = opening["name"] or ""
        entries = list(_items(text, opening.end(), len(text), (), name, 0))
        if entries:
            return Reading(tuple(entries[:MAX_ENTRIES]), calls=frozenset({name} if name else ()))
    return Reading(tuple(_lines(text)))


def _items(text: str, at: int, end: int, path: Path, scope: str, depth: int) -> Iterator[Entry]:
    """The `key=value` or `'key': value` pairs between two offsets."""
    for start, stop in _pieces(text, at, end):
        found = _NAMED.match(text, start, stop)
        if found is None:
            continue
        key = next(one for one in found.groups() if one is not None)
        raw = text[found.end() : stop].strip()
        inner = _MAPPING.match(raw)
        if inner and depth < MAX_DEPTH and raw[-1:] in ")}":
            yield from _items(text, found.end() + inner.end(), stop, (*path, key), scope, depth + 1)
        elif raw[:1] in ("(", "[") and raw[-1:] in (")", "]"):
            for index, one in enumerate(raw[1:-1].split(",")[:_ELEMENTS]):
                yield Entry(
                    (*path, key, index), _value(one.strip()), found.end(), kind="argument", scope=scope
                )
        else:
            yield Entry((*path, key), _value(raw), found.end(), kind="argument", scope=scope)


def _pieces(text: str, at: int, end: int) -> Iterator[tuple[int, int]]:
    """What commas divide at this level, up to the bracket that closes it."""
    depth, quote, start = 0, "", at
    for offset in range(at, end):
        char = text[offset]
        if quote:
            quote = "" if char == quote else quote
        elif char in "'\"" and text[offset - 1] in "=:([{, ":
            quote = char
        elif char in "([{":
            depth += 1
        elif char in ")]}":
            depth -= 1
            if depth < 0:
                yield start, offset
                return
        elif char in ",\n" and depth == 0:
            yield start, offset
            start = offset + 1
    yield start, end


def _lines(text: str) -> Iterator[Entry]:
    for count, line in enumerate(_LINE.finditer(text)):
        if count > MAX_ENTRIES:
            return
        start, end = line.start(), min(line.end(), line.start() + _LONGEST)
        # `Num Epochs = 1 | Total steps = 60`: several in one line.
        if (row := _ROW.match(text, start, end)) and len(
            parts := list(_COMMA.finditer(text, start, end))
        ) >= _MANY:
            ends = [*(found.start() for found in parts), end]
            starts = [row.end(), *(found.end() for found in parts)]
            for first, last in zip(starts, ends, strict=True):
                if entry := _setting(text, first, last):
                    yield entry
            continue
        bounds = [start, end]
        if " = " in line[0]:
            bounds[1:1] = (found.end() for found in _BAR.finditer(text, start, end))
        for first, last in pairwise(bounds):
            if entry := _setting(text, first, last):
                yield entry


def _setting(text: str, start: int, end: int) -> Entry | None:
    found = _SETTING.search(text, start, end)
    raw = text[found.end() : end].rstrip(" \t|,\u2502\u2503") if found else ""
    return Entry(tuple(found["key"].split(".")), _value(raw), found.end()) if found and raw else None


def _value(raw: str) -> Any:
    if enum := _ENUM.fullmatch(raw):
        raw = enum["value"]
    if len(raw) > 1 and raw[0] == raw[-1] and raw[0] in "'\"":
        return raw[1:-1]
    if raw.lower() in _WORDS:
        return _WORDS[raw.lower()]
    if _INTEGER.fullmatch(raw) and len(raw) < 40:
        return int(raw)
    return float(raw) if _FLOAT.fullmatch(raw) and len(raw) < 40 else raw


def spell(value: Scalar, old: Entry | None, text: str, *, casts: bool) -> str:
    """A value as text, for the line to change by hand."""
    return str(value)


def insert(text: str, anchor: Span, keys: Path, raw: str) -> list[Edit]:
    """What a run printed cannot be changed."""
    return []


def remove(text: str, entry: Entry) -> Edit | None:
    """What a run printed cannot be changed."""
    return None
