"""Options, assignments and directives of a shell script changed, added and taken out."""

from __future__ import annotations

import re

from traindx.engine.facts import Scalar
from traindx.engine.regex import regex

from ..document import Entry, Path, Span
from .edits import Edit, indentation, insert_line, line_end_of, line_of
from .spelling import number, truth

_SHORT = regex(r"-[A-Za-z](?![\w-])")
ASSIGNMENT = regex(r"(?P<name>[A-Za-z_]\w*)\+?=")


def spell(value: Scalar, old: Entry | None, text: str, *, casts: bool) -> str:
    """A value as a word; one with blanks or signs goes into quotes."""
    raw = str(old.value) if old else ""
    if isinstance(value, bool):
        return truth(value, raw, "True", "False")
    if isinstance(value, int | float):
        return number(value, raw)
    inside_quotes = old is not None and old.style == "quoted"
    return (
        value
        if inside_quotes or re.fullmatch(r"[\w./:=,@%+-]+", value)
        else "'" + value.replace("'", "'\\''") + "'"
    )


def insert(text: str, anchor: Span, keys: Path, raw: str) -> list[Edit]:
    """A new option behind the anchor in its form; on a continued line of its own where the anchor is."""
    name, before = ".".join(map(str, keys)), text[slice(*anchor)]
    start, _ = line_of(text, anchor[0])
    if text.startswith("#SBATCH", start):
        return insert_line(
            text, (start, anchor[1]), lambda indent: [f"#SBATCH --{name}" + (f"={raw}" if raw else "")]
        )
    if found := re.match(r"--?", before):
        sign = "=" if re.match(r"--?[\w.-]+=", before) else " "
        # One dash before one letter is short for a name that has two.
        dashes = "--" if len(name) > 1 and _SHORT.match(before) else found[0]
        new = f"{dashes}{name}" + (f"{sign}{raw}" if raw else "")
    else:
        new = f"{name}={raw}"
    indent = indentation(text, anchor[0])
    if ASSIGNMENT.match(before) and indent is not None:
        return insert_line(text, anchor, lambda indent: [indent + new])
    if indent and _continued(text, start):
        return [Edit(anchor[1], anchor[1], f" \\{line_end_of(text, anchor[0])}{indent}{new}")]
    return [Edit(anchor[1], anchor[1], f" {new}")]


def export(text: str, name: str, raw: str) -> Edit:
    """A variable set for everything that follows: in front of the first command, or of the first line of a .env file."""
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    exported = "" if lines and all(ASSIGNMENT.match(line) for line in lines) else "export "
    first = re.compile(r"^(?![ \t]*(?:#|\r?$)).", re.MULTILINE).search(text)
    at = first.start() if first else len(text)
    return Edit(at, at, f"{exported}{name}={raw}{line_end_of(text, at)}")


def _continued(text: str, start: int) -> bool:
    """Whether the line before the one that starts here goes on in it."""
    return text[:start].rstrip("\r\n").endswith("\\")


def remove(text: str, entry: Entry) -> Edit | None:
    """An option taken out, with the blanks or the continued line in front of it."""
    if entry.whole is None:
        return None
    start, end = entry.whole
    gap = re.compile(r"(?:[ \t]|\\\r?\n)*$").search(text[max(0, start - 200) : start])
    return Edit(start - len(gap[0]) if gap else start, end, "")
