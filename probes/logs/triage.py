"""Huge logs: every signature everywhere, numbers from some of the blocks, everything around an event."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from .blocks import Block
from .finder import Finder, make_finder
from .listening import Listener
from .scan import Scan

STRIDE = 16
"""Of at least so many blocks the numbers of one are read."""
SAMPLED = 16 << 20
"""Bytes of which the numbers are read, however large the log: more points than any curve is kept with."""
ENDS = 4
"""Blocks at the start and at the end that are read in full."""


class Triage:
    """Reads a log that is too large to read every number of."""

    def __init__(self, scan: Scan, listener: Listener, size: int = 0) -> None:
        """`size` is that of the log in bytes, or 0 where it is not known."""
        self._scan, self._listener = scan, listener
        self._finder: Finder = make_finder(listener.machines)
        self._stride = max(STRIDE, size // SAMPLED)
        self._blocks = self._full = 0

    @property
    def note(self) -> str:
        """What was read in full, for the report."""
        if self._full == self._blocks:
            return ""
        return (
            f"sampled: errors and events were looked for everywhere, numbers were read in {self._full} of "
            f"{self._blocks} parts (1 in {self._stride}, the first and last, and wherever something happened)"
        )

    def read(self, blocks: Iterable[Block]) -> None:
        """Read all blocks."""
        waiting = deque[Block]()
        for block in blocks:
            waiting.append(block)
            if len(waiting) > ENDS:
                self._block(waiting.popleft())
        for block in waiting:
            self._feed(block)

    def _block(self, block: Block) -> None:
        sampled = self._blocks < ENDS or self._blocks % self._stride == 0
        if sampled or self._listener.busy or self._is_eventful(block):
            self._feed(block)
        else:
            self._blocks += 1

    def _feed(self, block: Block) -> None:
        self._blocks += 1
        self._full += 1
        self._scan.feed(block)

    def _is_eventful(self, block: Block) -> bool:
        """Whether something stands in a block that was not seen before."""
        return any(map(self._scan.is_news, self._finder.lines(block.data)))
