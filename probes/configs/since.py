"""Settings that were changed after the log was written: it tells of a run that had the former ones."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from traindx.engine.facts import Scalar
from traindx.engine.kb.knowledge import Knowledge
from traindx.engine.regex import regex

from ..inputs import Input, Kind
from ..text import Unreadable
from .canonical import occurrences
from .combine import Read, in_force
from .exact import read_file
from .sources import read_documents
from .values import equal

_TELLS = (Kind.LOG, Kind.RECORDS, Kind.EVENTS)
_BACKUP = regex(r"\.bak\d*\Z")


class Since(NamedTuple):
    """What was changed since the newest log was written."""

    changed: Mapping[str, tuple[str, str]]
    """Setting -> the file, and how it was changed there."""
    then: Sequence[Read]
    """The files as they were for the run that the log tells of."""


def changed_since(reads: Sequence[Read], inputs: Iterable[Input], knowledge: Knowledge) -> Since:
    """The settings that were changed since the newest log was written.

    What a file held then is the oldest of its backups that is younger than the log: backups are kept where we
    write a change. A file without one tells nothing: copying sets the time anew.
    """
    written = max((time for one in inputs if one.kind in _TELLS and (time := _time(one.path))), default=0.0)
    changed: dict[str, tuple[str, str]] = {}
    former: dict[Path, list[Read]] = {}
    if not written:
        return Since(changed, reads)
    paths = list(dict.fromkeys(path for read in reads if (path := read.document.file.path)))
    backups = _backups(paths)
    for path in paths:
        then = min((one for one in backups.get(path, ()) if one[0] > written), default=None)
        if then is None or _time(path) <= written:
            continue
        here = [read for read in reads if read.document.file.path == path]
        former[path] = _as_then(then[1], here, knowledge)
        before, now = in_force(former[path]), in_force(here)
        for setting in before.keys() | now.keys():
            was, value = before.get(setting), now.get(setting)
            if was is None or value is None or not equal(was, value):
                changed[setting] = here[0].document.file.name, f"from {_shown(was)} to {_shown(value)}"
    return Since(changed, list(_with_former(reads, former)))


def _with_former(reads: Iterable[Read], former: dict[Path, list[Read]]) -> Iterator[Read]:
    """What was read, with what stood in files that were changed in the place of what stands there now."""
    for read in reads:
        path = read.document.file.path
        if path not in former:
            yield read
        else:
            yield from former[path]
            former[path] = []


def _time(path: Path | None) -> float:
    try:
        return os.stat(path).st_mtime if path else 0.0
    except OSError:
        return 0.0


def _backups(paths: Iterable[Path]) -> dict[Path, list[tuple[float, Path]]]:
    """The backups of files, each with its time. Every folder is looked through once."""
    found: dict[Path, list[tuple[float, Path]]] = {}
    for folder in dict.fromkeys(path.parent for path in paths):
        try:
            names = [one for one in os.listdir(folder) if _BACKUP.search(one)]
        except OSError:
            continue
        for name in names:
            found.setdefault(folder / _BACKUP.sub("", name), []).append((_time(folder / name), folder / name))
    return found


def _as_then(backup: Path, here: Sequence[Read], knowledge: Knowledge) -> list[Read]:
    """A backup read as the file is read now."""
    outer = here[0].document
    try:
        file = read_file(Input(outer.file.name, Kind.CONFIG, backup))
    except Unreadable:
        return list(here)
    spoken = {one.document.name: one.dialects for one in here}
    return [
        Read(one, dialects, occurrences(one, dialects, knowledge.settings))
        for one in read_documents(file, outer.origin, named=outer.named, format_name=outer.format)
        if (dialects := spoken.get(one.name, ()))
    ]


def _shown(value: Scalar | None) -> str:
    return "unset" if value is None else f"{value:g}" if isinstance(value, float) else str(value)
