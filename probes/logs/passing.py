"""Blocks on their way to a reader: the ends of each text are kept, and whoever waits hears how far reading is."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

from traindx.engine.probe import EXCERPT, Progress

from ..inputs import Input
from .blocks import Block, Blocks

if TYPE_CHECKING:
    from .noticing import Noticing

EVERY = 0.2
"""Seconds between two calls of the progress callback."""


class Passing:
    """Hands on the blocks of one input after the other. `excerpts` are the ends of what was read."""

    def __init__(self, progress: Progress | None, noticing: Noticing | None) -> None:
        self._progress, self._noticing = progress, noticing
        self._called = 0.0
        self.excerpts: list[str] = []

    def through(self, source: Input, blocks: Blocks) -> Iterator[Block]:
        """The blocks, with the progress callback called now and then."""
        total = source.size
        block = None
        for number, block in enumerate(blocks):
            if number == 0:
                self.excerpts.append(block.data[:EXCERPT].decode(errors="replace"))
            yield block
            if self._noticing is not None:
                self._noticing.grown()
            now = time.monotonic()
            if self._progress is not None and now - self._called >= EVERY:
                self._called = now
                done = blocks.position()
                self._progress(source.name, done, max(total, done))
        if block is not None:
            self.excerpts.append(block.data[-EXCERPT:].decode(errors="replace"))
