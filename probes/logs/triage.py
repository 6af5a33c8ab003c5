"""Huge logs: every signature everywhere, numbers from one block in sixteen, everything around an event."""

from __future__ import annotations

from collections.abc import Iterable

from .blocks import Block
from .listening import Listener
from .scan import Scan


class Triage:
    """Reads a log that is too large to read every number of."""

    def __init__(self, scan: Scan, listener: Listener) -> None:
        self._scan, self._listener = scan, listener
        self.note = ""

    def read(self, blocks: Iterable[Block]) -> None:
        """Read all blocks."""
        for block in blocks:
            self._scan.feed(block)
