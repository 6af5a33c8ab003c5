"""Losses over numbers: shapes that broadcast, and targets that the output cannot reach."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..graphs import grad_fn_of
from ..operations import Call
from .check import Check
from .spread import is_of_row_and_column, multiplies
from .summed import nodes_of
from .tensors import activations_before, readable, some_rows

if TYPE_CHECKING:
    import torch

ARITHMETIC = ("sub", "subtract", "__rsub__", "add", "mul", "multiply", "div", "divide", "true_divide")
"""Operations written by hand."""

MADE = ("__getitem__", "unsqueeze", "view", "reshape")
"""What makes a column of a row: one that is used at once is meant."""

LOSSES = ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss")

RANGES = {"sigmoid": (0.0, 1.0), "softmax": (0.0, 1.0), "tanh": (-1.0, 1.0), "relu": (0.0, float("inf"))}
"""What an activation can give."""

OUTSIDE = 0.05
"""The share of targets beyond that range from which on the range is wrong."""


class Regression(Check):
    """Prediction (N, 1) against target (N,) makes N x N differences, and the model learns the mean (b16, b23)."""

    name = "regression losses"
    early = 2
    functions = (*LOSSES, *ARITHMETIC, *MADE)

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._made = 0
        self._spread: dict[Any, tuple[Any, str]] = {}

    def called(self, call: Call) -> None:
        """A loss, or arithmetic written by hand, returned."""
        if call.name in MADE:
            self._made = id(call.result)
            return
        one, other = (
            call.argument(0, "input"),
            call.argument(1, "other" if call.name in ARITHMETIC else "target"),
        )
        if not (isinstance(one, self.torch.Tensor) and isinstance(other, self.torch.Tensor)):
            return
        if call.name in ARITHMETIC:
            self._by_hand(call, one, other)
            return
        if multiplies(one, other) or self._pairs(one, other):
            self._shapes(call, one, other, True)
        elif one.shape == other.shape:
            self._shapes(call, one, other, False)
        if readable(self.torch, one) and readable(self.torch, other):
            self._range(call, one, other)

    def _by_hand(self, call: Call, one: Any, other: Any) -> None:
        """A prediction and what it is to be compared with, or weighted by, of shapes (N, 1) and (N,), outside the model.

        A difference is one from a target. Else it counts where it goes into the loss: pairs are also made on purpose.
        So does the difference from a target that is such a square already.
        """
        made, self._made = self._made, 0
        if "sub" in call.name and (self._pairs(one, other) or self._pairs(other, one)):
            self._may_be_loss(call, one, other)
            return
        if sorted((one.dim(), other.dim())) != [1, 2] or not multiplies(one, other):
            return
        column, row = (one, other) if one.dim() == 2 else (other, one)
        predicted = (grad_fn_of(one) is not None) != (grad_fn_of(other) is not None) and not (
            one.requires_grad and other.requires_grad
        )
        if not predicted or column.shape != (row.shape[0], 1) or call.place().module:
            return
        if "sub" in call.name:
            self._shapes(call, one, other, True)
        elif id(column) != made:
            self._may_be_loss(call, one, other)

    def _pairs(self, prediction: Any, target: Any) -> bool:
        """Whether one prediction a sample meets a target for each pair of them: made under no_grad, before the look."""
        size = target.shape[0] if target.dim() else 0
        return (
            grad_fn_of(prediction) is not None
            and not target.requires_grad
            and tuple(prediction.shape) in ((size,), (size, 1))
            and readable(self.torch, target)
            and is_of_row_and_column(self.torch, target)
        )

    def _may_be_loss(self, call: Call, one: Any, other: Any) -> None:
        """Something was spread over all pairs, outside the model."""
        place, node = call.place(), grad_fn_of(call.result)
        if node is not None and not place.module:
            self._spread[node] = (place, _shapes_of(one, other))

    def before_backward(self, loss: torch.Tensor) -> None:
        """Did what was spread over all pairs become the loss?"""
        if self._spread and loss.grad_fn is not None:
            within = {one for one in nodes_of(loss.grad_fn) if one in self._spread}
            for place, shapes in [self._spread[one] for one in within][:1]:
                self.say("loss.shapes_broadcast", True, note=shapes, place=place)

    def look_ended(self, step: int) -> None:
        """Keep nothing alive."""
        self._made, self._spread = 0, {}

    def _shapes(self, call: Call, one: Any, other: Any, broadcast: bool) -> None:
        note = _shapes_of(one, other) if broadcast else None
        self.say("loss.shapes_broadcast", broadcast, call, note=note)

    def _range(self, call: Call, prediction: Any, target: Any) -> None:
        last = next(iter(activations_before(prediction, 1)), "")
        if last not in RANGES:
            return
        low, high = RANGES[last]
        values = some_rows(target, -1)
        slack = 0.05
        outside = float(((values < low - slack) | (values > high + slack)).float().mean())
        self.say("loss.target_out_of_reach", outside > OUTSIDE, call, note=last)


def _shapes_of(one: Any, other: Any) -> str:
    return f"{tuple(one.shape)} and {tuple(other.shape)}"
