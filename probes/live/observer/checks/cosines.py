"""Scores that are cosines, handed to a cross-entropy as they are."""

from __future__ import annotations

import math
from typing import Any

from ..graphs import grad_fn_of
from ..operations import Call
from .check import Check
from .tensors import ROWS, readable

PRODUCTS = ("matmul", "__matmul__", "mm", "einsum", "linear", "cosine_similarity")

CLASSES = 8
"""Fewer classes than these a softmax over cosines can still tell apart."""

SMALLER = 0.5
"""A scale below this makes cosines smaller still, as where a temperature was multiplied instead of divided by."""

NEAR = 1e-2
"""How near to 1 the length of a normalised row is in half precision."""


class Cosines(Check):
    """Compares the scores of a cross-entropy with the products of rows of length 1 that were taken before.

    A cosine is never above 1 nor below -1, so that the softmax over C of them gives the right one at most
    1 / (1 + (C - 1) exp(-2)), however well the rows lie (arXiv 1704.06369, section 3.3). Scores that were divided by
    a temperature, or multiplied by a scale, are other numbers; a scale below 1 that is no weight makes it worse.
    """

    name = "cosines"
    early = 3
    functions = (*PRODUCTS, "cross_entropy")

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._cosines: list[Any] = []

    def look_began(self, step: int) -> None:
        """Nothing was multiplied yet."""
        self._cosines = []

    def look_ended(self, step: int) -> None:
        """Let go of them."""
        self._cosines = []

    def called(self, call: Call) -> None:
        """A product was taken, or a loss of one."""
        if call.name != "cross_entropy":
            if len(self._cosines) < 4 and self._are_cosines(call):
                self._cosines.append(call.result)
            return
        scores = call.argument(0, "input")
        if not self._cosines or not readable(self.torch, scores) or scores.dim() != 2:
            return
        classes = int(scores.shape[1])
        plain = any(
            scores.data_ptr() == one.data_ptr() and scores.numel() == one.numel() for one in self._cosines
        )
        scale = next(
            (known for one in self._cosines if (known := _fixed_scale(scores, one)) is not None), 1.0
        )
        smaller = 0 < scale < SMALLER
        alike = any(sorted(scores.shape) == sorted(one.shape) for one in self._cosines)
        if classes >= CLASSES and (plain or alike):
            least = math.log1p((classes - 1) * math.exp(-2 * (scale if smaller else 1.0)))
            self.say("loss.scores_are_cosines", plain or smaller, call, note=f"no lower than {least:.2f}")

    def _are_cosines(self, call: Call) -> bool:
        """Whether each score of this matrix is the product of two rows of length 1."""
        given = [one for one in call.args if readable(self.torch, one) and one.is_floating_point()]
        result = call.result
        if not readable(self.torch, result) or result.dim() != 2 or len(given) < 2:
            return False
        if call.name == "cosine_similarity":
            return True
        left, right = given[:2]
        if left.dim() != 2 or right.dim() != 2 or (call.name == "linear" and len(given) > 2):
            return False
        # torch.matmul takes the second one standing upright, linear as it is kept, and einsum as it is told.
        upright = call.name in ("matmul", "__matmul__", "mm")
        return self._is_normal(left, 1) and self._is_normal(right, 0 if upright else 1)

    def _is_normal(self, rows: Any, axis: int) -> bool:
        """Whether the rows along this axis have length 1. A single number is no direction."""
        rows = rows.detach().narrow(1 - axis, 0, min(ROWS, rows.shape[1 - axis])).float()
        return rows.shape[axis] > 1 and bool(((rows.norm(dim=axis) - 1).abs() < NEAR).all())


def _fixed_scale(scores: Any, cosines: Any) -> float | None:
    """What cosines were multiplied by to get these scores, where that is one number which is not trained.

    What was hidden since, as each sample from itself, tells nothing of it.
    """
    node = grad_fn_of(scores)
    while node is not None and node.name().startswith("MaskedFillBackward"):
        node = node.next_functions[0][0]
    if (
        node is None
        or scores.shape != cosines.shape
        or not node.name().startswith(("MulBackward", "DivBackward"))
    ):
        return None
    if sum(before is not None for before, _ in node.next_functions) != 1:
        return None
    given, made = cosines.detach().float(), scores.detach().float()
    left = made.abs() <= 1
    if 2 * int(left.sum()) < made.numel():
        return None
    given, made = given[left], made[left]
    scale = float((given * made).sum() / (given * given).sum().clamp(min=1e-12))
    return scale if bool(((made - scale * given).abs() <= NEAR * abs(scale)).all()) else None
