"""Edits of a text at exact places: how one is applied, and how a line or an item is added."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import NamedTuple

from traindx.engine.regex import regex

from ..document import Span

_BLANK = regex(r"[ \t]*(?:- +)*")


class Edit(NamedTuple):
    """Replace what stands from `start` to `end`."""

    start: int
    end: int
    text: str


class Overlap(ValueError):
    """Two edits want the same place."""


def apply(text: str, edits: Iterable[Edit]) -> str:
    """The text with all edits made. Raises Overlap where two of them meet."""
    pieces: list[str] = []
    end = 0
    for edit in sorted(dict.fromkeys(edits), key=lambda one: (one.start, one.end)):
        if edit.start < end:
            raise Overlap
        pieces += (text[end : edit.start], edit.text)
        end = edit.end
    return "".join([*pieces, text[end:]])


def line_of(text: str, at: int) -> Span:
    """The line that an offset is in, without its end."""
    start = max(text.rfind("\n", 0, at), text.rfind("\r", 0, at)) + 1
    end = len(text)
    for mark in "\r\n":
        found = text.find(mark, at)
        end = min(end, found) if found >= 0 else end
    return start, end


def line_end_of(text: str, at: int) -> str:
    """How the lines around an offset end."""
    _, end = line_of(text, at)
    if end < len(text):
        return "\r\n" if text.startswith("\r\n", end) else text[end]
    start, _ = line_of(text, at)
    if start:
        return "\r\n" if text.endswith("\r\n", 0, start) else text[start - 1]
    return "\n"


def indentation(text: str, at: int) -> str | None:
    """What stands in front of an offset, where that is only space and list dashes; dashes become space."""
    start, _ = line_of(text, at)
    found = _BLANK.fullmatch(text, start, at)
    return found[0].replace("-", " ") if found else None


def insert_line(text: str, anchor: Span, lines: Callable[[str], list[str]]) -> list[Edit]:
    """New lines behind the line on which the anchor ends, indented like the anchor."""
    indent = indentation(text, anchor[0]) or ""
    _, end = line_of(text, anchor[1])
    line_end = line_end_of(text, anchor[1])
    return [Edit(end, end, "".join(line_end + line for line in lines(indent)))]


def insert_item(text: str, anchor: Span, item: str) -> list[Edit]:
    """A new item behind the anchor in a list that commas divide: on a line of its own where the anchor is."""
    indent = indentation(text, anchor[0])
    if indent is None or "\n" not in text[max(0, anchor[0] - len(indent) - 1) : anchor[0]]:
        return [Edit(anchor[1], anchor[1], f", {item}")]
    line_end = line_end_of(text, anchor[0])
    comma = re.compile(r"[ \t]*,").match(text, anchor[1])
    _, end = line_of(text, anchor[1])
    rest = text[comma.end() if comma else anchor[1] : end].strip()
    if rest and not rest.startswith(("#", "//", "/*")):
        return [Edit(anchor[1], anchor[1], f", {item}")]
    if comma:
        return [Edit(end, end, f"{line_end}{indent}{item},")]
    # A comment may stand between the comma and the new line.
    return [Edit(anchor[1], end, f",{text[anchor[1] : end]}{line_end}{indent}{item}")]


def cut_line(text: str, span: Span) -> Edit | None:
    """The whole line of a span taken out; None where something else stands on it."""
    start, end = line_of(text, span[0])
    rest = text[span[1] : end].strip() if span[1] <= end else "more"
    if text[start : span[0]].strip() or (rest and not rest.startswith("#")):
        return None
    if end < len(text):
        return Edit(start, end + len(line_end_of(text, span[0])), "")
    return Edit(max(0, start - len(line_end_of(text, span[0]))), end, "")


__all__ = [
    "Edit",
    "Overlap",
    "apply",
    "cut_line",
    "indentation",
    "insert_item",
    "insert_line",
    "line_end_of",
    "line_of",
]
