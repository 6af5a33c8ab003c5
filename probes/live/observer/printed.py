"""What the script prints: the numbers of its validation, which no other part can see."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .journal import Journal
from .part import Part
from .traces import hidden, leave_out_ours

if TYPE_CHECKING:
    from .watcher import Watcher

MOST = 4 << 20
"""Characters that are kept of what a process prints; what comes later is passed through unheard."""


LINES = 100
LONGEST = 2000
"""Lines in one record, and characters of a line."""


class Printed(Part):
    """Hears what this process writes to its standard output and error, and writes it down line by line.

    The streams stay what they are: only their `write` is ours, which calls theirs first. What a progress bar has
    written over is left out.
    """

    name = "printed"

    def __init__(self, journal: Journal, options: Mapping[str, Any], watcher: Watcher) -> None:
        self._journal, self._watcher = journal, watcher
        self._pid = os.getpid()
        self._pieces: list[str] = []
        self._rest = ""
        self._left = MOST
        self._writing = threading.Lock()
        self._heard: list[Any] = []
        for stream in (sys.stdout, sys.stderr):
            self._hear(stream)
        watcher.on_close(self._stop)

    def _hear(self, stream: Any) -> None:
        original = getattr(stream, "write", None)
        # A stream that two names stand for is heard once; one of a class that takes no attributes, not at all.
        if original is None or any(one is stream for one, _, _ in self._heard):
            return

        @hidden
        def write(*args: Any, **kwargs: Any) -> Any:
            try:
                result = original(*args, **kwargs)
            except BaseException as error:
                leave_out_ours(error)
                raise
            if self._left > 0 and args and type(args[0]) is str:
                piece = args[0][: self._left]
                self._left -= len(piece)
                self._pieces.append(piece)
            return result

        try:
            stream.write = write
        except AttributeError:
            return
        self._heard.append((stream, original, write))

    def beat(self) -> None:
        """A second has passed."""
        self._write()

    def flush(self) -> None:
        """What was heard so far is asked for."""
        self._write()

    def ended(self) -> None:
        """The last line may have no end."""
        self._write(last=True)

    def _write(self, *, last: bool = False) -> None:
        """Write the lines that are complete. A forked child holds what its parent has heard, and says nothing of it."""
        if os.getpid() != self._pid or not self._writing.acquire(timeout=1 if last else 0):
            return
        try:
            pieces, self._pieces = self._pieces, []
            *lines, self._rest = (self._rest + "".join(pieces)).split("\n")
            if last and self._rest:
                lines, self._rest = [*lines, self._rest], ""
            for first in range(0, len(lines), LINES):
                said = [_final(line)[:LONGEST] for line in lines[first : first + LINES]]
                self._journal.record("printed", step=self._watcher.step, lines=said)
        finally:
            self._writing.release()

    def _stop(self) -> None:
        self._left = 0
        for stream, original, write in self._heard:
            # Where somebody has put a `write` of their own over ours, it goes on through ours.
            if getattr(stream, "write", None) is write:
                try:
                    del stream.write
                except AttributeError:
                    stream.write = original


def _final(line: str) -> str:
    """What stands at the end in a line that was written over."""
    parts = [part for part in line.split("\r") if part]
    return parts[-1] if parts else ""
