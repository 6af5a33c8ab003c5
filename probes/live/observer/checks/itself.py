"""A penalty that compares weights with themselves: what was to be their copy shares their memory."""

from __future__ import annotations

import weakref
from typing import Any

from ..graphs import grad_fn_of
from ..model import held
from ..operations import Call
from .check import Check
from .tensors import readable

DIFFERENCES = ("sub", "__sub__", "rsub", "__rsub__")
SIZES = ("pow", "__pow__", "square", "abs", "norm", "linalg_vector_norm", "mul", "__mul__")
"""What makes a penalty of a difference. The difference itself may be a device (`w - w.detach()`)."""

MOST = 256


class Itself(Check):
    """Looks where the two sides of a difference of weights lie in memory.

    Penalties that keep weights near those of before (elastic weight consolidation, FedProx, L2-SP) need a copy of
    them. `p.data`, `p.detach()`, a list of parameters and `state_dict()` are views: the difference is zero for ever.
    """

    name = "itself"
    early = 6
    functions = (*DIFFERENCES, *SIZES, "mse_loss")

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._zeros: dict[int, weakref.ref[Any]] = {}
        self._shapes: set[Any] = set()

    def look_began(self, step: int) -> None:
        """No difference was taken yet."""
        self._zeros = {}
        models = self.watcher.models.values()
        self._shapes = {one.shape for model in models for one in held(model.optimizer) if one.numel() > 1}

    def called(self, call: Call) -> None:
        """Weights are compared, or the size of such a difference is taken."""
        first = call.argument(0, "input")
        if call.name in SIZES:
            # Times a number it may be a device that scales gradients; times itself it is a square.
            if self._is_zero(first) and ("mul" not in call.name or self._is_zero(call.argument(1, "other"))):
                self.say("loss.compares_with_itself", True, call)
            return
        second = call.argument(1, "target" if call.name == "mse_loss" else "other")
        if not self._are_weights(first, second):
            return
        same = first.data_ptr() == second.data_ptr() and first.stride() == second.stride()
        if not same:
            self.say("loss.compares_with_itself", False)
        elif call.name == "mse_loss":
            self.say("loss.compares_with_itself", True, call)
        elif len(self._zeros) < MOST:
            self._zeros[id(call.result)] = weakref.ref(call.result)

    def _is_zero(self, value: Any) -> bool:
        """Whether this is the difference of weights and themselves."""
        known = self._zeros.get(id(value))
        return known is not None and known() is value

    def _are_weights(self, first: Any, second: Any) -> bool:
        """Whether both have the shape of weights that are trained, and neither was computed by the network."""
        return (
            self.torch.is_grad_enabled()
            and all(readable(self.torch, one) and grad_fn_of(one) is None for one in (first, second))
            and first.shape == second.shape
            and first.shape in self._shapes
            and first.is_floating_point()
        )
