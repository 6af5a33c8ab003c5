"""The compiled knowledge base on disk.

Stored as JSON, so that a poisoned cache can hold wrong data and never code; with the state of
every file it was made of, so that a stale one is never taken; written whole or not at all.
"""

from __future__ import annotations

import binascii
import os
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from .sections import Entries, load_section

_FORMAT = "4"
_STATE = "state"
_SETTLED = 2.0
"""Seconds after which a file's time stamp is sure to have moved on before a second change."""
_KEEP = 8


class State(NamedTuple):
    """What all files were like that a compiled base is made of."""

    name: str
    """The folder in the cache."""
    text: bytes
    """A line for each file. Two states of one name are told apart by it."""


def state_of(roots: list[Path], version: str) -> State | None:
    """The state of all files below these folders; None while one of them is still fresh, or cannot be looked at.

    Size, inode and both time stamps stand for the content: the change time cannot be set back.
    A file changed within the last seconds could change again without moving them.
    """
    lines = [f"{_FORMAT} {version} {sys.version_info[:2]}"]
    newest = 0
    for root in roots:
        lines.append(str(root))
        try:
            files = sorted(_stats(root))
        except OSError:
            return None
        for path, stat in files:
            times = stat.st_mtime_ns, stat.st_ctime_ns
            lines.append(f"{path} {stat.st_size} {stat.st_ino} {times}")
            newest = max(newest, *times)
    if newest > (time.time() - _SETTLED) * 1e9:
        return None
    text = "\n".join(lines).encode(errors="surrogateescape")
    return State(f"{binascii.crc32(text):08x}-{len(text):x}", text)


def _stats(root: Path) -> Iterator[tuple[str, os.stat_result]]:
    folders = [str(root)]
    while folders:
        folder = folders.pop()
        # As pathlib reads them: the folder of a kind may be a link, a folder within it may not.
        of_kinds = folder == str(root)
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=of_kinds):
                    folders.append(entry.path)
                elif entry.name.endswith((".yaml", ".yml", ".py", ".j2")):
                    yield entry.path, entry.stat()


def cache_folder() -> Path | None:
    """Our folder in the user's cache, private to the user; None where there can be none."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    folder = Path(base, "traindx")
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        stat = folder.stat()
    except OSError:
        return None
    if hasattr(os, "getuid") and (stat.st_uid != os.getuid() or stat.st_mode & 0o022):
        return None
    return folder


def read_section(folder: Path, state: State, section: str) -> dict[str, Entries] | None:
    """A section of the base compiled from this state, or None where it is not there or broken."""
    try:
        if (folder / state.name / _STATE).read_bytes() != state.text:
            return None
        return load_section((folder / state.name / f"{section}.json").read_text(encoding="ascii"))
    except (OSError, ValueError, AttributeError):
        return None


def write_sections(folder: Path, state: State, sections: Mapping[str, str]) -> None:
    """Store the texts of all sections of a state. A full disk or a race with another process is no error."""
    import tempfile

    with suppress(OSError):
        fresh = Path(tempfile.mkdtemp(prefix=".new-", dir=folder))
        for section, text in sections.items():
            (fresh / f"{section}.json").write_text(text, encoding="ascii")
        (fresh / _STATE).write_bytes(state.text)
        fresh.rename(folder / state.name)
    _tidy(folder)


def _tidy(folder: Path) -> None:
    """Keep the newest few, drop the rest and what a killed process left behind."""
    import shutil

    try:
        old = sorted(folder.iterdir(), key=lambda path: path.stat().st_mtime, reverse=True)
        hour_ago = time.time() - 3600
        for number, path in enumerate(old):
            left_behind = path.name.startswith(".new-") and path.stat().st_mtime < hour_ago
            if path.is_dir() and (left_behind or (number >= _KEEP and not path.name.startswith("."))):
                shutil.rmtree(path, ignore_errors=True)
            elif left_behind:
                path.unlink()
    except OSError:
        return
