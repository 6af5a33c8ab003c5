"""`key = value` and `key: value` in lines, with sections: ini, cfg, conf, properties, darknet, files of `--flag=value`."""

from __future__ import annotations

import re

from traindx.engine.facts import Scalar
from traindx.engine.regex import regex

from ..document import MAX_ENTRIES, Entry, Path, Problem, Reading, Span
from .edits import Edit, cut_line, insert_line
from .spelling import number, truth

_LINE = regex(r"[^\r\n]+")
_SECTION = regex(r"[ \t]*\[(?P<name>[^\]\r\n]+)\]")
_KEY = regex(r"[ \t]*(?P<dashes>(?:--)?)(?P<key>[A-Za-z_][\w.\-/]*)[ \t]*[=:][ \t]*")
_COMMENT = regex(r"(?:^|[ \t])[#;]")
_QUOTED = regex(r"\"[^\"\r\n]*\"|'[^'\r\n]*'")


def read(text: str) -> Reading:
    """Every setting, under its section."""
    entries: list[Entry] = []
    section: Path = ()
    for line in _LINE.finditer(text):
        if name := _SECTION.match(text, line.start(), line.end()):
            section = (name["name"].strip(),)
        elif key := _KEY.match(text, line.start(), line.end()):
            entries.append(_entry(text, key, line.end(), section))
        if len(entries) > MAX_ENTRIES:
            return Reading(
                tuple(entries), (Problem(f"more than {MAX_ENTRIES} settings", line.start(), "note"),)
            )
    return Reading(tuple(entries))


def _entry(text: str, key: re.Match[str], end: int, section: Path) -> Entry:
    start = key.end()
    if quoted := _QUOTED.match(text, start, end):
        end, style = quoted.end(), text[start]
        value = text[start + 1 : end - 1]
    else:
        rest = text[start:end]
        comment = _COMMENT.search(rest)
        value = (rest[: comment.start()] if comment else rest).rstrip()
        end, style = start + len(value), ""
    span = (start, end) if value else None
    return Entry((*section, key["key"]), value, start, span, (key.start("dashes"), end), style)


def spell(value: Scalar, old: Entry | None, text: str, *, casts: bool) -> str:
    """A value in the words and quotes of the old one."""
    quote = old.style if old else ""
    raw = str(old.value) if old else ""
    if isinstance(value, str):
        return quote + value + quote
    spelled = truth(value, raw, "true", "false") if isinstance(value, bool) else number(value, raw)
    return quote + spelled + quote


def insert(text: str, anchor: Span, keys: Path, raw: str) -> list[Edit]:
    """A new line behind the anchor, with the same sign between key and value."""
    sign = re.search(r"\s*[=:]\s*", text[slice(*anchor)])
    key = ("--" if text.startswith("--", anchor[0]) else "") + ".".join(map(str, keys))
    return insert_line(text, anchor, lambda indent: [f"{indent}{key}{sign[0] if sign else ' = '}{raw}"])


def remove(text: str, entry: Entry) -> Edit | None:
    """A setting taken out with its line."""
    return cut_line(text, entry.whole) if entry.whole else None
