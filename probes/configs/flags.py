"""Switches on a command line: `--fp16` turned off, or turned into `--bf16` in its place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from traindx.engine.facts import Scalar
from traindx.engine.regex import regex

from .combine import Read
from .dialect import Dialect
from .document import Entry, Span
from .formats.edits import Edit
from .occurrence import Occurrence
from .spell import NotSpelled, spelled
from .values import to_bool

WITHOUT = "without "
"""Before an option that is to be left out."""
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


def as_option(read: Read, setting: str, value: Scalar) -> str:
    """The word that gives a setting on the command line of a document's trainer; empty where that takes none.

    A switch that takes no value is turned off by leaving it out: `without --amp`.
    """
    dialect = read.trainer
    if dialect is None or "shell" not in dialect.stored["formats"]:
        return ""
    wanted = _wanted(dialect, setting, value, dialect.found(read.document.reading.entries, in_script=False))
    return _as_options(dialect, wanted)


def in_words_of(dialect: Dialect, setting: str, value: Scalar) -> str:
    """A setting as a trainer spells it of which no file is at hand: an option, or the path of its key; empty where it has none."""
    from .formats import format_module

    wanted = {} if dialect.loose or dialect.stored.get("always") else _wanted(dialect, setting, value, {})
    joins = dialect.style in ("assign", "pair")
    # What stands in a section is no option with most trainers, and the path tells where it goes with all.
    if "shell" in dialect.stored["formats"] and (joins or not any("." in key for key in wanted)):
        return _as_options(dialect, wanted)
    spell = format_module("yaml").spell
    return ", ".join(f"{key}: {spell(raw, None, '', casts=True)}" for key, raw in wanted.items())


def _wanted(
    dialect: Dialect, setting: str, value: Scalar, found: Mapping[str, Sequence[Entry]]
) -> Mapping[str, Any]:
    """The keys of a trainer, as options are called, and what they must hold."""
    for way in dialect.settings.get(setting, ()) if setting not in dialect.never_added else ():
        if not way.idle_by(found, dialect.normal):
            try:
                lacks = way.lacking(found, dialect.normal)
                beside = {key: way.only_with[key] for key in lacks if key in way.only_with}
                return beside | {way.flag or key: raw for key, raw in spelled(way, value, None).items()}
            except NotSpelled:
                continue
    return {}


def _as_options(dialect: Dialect, wanted: Mapping[str, Any]) -> str:
    from .formats import format_module

    spell = format_module("shell").spell
    return " ".join(
        _option(key, raw, dialect, spell(raw, None, "", casts=True)) for key, raw in wanted.items()
    )


def as_override(seen: Occurrence, value: Scalar) -> str:
    """The word that overrides a setting on a command line of Hydra: the path at which it stands, and its new value."""
    from .formats import format_module

    try:
        wanted = spelled(seen.way, value, None)
    except NotSpelled:
        return ""
    path = seen.entry.path
    if len(wanted) != 1 or not path or not all(isinstance(part, str) for part in path):
        return ""
    (raw,) = wanted.values()
    return f"{'.'.join(map(str, path))}={format_module('shell').spell(raw, None, '', casts=True)}"


def _option(key: str, raw: Any, dialect: Dialect, spelled_out: str) -> str:
    if dialect.style in ("assign", "pair"):
        return f"{key}{'=' if dialect.style == 'assign' else ' '}{spelled_out}"
    name = f"--{key.replace('_', '-') if dialect.hyphens else key}"
    if isinstance(raw, bool) and dialect.bare_flags:
        return name if raw else f"{WITHOUT}{name}"
    return f"{name} {spelled_out}"
