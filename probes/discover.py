"""What did the person hand in? Files and pipes that are named, run directories walked."""

from __future__ import annotations

import io
import os
import stat
from collections.abc import Iterable
from pathlib import Path

from .folders import MAX_FILES, files_below
from .inputs import Input, Kind
from .kinds import kind_inside, kind_of, why_other
from .older_states import without_older_states
from .own import NOT_READ, is_own_report
from .runs import runs_in
from .text import MAX_TEXT

MAX_SEEN = 20_000
_NAMED = 5
"""Runs of a directory that are named."""


class BadInput(Exception):
    """An input that a person named and that is not there. The message is for the person."""


class Found:
    """The inputs, and what a person should know about how they were found."""

    __slots__ = ("inputs", "notes", "read_as_one", "runs")

    def __init__(self, inputs: Iterable[Input] = ()) -> None:
        self.inputs = list(inputs)
        self.notes: list[str] = []
        self.runs: list[Path] = []
        """The folders of runs that lie side by side in a directory."""
        self.read_as_one: list[str] = []
        """The notes that say of them that they were."""

    def of_run(self, run: Path) -> Found:
        """What is there of one of the runs: its own files, and those of none, such as a script that all share."""
        others = [one for one in self.runs if one != run]
        apart = Found(
            one
            for one in self.inputs
            if one.path is None or not any(other in one.path.parents for other in others)
        )
        apart.notes = [note for note in self.notes if note not in self.read_as_one]
        return apart


def discover(paths: Iterable[Path]) -> Found:
    """Tell the named files apart and walk the named directories.

    Raises BadInput for a path that is not there, cannot be looked at, or is neither file, pipe nor directory.
    """
    found = Found()
    for path in paths:
        if os.path.isdir(path):
            _walk(path, found)
        elif os.path.isfile(path) and is_own_report(path):
            found.notes.append(f"{path}: {NOT_READ}")
        elif (one := _file(path, None)).kind is Kind.OTHER:
            found.notes.append(f"{path}: {why_other(path)}")
        else:
            found.inputs += [one, *_printed(path, named=True)]
    return found


def named(path: Path, kind: Kind) -> Input:
    """An input whose kind the person says.

    Raises BadInput where it is not there.
    """
    if os.path.isdir(path):
        raise BadInput(f"{path}: is a directory; name it without an option")
    return _file(path, kind)


def piped(name: str, kind: Kind, stream: io.BufferedReader) -> Input:
    """What comes through a pipe: a log is read as it comes, anything else at once."""
    if kind is Kind.LOG:
        return Input(name, kind, stream=stream)
    return Input(name, kind, data=stream.read(MAX_TEXT + 1))


def _file(path: Path, kind: Kind | None) -> Input:
    """A file or a pipe, such as `<(command)` gives; without a kind, a pipe brings a log."""
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        if os.path.islink(path):
            raise BadInput(f"{path}: a link to {os.readlink(path)}, which is not there") from None
        raise BadInput(f"{path}: no such file or directory{_nearby(path)}") from None
    except (OSError, ValueError) as error:
        raise BadInput(f"{path}: {getattr(error, 'strerror', None) or error}") from None
    if stat.S_ISREG(mode):
        return Input(str(path), kind or kind_of(path), path)
    if not stat.S_ISFIFO(mode):
        raise BadInput(f"{path}: neither a file nor a directory")
    try:
        return piped(str(path), kind or Kind.LOG, path.open("rb"))
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror or error}") from None


def _walk(root: Path, found: Found) -> None:
    """Everything in a run directory that a probe can read, the likeliest files first."""
    before = len(found.inputs)
    files = _readable(root, found)
    if len(files) > MAX_FILES:
        found.notes.append(f"{root}: {len(files)} readable files; the {MAX_FILES} nearest the top were read")
    cells = MAX_FILES
    for path, kind in files[:MAX_FILES]:
        found.inputs.append(Input(str(path), kind, path, named=False))
        printed = _printed(path, named=False)
        if len(printed) > cells:
            found.notes.append(f"{path}: what its cells printed was not read; name it to have it read")
            continue
        cells -= len(printed)
        found.inputs += printed
    if len(runs := runs_in(found.inputs[before:])) > 1:
        names = ", ".join(str(one.relative_to(root)) for one in runs[:_NAMED])
        found.runs += runs
        note = f"{root}: {len(runs)} runs side by side were read as one; name the one you mean: {names}"
        found.read_as_one.append(note)
        found.notes.append(note)
    if len(found.inputs) == before:
        found.notes.append(f"{root}: no log, configuration or script in this directory")


def _readable(root: Path, found: Found) -> list[tuple[Path, Kind]]:
    """The files of a kind that a probe reads, those nearest the top first."""
    files: list[tuple[Path, Kind]] = []
    for count, path in enumerate(files_below(root, found.inputs, found.notes), 1):
        if count > MAX_SEEN:
            found.notes.append(f"{root}: more than {MAX_SEEN} files; only these were looked at")
            break
        kind = kind_inside(path)
        if kind is not Kind.OTHER and is_own_report(path):
            found.notes.append(f"{path}: {NOT_READ}")
        elif kind is not Kind.OTHER:
            files.append((path, kind))
    files = without_older_states(files, found.notes)
    return sorted(files, key=lambda one: (len(one[0].relative_to(root).parts), str(one[0])))


def _printed(path: Path, *, named: bool) -> list[Input]:
    """What the cells of a notebook printed."""
    if not path.name.endswith(".ipynb"):
        return []
    from .notebooks import outputs_of

    return outputs_of(path, named=named)


def _nearby(path: Path) -> str:
    """A file of a similar name in the same directory, as a hint."""
    import difflib

    try:
        names = os.listdir(path.parent)
    except OSError:
        return ""
    close = difflib.get_close_matches(path.name, [name for name in names if name != path.name], n=1)
    return f"; did you mean {path.parent / close[0]}?" if close else ""
