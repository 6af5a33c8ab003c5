"""Values and members of a JSON text changed, added and taken out."""

from __future__ import annotations

import json
import re

from traindx.engine.facts import Scalar

from ..document import Entry, Path, Span
from .edits import Edit, cut_line, insert_item
from .spelling import number, truth


def spell(value: Scalar, old: Entry | None, text: str, *, casts: bool) -> str:
    """A value as JSON; a number that stood in quotes stays in them where the trainer casts."""
    quoted = old is not None and old.style in ("'", '"')
    raw = text[slice(*old.span)].strip("'\"") if old and old.span else ""
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    spelled = (
        truth(value, raw if quoted else "", "true", "false")
        if isinstance(value, bool)
        else number(value, raw)
    )
    return f'"{spelled}"' if quoted else spelled


def insert(text: str, anchor: Span, keys: Path, raw: str) -> list[Edit]:
    """A new member behind the anchor, laid out like it."""
    raw = section(keys[1:], raw)
    return insert_item(text, anchor, f"{json.dumps(str(keys[0]))}: {raw}")


def section(keys: Path, raw: str) -> str:
    """An object with one member; without keys the value itself."""
    for key in reversed(keys):
        raw = f"{{{json.dumps(str(key))}: {raw}}}"
    return raw


def remove(text: str, entry: Entry) -> Edit | None:
    """A member taken out with its line, where a comma ends that line."""
    if entry.whole is None:
        return None
    comma = re.compile(r"\s*,").match(text, entry.whole[1])
    return cut_line(text, (entry.whole[0], comma.end())) if comma else None
