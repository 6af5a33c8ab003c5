"""What a person hands in: one record an input, told apart by kind."""

from __future__ import annotations

from enum import StrEnum
from io import BufferedReader
from pathlib import Path
from typing import NamedTuple


class Kind(StrEnum):
    """What an input is."""

    LOG = "log"
    """Text that a run printed, or that a person wrote about it."""
    RECORDS = "records"
    """Metrics in rows: JSON lines, CSV, trainer_state.json."""
    EVENTS = "events"
    """A TensorBoard event file."""
    CONFIG = "config"
    CODE = "code"
    PACKAGES = "packages"
    """Installed or wanted packages: requirements.txt, environment.yml, pip freeze."""
    LIVE = "live"
    """The folder in which the observers of a watched run wrote their records."""
    CHECKPOINT = "checkpoint"
    """A saved state: weights, with or without the optimizer's."""
    OTHER = "other"


class Input(NamedTuple):
    """One thing to read."""

    name: str
    """As shown to the person: the path as given, relative inside a run directory, or `<stdin>`."""
    kind: Kind
    path: Path | None = None
    data: bytes | None = None
    """The content itself, where it did not come from a file."""
    stream: BufferedReader | None = None
    """An open pipe, read once from start to end."""
    named: bool = True
    """True where the person named it; false where it was found in a directory."""
    printed: bool = False
    """A machine printed all of it, however much it reads like sentences."""

    @property
    def size(self) -> int:
        """Bytes; 0 where that is not known before it is read."""
        if self.data is not None:
            return len(self.data)
        try:
            return self.path.stat().st_size if self.path is not None else 0
        except OSError:
            return 0
