"""Where knowledge lies: our own folder, folders a user names, packages that bring some."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

ENTRY_POINTS = "traindx.kb"
"""The entry-point group of installed packs: each names a package whose folder is one."""


class Pack(NamedTuple):
    """A folder of knowledge."""

    name: str
    root: Path
    proven: bool = False
    """Whether its patterns and examples were checked before it was released, and need not be at each load."""


class PackError(ValueError):
    """A pack that is not there."""


def own_pack() -> Pack:
    """The knowledge that comes with traindx."""
    from ... import kb

    return Pack("kb", Path(next(iter(kb.__path__))), proven=True)


def all_packs(folders: Sequence[Path]) -> list[Pack]:
    """Our own knowledge, then that of installed packages, then that of the folders a user names.

    Raises PackError for a folder that is not there.
    """
    named = []
    for folder in folders:
        if not os.path.isdir(folder):
            raise PackError(f"{folder}: no such folder; --kb takes a folder laid out like traindx's own kb/")
        named.append(Pack(folder.name or str(folder), Path(os.path.realpath(folder))))
    return [own_pack(), *_installed(), *named]


def _installed() -> Iterator[Pack]:
    if not any(_may_bring_packs(folder) for folder in sys.path):
        return
    from importlib.metadata import entry_points
    from importlib.util import find_spec

    for point in sorted(entry_points(group=ENTRY_POINTS), key=lambda point: point.name):
        spec = find_spec(point.value.partition(":")[0])
        for location in (spec.submodule_search_locations or []) if spec else []:
            yield Pack(point.name, Path(location))


def _may_bring_packs(folder: str) -> bool:
    """Whether some distribution in a folder of the import path declares our entry points.

    Reading the entry points of every distribution costs more than the rest of a short run, so
    only their files are searched for the group's name.
    """
    try:
        with os.scandir(folder) as entries:
            points = [
                f"{entry.path}/entry_points.txt"
                for entry in entries
                if entry.name.endswith((".dist-info", ".egg-info"))
            ]
    except OSError:
        return False
    return any(_mentions_group(path) for path in points)


def _mentions_group(path: str) -> bool:
    try:
        with open(path, "rb") as file:
            return b"[" + ENTRY_POINTS.encode() + b"]" in file.read()
    except OSError:
        return False
