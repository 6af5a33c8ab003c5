"""Runs that a logger has numbered in one folder: `version_0`, `version_1`. Each is another run, and one of them is meant."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

_VERSION = "version_"
"""What the folders begin with in which Lightning's loggers number their runs."""
_EVENTS = "events.out.tfevents"
_NAMED = 3
"""Runs that a note names; of more it says how many."""


def newest_version(folder: Path, entries: Sequence[Path], notes: list[str]) -> list[Path]:
    """The entries of a folder without the older ones of its versions. What is left out is noted.

    A version without numbers, of a run that never began, is not the one that was meant.
    """
    versions = sorted((number, entry) for entry in entries if (number := _number(entry)) is not None)
    if len(versions) < 2:
        return list(entries)
    newest = next((entry for _, entry in reversed(versions) if _has_numbers(entry)), versions[-1][1])
    left = [entry for _, entry in versions if entry != newest]
    names = ", ".join(entry.name for entry in left[:_NAMED])
    more = f" and {len(left) - _NAMED} more" if len(left) > _NAMED else ""
    notes.append(
        f"{folder}: of {len(versions)} runs only {newest.name}, the newest, was read, and not {names}{more}; "
        "name the folder of another to have it read"
    )
    return [entry for entry in entries if entry not in left]


def _number(entry: Path) -> int | None:
    """Which version a folder holds; None where it is none."""
    number = entry.name.removeprefix(_VERSION)
    return int(number) if number != entry.name and number.isdecimal() and entry.is_dir() else None


def _has_numbers(version: Path) -> bool:
    """Whether a logger's folder holds what a run measured."""
    try:
        names = [entry.name for entry in version.iterdir()]
    except OSError:
        return False
    return any(name == "metrics.csv" or name.startswith(_EVENTS) for name in names)
