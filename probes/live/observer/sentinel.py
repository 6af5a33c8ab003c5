"""Whether the gradients before a step are numbers: one small gradient is read where the norms of all are not."""

from __future__ import annotations

import math
import weakref
from typing import TYPE_CHECKING, Any, Callable

from .look.values import nonfinite
from .model import held

if TYPE_CHECKING:
    import torch

    from .watcher import Watcher

SMALL = 4096
"""Elements of a parameter whose gradient is read where the norms are not."""


class Sentinel:
    """The first small parameter on the CPU: what is not finite further up mostly reaches its gradient.

    It is read before each step that is not measured, for the weights are still those from which the gradient comes:
    a step later they are NaN, and show no more where it began.
    """

    def __init__(self, watcher: Watcher) -> None:
        self._watcher = watcher
        self._torch = watcher.torch
        self._lowest: Callable[[], torch.Tensor | None] = lambda: None
        self._owner = 0

    def choose(self, optimizer: torch.optim.Optimizer) -> None:
        """Of what this optimizer holds, unless one is chosen and alive."""
        if self._lowest() is None:
            parameters = (one for one in held(optimizer) if one.requires_grad and one.numel() <= SMALL)
            lowest = next((one for one in parameters if one.device.type == "cpu"), None)
            if lowest is not None:
                self._lowest = weakref.ref(lowest)
            self._owner = id(optimizer)

    def is_bad(self) -> bool:
        """Whether its gradient has NaN or Inf. A GradScaler looks itself, and an overflow now and then is its way."""
        lowest = self._lowest()
        gradient: Any = lowest.grad if lowest is not None else None
        if gradient is None or self._watcher.scaler is not None or math.isfinite(gradient.sum().item()):
            return False
        return nonfinite(self._torch, gradient) is not None

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
