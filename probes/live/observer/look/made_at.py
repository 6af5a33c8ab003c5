"""Which operation of the step made a node of the graph."""

from __future__ import annotations

import bisect
from typing import TYPE_CHECKING

from .places import Place, Places

if TYPE_CHECKING:
    import torch

    from .source import Source


class MadeAt:
    """The places of the operations that made nodes, in the order of making.

    An operation may make several: those up to the node of its result, from that of the operation before it.
    """

    def __init__(self) -> None:
        self._ends: list[int] = []
        self._calls: list[Place] = []
        self._given: list[Source | None] = []

    def mark(self, result: torch.Tensor, places: Places, given: Source | None = None) -> None:
        """Remember where the script is, if this result of an operation has a node of its own; and what was non-finite in what it was given."""
        if result.grad_fn is not None:
            end = result.grad_fn._sequence_nr()
            if not self._ends or end > self._ends[-1]:
                self._ends.append(end)
                self._calls.append(places.here())
                self._given.append(given)

    def place_of(self, number: int) -> Place:
        """The place of the operation that made the node with this sequence number."""
        at = bisect.bisect_left(self._ends, number)
        return self._calls[at] if at < len(self._calls) else Place()

    def given_to(self, number: int) -> Source | None:
        """Where the NaN comes from that the operation of this node was given, or gave, in the forward pass."""
        at = bisect.bisect_left(self._ends, number)
        return self._given[at] if at < len(self._given) else None

    @property
    def last(self) -> Place:
        """The place of the last operation that made a node."""
        return self._calls[-1] if self._calls else Place()
