"""The scripts and configurations that a command line names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from ..inputs import Input, Kind
from ..kinds import kind_of

MAX_SIZE = 8 << 20
"""Bytes; larger files are data."""
_READ = (Kind.CODE, Kind.CONFIG)


def named_in(command: Sequence[str], directory: Path = Path()) -> list[Input]:
    """The files on a command line that are scripts or configurations, in its order, each once.

    They are recognised as words (`train.py`), as values (`--config=config.yaml`) and as modules (`-m pkg.train`), and
    looked up from the directory in which the command runs.
    """
    found = {}
    for name in _paths(command):
        path = directory / name
        if _is_small_file(path) and (kind := kind_of(path)) in _READ:
            found[path.resolve()] = Input(str(name), kind, path)
    return list(found.values())


def _paths(command: Sequence[str]) -> Iterator[Path]:
    for before, word in zip(["", *command], command, strict=False):
        if before == "-m" and all(part.isidentifier() for part in word.split(".")):
            base = Path(*word.split("."))
            yield from (base.with_suffix(".py"), base / "__main__.py")
        elif word.startswith("-"):
            yield from (Path(value) for value in word.split("=", 1)[1:] if value)
        elif word:
            yield Path(word)


def _is_small_file(path: Path) -> bool:
    try:
        return path.is_file() and path.stat().st_size <= MAX_SIZE
    except (OSError, ValueError):
        return False
