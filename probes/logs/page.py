"""The block that is being read, and the places of its lines."""

from __future__ import annotations

from traindx.engine.facts import Place

from .blocks import Block
from .collected import shown
from .marks import Mark
from .positions import Positions

CONTEXT = 20
"""Lines kept of the block before, for texts that stretch over several lines."""


class Page:
    """Where a log is open."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._block = Block(b"", 1)
        self._before: list[bytes] = []
        self._positions: Positions | None = None

    def attach(self, positions: Positions) -> None:
        """Let places know their step."""
        self._positions = positions

    def turn(self, block: Block) -> None:
        """The lines from now on are of this block."""
        self._before = self._block.lines[-CONTEXT:] if self._block.data else []
        self._block = block

    def number(self, index: int) -> int:
        """The number of a line of this block."""
        return self._block.number(index)

    def place(self, index: int, line: bytes, rank: int | None = None) -> Place:
        """The place of a line of this block."""
        number, step = self._block.number(index), None
        if self._positions is not None:
            bar, header = self._positions.before(index)
            step = self._positions.where(Mark(number, line, bar, header)).step
        whole = int(step) if step is not None and step.is_integer() else step
        return Place(self.name, number, step=whole, rank=rank, text=shown(line))

    def place_at(self, number: int, line: bytes) -> Place:
        """The place of a line by its number, wherever it is."""
        return Place(self.name, number, text=shown(line))

    def context(self, index: int, count: int) -> list[bytes]:
        """The last lines up to one of this block."""
        lines = self._block.lines[max(0, index + 1 - count) : index + 1]
        return ([*self._before, *lines] if index < count else lines)[-count:]
