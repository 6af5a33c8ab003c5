"""TOML: values from the standard library, places from a scanner of our own, which must agree with it."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from typing import Any

from traindx.engine.facts import Scalar
from traindx.engine.regex import regex
from traindx.engine.yaml_nodes import MAX_DEPTH

from ..document import MAX_ENTRIES, Entry, Path, Problem, Reading, Span
from ..exact import line_starts
from .edits import Edit, cut_line, insert_item, insert_line
from .spelling import number

_SPACE = regex(r"(?:[ \t\r\n]+|#[^\r\n]*)+")
_KEY = regex(
    r"[ \t]*(?:(?P<bare>[A-Za-z0-9_-]+)|\"(?P<double>(?:[^\"\\\r\n]|\\.)*)\"|'(?P<single>[^'\r\n]*)')[ \t]*"
)
_STRING = regex(
    r'"""(?:[^"\\]|\\(?s:.)|"(?!""))*"""|\'\'\'(?:[^\']|\'(?!\'\'))*\'\'\'|"(?:[^"\\\r\n]|\\.)*"|\'[^\'\r\n]*\''
)
_OTHER = regex(r"[^\s,\]}#]+(?: \d\d:[^\s,\]}#]+)?")
_AT = regex(r"\(at line (\d+), column (\d+)\)|\(at end of document\)")


def read(text: str) -> Reading:
    """Every value of a TOML text."""
    try:
        tree = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        return Reading(problems=(_problem(text, error),))
    scanner = _Scanner(text)
    try:
        scanner.whole()
    except (_Lost, RecursionError):
        return Reading(
            problems=(Problem("more values or deeper nesting than a configuration has", 0, "note"),)
        )
    entries = (_valued(one, tree) for one in scanner.entries)
    return Reading(tuple(entries), sections=scanner.sections)


def _problem(text: str, error: Exception) -> Problem:
    message = str(error) if isinstance(error, tomllib.TOMLDecodeError) else "nested too deeply"
    found = _AT.search(message)
    at = len(text)
    if found and found[1]:
        starts = line_starts(text)
        at = min(starts[min(int(found[1]), len(starts)) - 1] + int(found[2]) - 1, len(text))
    return Problem(_AT.sub("", message).strip(), at)


def _valued(entry: Entry, tree: Any) -> Entry:
    """The entry with the value that the library reads there."""
    for part in entry.path:
        tree = tree[part]
    value = tree if isinstance(tree, bool | int | float | str | list | dict) else str(tree)
    return Entry(entry.path, value, entry.at, entry.span, entry.whole, entry.style)


class _Lost(Exception):
    """The scanner met what it does not expect in a valid text."""


class _Scanner:
    """Where every value of a valid TOML text stands."""

    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0
        self.entries: list[Entry] = []
        self.sections: dict[Path, Span] = {}
        self.table: Path = ()
        self.arrays: dict[Path, int] = {}

    def whole(self) -> None:
        while self.skip():
            if self.text[self.at] == "[":
                self.header()
            else:
                self.setting(self.table)

    def skip(self) -> bool:
        """Step over space and comments; whether anything is left."""
        if space := _SPACE.match(self.text, self.at):
            self.at = space.end()
        return self.at < len(self.text)

    def keys(self) -> Path:
        parts: list[str] = []
        while True:
            found = _KEY.match(self.text, self.at)
            if found is None:
                raise _Lost
            parts.append(next(part for part in found.groups() if part is not None))
            self.at = found.end()
            if self.text[self.at : self.at + 1] != ".":
                return tuple(parts)
            self.at += 1

    def header(self) -> None:
        start, double = self.at, self.text.startswith("[[", self.at)
        self.at += 2 if double else 1
        path: list[str | int] = []
        keys = self.keys()
        self.at += 2 if double else 1
        for depth, part in enumerate(keys):
            path.append(part)
            here = tuple(path)
            if double and depth == len(keys) - 1:
                self.arrays[here] = self.arrays.get(here, -1) + 1
            if here in self.arrays:
                path.append(self.arrays[here])
        self.table = tuple(path)
        self.sections[self.table] = (start, self.at)

    def setting(self, table: Path) -> None:
        start = self.at
        path = (*table, *self.keys())
        if self.text[self.at : self.at + 1] != "=":
            raise _Lost
        self.at += 1
        self.skip()
        self.value(path, start)

    def value(self, path: Path, key: int | None) -> None:
        if len(path) > MAX_DEPTH or len(self.entries) > MAX_ENTRIES:
            raise _Lost
        start, opening = self.at, self.text[self.at : self.at + 1]
        if opening in ("[", "{"):
            before = len(self.entries)
            for index, _ in enumerate(self.items("]" if opening == "[" else "}")):
                if opening == "[":
                    self.value((*path, index), None)
                else:
                    self.setting(path)
            if len(self.entries) > before:
                if key is not None:
                    self.sections[path] = (key, self.at)
                return
        elif found := _STRING.match(self.text, start) or _OTHER.match(self.text, start):
            self.at = found.end()
        else:
            raise _Lost
        style = opening if opening in ("'", '"') else ""
        span = (start, self.at)
        self.entries.append(Entry(path, None, start, span, None if key is None else (key, self.at), style))

    def items(self, closing: str) -> Iterator[None]:
        self.at += 1
        while self.skip() and self.text[self.at] != closing:
            yield
            self.skip()
            if self.text[self.at : self.at + 1] == ",":
                self.at += 1
        self.at += 1


def spell(value: Scalar, old: Entry | None, text: str, *, casts: bool) -> str:
    """A value as TOML; a number that stood in quotes stays in them."""
    quote = old.style if old and old.style in ("'", '"') else ""
    raw = text[slice(*old.span)] if old and old.span else ""
    if isinstance(value, str):
        plain = not any(char in value for char in "'\n\\") and value.isprintable()
        if quote == "'" and plain:
            return f"'{value}'"
        import json

        return json.dumps(value, ensure_ascii=False)
    spelled = str(value).lower() if isinstance(value, bool) else number(value, raw.strip("'\""))
    return quote + spelled + quote


def insert(text: str, anchor: Span, keys: Path, raw: str) -> list[Edit]:
    """A new key behind the anchor: inside braces with a comma, else on a line of its own."""
    key = ".".join(map(str, keys))
    inline = text[anchor[1] : anchor[1] + 200].lstrip()[:1] in (",", "}")
    sign = re.search(r"[ \t]*=[ \t]*", text[slice(*anchor)])
    item = f"{key}{sign[0] if sign else ' = '}{raw}"
    return (
        insert_item(text, anchor, item)
        if inline
        else insert_line(text, anchor, lambda indent: [indent + item])
    )


def section(keys: Path, raw: str) -> str:
    """An inline table with one key in it."""
    return f"{{ {'.'.join(map(str, keys))} = {raw} }}"


def remove(text: str, entry: Entry) -> Edit | None:
    """A key taken out with its line."""
    return cut_line(text, entry.whole) if entry.whole else None
