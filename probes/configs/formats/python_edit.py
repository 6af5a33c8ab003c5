"""Constants, keywords and assignments of a Python text changed and added."""

from __future__ import annotations

import re

from traindx.engine.facts import Scalar

from ..document import Entry, Path, Span
from .edits import Edit, insert_item, insert_line
from .spelling import number, truth


def spell(value: Scalar, old: Entry | None, text: str, *, casts: bool) -> str:
    """A value as Python; a name such as `torch.bfloat16` stays a name."""
    raw = text[slice(*old.span)] if old and old.span else ""
    quote = old.style if old and old.style in ("'", '"') else ""
    if isinstance(value, bool):
        return quote + truth(value, raw.strip("'\""), "True", "False") + quote
    if isinstance(value, int | float):
        return quote + number(value, raw.strip("'\"")) + quote
    is_name = all(part.isidentifier() for part in value.split("."))
    if is_name and (old.style == "name" if old else value.startswith("torch.")):
        return value
    if quote:
        value = value.removeprefix("torch.")
    spelled = repr(value)
    return spelled if quote == "'" or '"' in value or "\\" in spelled else f'"{spelled[1:-1]}"'


def insert(text: str, anchor: Span, keys: Path, raw: str) -> list[Edit]:
    """A new keyword or member behind the anchor, or a new assignment on a line of its own."""
    before = text[slice(*anchor)]
    if not before:
        return [Edit(*anchor, f"{keys[0]}={raw}")]
    raw = section(keys[1:], raw)
    if re.match(r"(['\"])[^'\"]*\1\s*:", before):
        return insert_item(text, anchor, f"{before[0]}{keys[0]}{before[0]}: {raw}")
    if _in_brackets(text, anchor):
        return insert_item(text, anchor, f"{keys[0]}={raw}")
    return insert_line(text, anchor, lambda indent: [f"{indent}{keys[0]} = {raw}"])


def section(keys: Path, raw: str) -> str:
    """A dictionary with one key in it; without keys the value itself."""
    for key in reversed(keys):
        raw = f"dict({key}={raw})"
    return raw


def _in_brackets(text: str, anchor: Span) -> bool:
    """Whether the anchor is an argument: a comma or a bracket follows it."""
    rest = re.compile(r"(?:\s|#[^\r\n]*)*").match(text, anchor[1])
    return text[rest.end() if rest else anchor[1] :][:1] in (",", ")")


def remove(text: str, entry: Entry) -> Edit | None:
    """Nothing is taken out of a script: what is left could read it."""
    return None
