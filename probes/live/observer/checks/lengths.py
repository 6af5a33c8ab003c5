"""Samples that are compared with each other, and were brought to one length all together, or feature by feature."""

from __future__ import annotations

import math
from typing import Any

from ..graphs import grad_fn_of
from ..operations import Call
from .check import Check
from .tensors import VALUES, readable

PRODUCTS = ("matmul", "__matmul__", "mm", "linear")
SOFTMAXES = ("cross_entropy", "log_softmax", "softmax", "logsumexp")

FEWEST = 8
"""Samples and features from which on a length is no chance."""

VIEWS = 4
"""Views of a batch that are put together at most: the squares of their lengths add up."""

NEAR = 1e-3
"""How near to a whole number the square of a length is in single precision."""


class Lengths(Check):
    """Measures the rows that are multiplied with each other, where a softmax is taken of their products.

    A contrastive loss takes cosines: each sample has the length 1. Where the whole batch was divided by its norm, or
    each feature by its norm over the batch, the products are near zero whatever the network does, and the softmax
    over them stays even (NT-Xent, arXiv 2002.05709, equation 1).
    """

    name = "lengths"
    early = 3
    functions = (*PRODUCTS, *SOFTMAXES)

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._rows: dict[int, tuple[bool, Any]] = {}
        """How many rows were compared -> whether they were brought to one length together, and where."""

    def look_began(self, step: int) -> None:
        """Nothing was compared yet."""
        self._rows = {}

    def called(self, call: Call) -> None:
        """Rows are multiplied, or a softmax is taken."""
        if call.name in PRODUCTS:
            left, right = call.argument(0, "input"), call.argument(1, "other")
            if self._compares(left, right, upright=call.name != "linear"):
                # One side may carry the temperature.
                both = (left, right.T if call.name != "linear" else right)
                together = any(is_one_together(one.detach().float()) for one in both)
                self._rows[len(left)] = (together, call.place())
            return
        scores = call.argument(0, "input")
        known = self._rows.get(len(scores)) if readable(self.torch, scores) and scores.dim() == 2 else None
        if known is not None:
            self.say("loss.normalised_across_samples", known[0], place=known[1] if known[0] else None)

    def _compares(self, left: Any, right: Any, *, upright: bool) -> bool:
        """Whether both are what a network made of samples, with the samples in the rows of the first."""
        for one in (left, right):
            if (
                not readable(self.torch, one)
                or one.dim() != 2
                or one.numel() > VALUES
                or grad_fn_of(one) is None
            ):
                return False
        samples = right.shape[1] if upright else right.shape[0]
        return bool(min(*left.shape, samples) >= FEWEST and samples >= len(left))


def is_one_together(rows: Any) -> bool:
    """Whether these have the length 1 as a whole, or in each of their columns, and none of them has it alone."""
    squares = rows.square()
    alone = _is_whole(squares.sum(1))
    return not alone and any(_is_whole(sums) for sums in (squares.sum().reshape(1), squares.sum(0)))


def _is_whole(sums: Any) -> bool:
    """Whether these are all the same small whole number."""
    first = sums[0].item()
    if not math.isfinite(first):
        return False
    whole = round(first)
    return 1 <= whole <= VIEWS and bool(((sums - whole).abs() < NEAR * whole).all())
