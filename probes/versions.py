"""Runs that a logger keeps side by side in one folder: `version_0`, `version_1`, or `Nov23_23-53-56_host`. One of them is meant."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from traindx.engine.regex import regex

_VERSION = "version_"
"""What the folders begin with in which Lightning's loggers number their runs."""
_EVENTS = "events.out.tfevents"
_DATED = regex(r"[A-Z][a-z]{2}\d\d_\d\d-\d\d-\d\d_(.+)")
"""How torch's writer of events names a run that nobody names: by when and where it began."""
_TOGETHER = 60
"""Seconds within which the hosts of one run begin."""
_NAMED = 3
"""Runs that a note names; of more it says how many."""


def newest_version(folder: Path, entries: Sequence[Path], notes: list[str]) -> list[Path]:
    """The entries of a folder without the older ones of its versions. What is left out is noted.

    A version without numbers, of a run that never began, is not the one that was meant.
    """
    versions = sorted((number, entry) for entry in entries if (number := _number(entry)) is not None)
    if len(versions) >= 2:
        newest = next((entry for _, entry in reversed(versions) if _has_numbers(entry)), versions[-1][1])
        left = [entry for _, entry in versions if entry != newest]
    else:
        versions = sorted((began, entry) for entry in entries if (began := _began(entry)) is not None)
        if not versions:
            return list(entries)
        last, newest = versions[-1]
        left = [
            entry for began, entry in versions if last - began > _TOGETHER or _host(entry) == _host(newest)
        ]
        left = [entry for entry in left if entry != newest]
    if not left:
        return list(entries)
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


def _began(entry: Path) -> int | None:
    """When the run of a folder that is named by its date began, as the first of its files of events says; else None."""
    if not (_DATED.fullmatch(entry.name) and entry.is_dir()):
        return None
    times = [
        name.removeprefix(_EVENTS + ".").partition(".")[0]
        for name in _names(entry)
        if name.startswith(_EVENTS)
    ]
    return min((int(one) for one in times if one.isdecimal()), default=None)


def _host(entry: Path) -> str:
    dated = _DATED.fullmatch(entry.name)
    return dated[1] if dated else ""


def _has_numbers(version: Path) -> bool:
    """Whether a logger's folder holds what a run measured."""
    return any(name == "metrics.csv" or name.startswith(_EVENTS) for name in _names(version))


def _names(folder: Path) -> list[str]:
    try:
        return [entry.name for entry in folder.iterdir()]
    except OSError:
        return []
