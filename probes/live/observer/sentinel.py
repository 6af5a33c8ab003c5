"""Whether the gradients before a step are numbers: a few small gradients are read where the norms of all are not."""

from __future__ import annotations

import math
import weakref
from typing import TYPE_CHECKING

from .look.values import nonfinite
from .model import held

if TYPE_CHECKING:
    import torch

    from .watcher import Watcher

SMALL = 4096
"""Elements of a parameter whose gradient is read where the norms are not."""

PLACES = 3
"""Of so many parameters, evenly over those of the optimizer: what is lost in one branch of a network may leave another whole."""


class Sentinel:
    """The first small parameter on the CPU and some after it: what is not finite further up mostly reaches one of them.

    They are read before each step that is not measured, for the weights are still those from which the gradient comes:
    a step later they are NaN, and show no more where it began.
    """

    def __init__(self, watcher: Watcher) -> None:
        self._watcher = watcher
        self._torch = watcher.torch
        self._chosen: list[weakref.ref[torch.Tensor]] = []
        self._owner = 0

    def choose(self, optimizer: torch.optim.Optimizer) -> None:
        """Of what this optimizer holds, unless some are chosen and alive."""
        if any(one() is not None for one in self._chosen):
            return
        small = [one for one in held(optimizer) if one.requires_grad and one.numel() <= SMALL]
        small = [one for one in small if one.device.type == "cpu"]
        self._chosen = [weakref.ref(one) for one in small[:: max(1, -(-len(small) // PLACES))]]
        self._owner = id(optimizer)

    def is_bad(self) -> bool:
        """Whether their gradients have NaN or Inf. A GradScaler looks itself, and an overflow now and then is its way."""
        if self._watcher.scaler is not None:
            return False
        parameters = [one() for one in self._chosen]
        gradients = [one.grad for one in parameters if one is not None and one.grad is not None]
        if math.isfinite(sum(one.sum().item() for one in gradients)):
            return False
        return any(nonfinite(self._torch, one) is not None for one in gradients)

    def sees_bad(self, optimizer: torch.optim.Optimizer) -> bool:
        """Whether a gradient on the CPU is not finite. Where they are measured, their norms tell."""
        norms = self._watcher.row.get("norms")
        if (norms is None or id(optimizer) != self._owner) and self.is_bad():
            return True
        if norms is None or math.isfinite(sum(norms)):
            return False
        # The norm of a finite gradient may overflow.
        gradients = (one.grad for one in held(optimizer) if one.grad is not None)
        return any(nonfinite(self._torch, one) for one in gradients)
