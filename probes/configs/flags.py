"""Switches on a command line: `--fp16` turned off, or turned into `--bf16` in its place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from traindx.engine.regex import regex

from .document import Entry, Span
from .formats.edits import Edit
from .values import to_bool

_OPTION = regex(r"(?P<dashes>--?)[A-Za-z][\w.\-]*")


def is_bare(entry: Entry, raw: Any) -> bool:
    """Whether an option is a switch without a value, though another word may follow it."""
    is_option = entry.kind in ("option", "launch") and isinstance(raw, bool)
    return entry.style == "flag" or (
        is_option and isinstance(entry.value, str) and to_bool(entry.value) is None
    )


def option(text: str, entry: Entry) -> tuple[Span, str] | None:
    """The option itself without what follows it, and its dashes; None where it is not written in one piece."""
    whole = entry.whole or entry.span
    found = _OPTION.match(text, whole[0]) if whole else None
    return (found.span(), found["dashes"]) if found else None


def swapped(wanted: Mapping[str, Any], held: Mapping[str, Entry]) -> tuple[str, Entry] | None:
    """The switch that comes and the one that goes, where a change is just that."""
    on = [key for key, raw in wanted.items() if raw is True and key not in held]
    off = [key for key, entry in held.items() if entry.style == "flag"]
    only = len(on) == len(off) == 1 and all(wanted[key] is False for key in held)
    return (on[0], held[off[0]]) if only else None


def renamed(text: str, entry: Entry, name: str) -> Edit | None:
    """Another option in the place of a switch."""
    here = option(text, entry)
    return Edit(*here[0], f"{here[1]}{name}") if here else None
