"""Rows that are parts of one whole, as the nodes of a graph: what one says depends on the others, so no row is a sample."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch

ENDS = 2
"""An edge has so many ends."""


class Whole:
    """Whether the rows of every call belonged to one whole.

    Something else that the network is given tells which of them belong together, or several rows come out that are not as many
    as went in, as where the nodes around a few give what is said of those few. A single call of the other kind is enough:
    shapes may look like that by chance, and the last batch is shorter.
    """

    def __init__(self) -> None:
        self.always = True
        self._count = 0

    def given(self, rows: torch.Tensor, others: Iterable[torch.Tensor]) -> None:
        """A call begins with these rows."""
        count = len(rows)
        joined = any(_is_adjacency(one, count) or _is_edges(one, count) for one in others if one is not rows)
        self._count = 0 if joined or not self.always else count

    def gave(self, lengths: list[int]) -> None:
        """It ends, and gave tensors of these lengths."""
        count, self._count = self._count, 0
        if count > 1:
            self.always = bool(lengths) and count not in lengths and max(lengths) > 1


def _is_adjacency(one: Any, count: int) -> bool:
    """Whether it has a row and a column for each row."""
    return one.dim() == 2 and tuple(one.shape) == (count, count) and count > ENDS


def _is_edges(one: Any, count: int) -> bool:
    """Whether it is a list of pairs, of another length."""
    if one.dim() != 2 or one.is_floating_point() or one.is_complex() or len(one) == count:
        return False
    return ENDS in tuple(one.shape)
