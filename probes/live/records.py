"""Reads the folder of a watched run: what each process wrote, as far as it has written it.

The files are what processes left that may have been killed at any moment, under a version of the
observer that may be another: a half-written line waits for its rest, an unknown kind is somebody
else's, and nothing in them is trusted to have the type it should have.
"""

from __future__ import annotations

import json
import shutil
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from .faults import read_faults
from .observer.journal import VERSION
from .processes import Record, whole

MAX_LINE = 4 << 20
"""Bytes of the longest line that is a record."""
MAX_PROCESSES = 4096
_FIRST = 2_000
_LAST = 20_000
"""Records kept of one process: the first and the last. A loop of millions of steps fits."""


class RunRecords(NamedTuple):
    """What was read."""

    processes: list[list[Record]]
    """The records of each process, the process that started first at the front."""
    notes: list[str]
    """What a person should know about how far this could be read."""


class Tail:
    """Reads what is new in the folder, each time it is asked."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._read: dict[str, int] = {}

    def new(self) -> Iterator[tuple[str, Record]]:
        """The records written since the last time, each with the name of its file. Raises nothing."""
        for path in sorted(self._folder.glob("*.jsonl"))[:MAX_PROCESSES]:
            try:
                yield from ((path.stem, record) for record in self._new_in(path))
            except OSError:
                continue  # The folder was removed from outside; there is nothing to say yet.

    def _new_in(self, path: Path) -> Iterator[Record]:
        with path.open("rb") as file:
            file.seek(self._read.get(path.name, 0))
            while (line := file.readline(MAX_LINE)).endswith(b"\n"):
                self._read[path.name] = file.tell()
                record = parsed(line)
                if record is not None:
                    yield record


def read_run(folder: Path) -> RunRecords:
    """Everything that the processes of a run wrote."""
    run = RunRecords([], [])
    found = sorted(folder.glob("*.jsonl"))
    if len(found) > MAX_PROCESSES:
        run.notes.append(f"{len(found)} processes wrote records; {MAX_PROCESSES} of them were read")
    for path in found[:MAX_PROCESSES]:
        try:
            run.processes.extend(_processes(path, run.notes))
        except OSError as error:
            run.notes.append(f"the records of process {path.stem} cannot be read: {error.strerror}")
    run.processes.sort(key=_start)
    if shutil.disk_usage(folder).free < MAX_LINE:
        run.notes.append(
            f"the disk that holds {folder} is full; what the run did since then was not recorded"
        )
    if all(one[0].get("role") == "parent" for one in run.processes):
        run.notes.append(
            "no Python process could be watched: the command started none, or one that ignores PYTHONPATH "
            "(-S, -I, -E, another environment)"
        )
    newer = max((whole(one[0].get("version")) or 0 for one in run.processes), default=0)
    if newer > VERSION:
        run.notes.append(
            f"the observer of this run is newer (records {newer}, known here {VERSION}); some may be missed"
        )
    return run


def parsed(line: bytes) -> Record | None:
    """One line as a record; None where it is none."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) and isinstance(record.get("kind"), str) else None


class Kept:
    """The records of one process: its first and its last ones."""

    def __init__(self) -> None:
        self._first: list[Record] = []
        self._last: deque[Record] = deque(maxlen=_LAST)
        self.dropped = 0

    def add(self, record: Record) -> None:
        """The next one."""
        if len(self._first) < _FIRST:
            self._first.append(record)
            return
        self.dropped += len(self._last) == _LAST
        self._last.append(record)

    @property
    def last(self) -> Record:
        """The one that came last."""
        return self._last[-1] if self._last else self._first[-1]

    def all(self) -> list[Record]:
        """What was kept, in order."""
        return [*self._first, *self._last]


def _processes(path: Path, notes: list[str]) -> Iterator[list[Record]]:
    """The processes that had this number, one after the other: in a long run numbers come again."""
    kept: Kept | None = None
    broken = 0
    with path.open("rb") as file:
        while line := file.readline(MAX_LINE):
            record = parsed(line)
            if record is None:
                broken += 1
                continue
            if kept is None or record["kind"] == "process":
                if kept is not None:
                    yield kept.all()
                kept = Kept()
            kept.add(record)
    if kept is not None:
        for fault in read_faults(path.with_suffix(".fault")):
            kept.add({"t": kept.last.get("t", 0), **fault})
        if kept.dropped:
            notes.append(f"process {path.stem}: {kept.dropped} records from its middle were left out")
        yield kept.all()
    if broken:
        notes.append(f"process {path.stem}: {broken} records are half-written or unreadable")


def _start(records: list[Record]) -> float:
    time = records[0].get("time")
    return float(time) if isinstance(time, (int, float)) else 0.0
