"""This machine as the probes see it: its files, its variables, its Python."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

MOST = 1 << 18
"""Bytes read of one system file; `mountinfo` of a busy node has some tens of thousands."""
_SYSTEMS = {"win32": "windows", "cygwin": "windows"}


def whole(text: str) -> int | None:
    """A whole number of at most twenty digits, or None where a text is none."""
    text = text.strip()
    return int(text) if text.isdecimal() and len(text) <= 20 else None


@dataclass(frozen=True, slots=True)
class Host:
    """Where everything about the machine is read. The defaults are the machine itself."""

    root: Path = Path("/")
    """Where /proc, /sys, /dev and /etc lie."""
    environ: Mapping[str, str] = field(default_factory=lambda: os.environ)
    system: str = _SYSTEMS.get(sys.platform, sys.platform)
    """`linux`, `darwin`, `windows`, or what Python calls it."""
    search_path: Sequence[str] = field(default_factory=lambda: tuple(sys.path))
    """Where Python looks for modules."""
    prefix: str = sys.prefix
    """The folder of the Python environment we run in."""
    python: str = ".".join(map(str, sys.version_info[:3]))

    def at(self, path: str) -> Path:
        """Where an absolute path of the machine lies."""
        return self.root / path.lstrip("/")

    def read(self, path: str) -> str | None:
        """The start of a text file of the system, or None where there is none or it may not be read."""
        try:
            with self.at(path).open("rb") as file:
                return file.read(MOST).decode("utf-8", "replace")
        except (OSError, ValueError):
            return None

    def number(self, path: str) -> int | None:
        """The whole number that a file of the system holds, or None."""
        return whole((self.read(path) or "").partition("\n")[0])

    def names(self, path: str) -> list[str]:
        """What lies in a folder of the system, sorted; empty where there is none."""
        try:
            return sorted(os.listdir(self.at(path)))
        except (OSError, ValueError):
            return []

    def has(self, path: str) -> bool:
        """Whether something lies there."""
        return os.path.exists(self.at(path))
