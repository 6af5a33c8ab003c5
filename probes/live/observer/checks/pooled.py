"""Weights that add up the places of each sample, and were normalised over the samples instead."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from ..graphs import grad_fn_of
from ..operations import Call
from .check import Check
from .tensors import readable

TIMES = ("mul", "__mul__", "__rmul__")
PRODUCTS = ("bmm", "matmul", "__matmul__")
MOST = 24
"""Softmaxes, and products with them, of one look beyond which no more are kept."""
FAR = 6
"""How many operations that only move or drop weights are followed back."""
MOVED = re.compile(
    r"((Unsafe)?View|Reshape\w*|Unsqueeze|Squeeze|Expand|Clone|ToCopy|NativeDropout|Mul)Backward\d"
)
_IMPLICIT = (0, 1, 3)
"""Dimensions of a tensor whose first axis `softmax` takes where none is given."""


class _Weights(NamedTuple):
    """The node of a softmax over the first axis, or of a product with one, and the axes that it weighs."""

    node: Any
    shape: tuple[int, ...]


class Pooled(Check):
    """Looks at attention written by hand: a softmax whose shares are multiplied with values, and summed along another axis.

    Slots and clusters take shares of each place too, along an axis of their own, and are summed along another. So only
    the first axis counts, along which the values are not the same ones: that of the samples.
    """

    name = "pooled"
    early = 3
    functions = ("softmax", *TIMES, *PRODUCTS, "sum")

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._shares: list[_Weights] = []
        self._weighed: list[_Weights] = []

    def look_began(self, step: int) -> None:
        """No softmax yet."""
        self._shares, self._weighed = [], []

    def look_ended(self, step: int) -> None:
        """The graph is let go of."""
        self.look_began(step)

    def called(self, call: Call) -> None:
        """A softmax, or what may be the sum of what it weighs."""
        if not self.torch.is_grad_enabled():
            return
        if call.name == "softmax":
            self._normalised(call)
        elif self._shares and call.name in TIMES:
            self._multiplied(call)
        elif self._weighed and call.name == "sum":
            self._summed(call)
        elif self._shares and call.name in PRODUCTS and len(call.args) > 1:
            self._contracted(call, *call.args[:2])

    def _normalised(self, call: Call) -> None:
        result = call.result
        if not readable(self.torch, result) or not result.requires_grad or len(self._shares) >= MOST:
            return
        axis = call.argument(1, "dim")
        if axis in (0, -result.dim()) or (axis is None and result.dim() in _IMPLICIT):
            shape = tuple(result.shape)
            while shape and shape[-1] == 1:  # one score a place
                shape = shape[:-1]
            if len(shape) > 1 and shape[0] > 1:
                self._shares.append(_Weights(grad_fn_of(result), shape))

    def _multiplied(self, call: Call) -> None:
        for weights, values in (call.args[:2], call.args[1::-1]) if len(call.args) > 1 else ():
            shape = self._weighs(weights)
            if shape and self._has_own(values, shape) and values.dim() > len(shape):
                if len(self._weighed) < MOST:
                    self._weighed.append(_Weights(grad_fn_of(call.result), shape))
                return

    def _summed(self, call: Call) -> None:
        given, axes = call.argument(0, "input"), call.argument(1, "dim")
        node = grad_fn_of(given) if readable(self.torch, given) else None
        shape = next((one.shape for one in self._weighed if one.node is node), None)
        if node is None or shape is None or axes is None:
            return
        listed = axes if isinstance(axes, (tuple, list)) else (axes,)
        along = {axis % given.dim() for axis in listed if isinstance(axis, int)}
        if 0 not in along and any(axis < len(shape) and shape[axis] > 1 for axis in along):
            self._say(call, shape)

    def _contracted(self, call: Call, weights: Any, values: Any) -> None:
        shape = self._weighs(weights)
        if (
            shape
            and weights.dim() > 2
            and weights.shape[-1] == shape[-1] > 1
            and self._has_own(values, shape[:1])
            and values.dim() == weights.dim()
        ):
            self._say(call, shape)

    def _say(self, call: Call, shape: tuple[int, ...]) -> None:
        self.say("model.pooled_over_batch", True, call, note=f"over axis 0 of {shape}")

    def _weighs(self, weights: Any) -> tuple[int, ...] | None:
        """The axes of the softmax that these shares come from, if they still stand along its first one."""
        if not readable(self.torch, weights) or not weights.requires_grad:
            return None
        node: Any = grad_fn_of(weights)
        for _ in range(FAR):
            known = next((one.shape for one in self._shares if one.node is node), None)
            if known is not None:
                return known if weights.shape[0] == known[0] else None
            if node is None or not MOVED.match(node.name()):
                return None
            parents = [parent for parent, _ in node.next_functions if parent is not None]
            node = parents[0] if len(parents) == 1 else None
        return None

    def _has_own(self, values: Any, shape: tuple[int, ...]) -> bool:
        """Whether these have values of their own for each sample, and not the same ones for all."""
        return (
            readable(self.torch, values)
            and tuple(values.shape[: len(shape)]) == shape
            and values.stride(0) != 0
        )
