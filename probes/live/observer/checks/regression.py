"""Losses over numbers: shapes that broadcast, and targets that the output cannot reach."""

from __future__ import annotations

from typing import Any

from ..operations import Call
from .check import Check
from .tensors import activations_before, readable, some_rows

LOSSES = ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss")

RANGES = {"sigmoid": (0.0, 1.0), "softmax": (0.0, 1.0), "tanh": (-1.0, 1.0), "relu": (0.0, float("inf"))}
"""What an activation can give."""

OUTSIDE = 0.05
"""The share of targets beyond that range from which on the range is wrong."""


class Regression(Check):
    """Prediction (N, 1) against target (N,) makes N x N differences, and the model learns the mean (b16, b23)."""

    name = "regression losses"
    early = 2
    functions = (*LOSSES, "sub")

    def called(self, call: Call) -> None:
        """A loss, or a difference written by hand, returned."""
        one, other = call.argument(0, "input"), call.argument(1, "other" if call.name == "sub" else "target")
        if not (isinstance(one, self.torch.Tensor) and isinstance(other, self.torch.Tensor)):
            return
        if call.name == "sub":
            self._difference(call, one, other)
            return
        self._shapes(call, one, other, multiplies(one, other))
        if readable(self.torch, one) and readable(self.torch, other):
            self._range(call, one, other)

    def _difference(self, call: Call, one: Any, other: Any) -> None:
        """A prediction minus a target of shapes (N, 1) and (N,), outside the model."""
        if sorted((one.dim(), other.dim())) != [1, 2] or not multiplies(one, other):
            return
        column, row = (one, other) if one.dim() == 2 else (other, one)
        predicted = (one.grad_fn is not None) != (other.grad_fn is not None) and not (
            one.requires_grad and other.requires_grad
        )
        if predicted and column.shape == (row.shape[0], 1) and not call.place().module:
            self._shapes(call, one, other, True)

    def _shapes(self, call: Call, one: Any, other: Any, broadcast: bool) -> None:
        note = f"{tuple(one.shape)} and {tuple(other.shape)}" if broadcast else None
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


def multiplies(one: Any, other: Any) -> bool:
    """Whether broadcasting makes more values than either has."""
    shape = []
    for left, right in zip(_aligned(one, other), _aligned(other, one)):
        if left != right and 1 not in (left, right):
            return False
        shape.append(max(left, right))
    count = 1
    for length in shape:
        count *= length
    return bool(count > max(one.numel(), other.numel()) > 0)


def _aligned(one: Any, other: Any) -> list[int]:
    """The shape, with ones in front up to the other's number of dimensions."""
    return [1] * max(0, other.dim() - one.dim()) + list(one.shape)
