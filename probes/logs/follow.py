"""A log that is still being written, as a stream without an end.

Follows the name and not the file, as `tail -F` does: a log that is rotated goes on in its successor, one
that is not there yet is waited for. Polling, since notification does not work over network file systems.
"""

from __future__ import annotations

import io
import os
import time
from collections.abc import Callable
from pathlib import Path
from threading import Event

POLL = 0.25
"""Seconds between two looks at a file that did not grow."""


class Following(io.RawIOBase):
    """What is in a file, and whatever is appended to it, until `stop` is set or nothing came for `patience` seconds.

    `idle` is called between two looks. The stream also ends where the file was cut short, since another run
    then writes into it: `restarted` says so, and a new Following begins with that run.
    """

    def __init__(self, path: Path, stop: Event, idle: Callable[[], None], patience: float | None) -> None:
        self.path = path
        self.rotated = 0
        """How often another file took the name."""
        self.restarted = False
        self.found = False
        """The file was there, at once or later."""
        self._stop, self._idle, self._patience = stop, idle, patience
        self._file: io.FileIO | None = None
        self._heard = time.monotonic()

    def readable(self) -> bool:
        """Yes."""
        return True

    def readinto(self, buffer: object) -> int:
        """Wait for more, and give it; 0 at the end. Raises OSError where the file cannot be read."""
        while not self._stop.is_set():
            count = self._more(buffer)
            if count or self.restarted:
                return count
            if self._patience is not None and time.monotonic() - self._heard > self._patience:
                return 0
            self._idle()
            self._stop.wait(POLL)
        return 0

    def close(self) -> None:
        """Close the file too."""
        if self._file is not None:
            self._file.close()
        super().close()

    def _more(self, buffer: object) -> int:
        if self._file is None and not self._opened():
            return 0
        assert self._file is not None
        count = self._file.readinto(buffer) or 0  # type: ignore[arg-type]
        if count:
            self._heard = time.monotonic()
        elif os.fstat(self._file.fileno()).st_size < self._file.tell():
            self.restarted = True
        elif self._replaced():
            # What was appended between the last read and the rename.
            count = self._file.readinto(buffer) or 0  # type: ignore[arg-type]
            if not count:
                self._file.close()
                self._file = None
                self.rotated += 1
        return count

    def _opened(self) -> bool:
        try:
            self._file = io.FileIO(self.path)
        except FileNotFoundError:
            return False
        self.found = True
        return True

    def _replaced(self) -> bool:
        assert self._file is not None
        try:
            named = self.path.stat()
        except OSError:
            return False
        here = os.fstat(self._file.fileno())
        return (named.st_dev, named.st_ino) != (here.st_dev, here.st_ino)
