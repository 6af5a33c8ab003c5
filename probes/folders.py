"""The files below a directory. Folders in which a tool keeps a run in a form of its own are read as that run."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from .inputs import Input

MAX_FILES = 400
"""Inputs taken from one run directory; a person names what should be read beyond."""
MAX_DEPTH = 6
_SKIPPED = frozenset((
    ".git", ".hg", ".svn", ".venv", "venv", "env", "node_modules", "__pycache__", ".cache", ".mypy_cache",
    ".ruff_cache", ".pytest_cache", "site-packages", ".ipynb_checkpoints", "wandb-media", "media", ".idea", ".vscode", ".github",
    "docs", "doc", "documentation",
))  # fmt: skip
_PUT_AWAY = frozenset((
    "old", "older", "archive", "archived", "backup", "backups", "bak", "previous", "prev", "trash", "deprecated", "obsolete",
))  # fmt: skip
"""What folders of runs that are over are called, beside the files of the one that counts."""
_ABOUT = ("readme", "changelog", "contributing", "license", "history", "news", "authors", "citation")
"""What a project says of itself and of any run, and so of none; a person may name it."""


def files_below(root: Path, inputs: list[Input], notes: list[str]) -> Iterator[Path]:
    """Every file down to some depth; the runs that tools keep are added to the inputs, what is left out to the notes."""
    seen: set[tuple[int, int]] = set()
    waiting = [(root, 0)]
    while waiting:
        folder, depth = waiting.pop()
        try:
            place = folder.stat()
            entries = sorted(folder.iterdir())
        except OSError as error:
            notes.append(f"{folder}: cannot be listed ({error.strerror})")
            continue
        if (place.st_dev, place.st_ino) in seen:
            continue
        seen.add((place.st_dev, place.st_ino))
        for entry in _not_of_a_tool(folder, entries, inputs, notes):
            if os.path.isdir(entry):
                if entry.name.lower() in _PUT_AWAY and any(map(os.path.isfile, entries)):
                    notes.append(
                        f"{entry}: not read, as what is put away is of another run; name it to have it read"
                    )
                elif depth < MAX_DEPTH and entry.name not in _SKIPPED:
                    waiting.append((entry, depth + 1))
            elif os.path.isfile(entry):
                if entry.stem.lower() not in _ABOUT or entry.suffix.lower() not in (
                    "",
                    ".md",
                    ".rst",
                    ".txt",
                ):
                    yield entry
            elif os.path.islink(entry):
                notes.append(f"{entry}: a link to {os.readlink(entry)}, which is not there")


def _not_of_a_tool(folder: Path, entries: list[Path], inputs: list[Input], notes: list[str]) -> list[Path]:
    """What is to be looked at in a folder by itself, once what a tool keeps there is taken in as inputs."""
    from .live.kept import inputs_of_run, is_watched_run
    from .mlflow import OWN, inputs_of, is_run
    from .versions import newest_version

    if is_watched_run(folder):
        inputs += inputs_of_run(folder)
        return []
    if any(entry.name == "meta.yaml" for entry in entries) and is_run(folder):
        if len(inputs) < MAX_FILES:
            inputs += inputs_of(folder, notes)
        else:
            notes.append(f"{folder}: not read, after {MAX_FILES} inputs; name it to have it read")
        entries = [entry for entry in entries if entry.name not in OWN]
    return newest_version(folder, entries, notes)
