"""Knows the folder of a watched run that was kept, `diagnose run --keep DIR`, and what else its command names."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ..inputs import Input, Kind
from .processes import Record
from .records import MAX_LINE, parsed

_PARENT = "parent.jsonl"


def is_watched_run(folder: Path) -> bool:
    """Whether `diagnose run` has written its records there."""
    return _head(folder) is not None


def inputs_of_run(folder: Path) -> list[Input]:
    """The records, and the scripts and configurations on the command line of the run where they are still there."""
    from .command import named_in

    head = _head(folder) or {}
    command, directory = head.get("argv"), head.get("directory")
    records = Input(str(folder), Kind.LIVE, folder)
    if not isinstance(command, Sequence) or not isinstance(directory, str):
        return [records]
    return [records, *named_in([str(word) for word in command], Path(directory))]


def _head(folder: Path) -> Record | None:
    """What the parent of the run said first."""
    try:
        with (folder / _PARENT).open("rb") as file:
            record = parsed(file.readline(MAX_LINE))
    except OSError:
        return None
    return record if record is not None and record.get("role") == "parent" else None
