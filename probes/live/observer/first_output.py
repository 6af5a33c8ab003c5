"""How large the output of a model is before anything was updated."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .checks.tensors import readable
from .journal import Journal
from .look.values import largest, tensors_in
from .part import Part

if TYPE_CHECKING:
    import torch

    from .watcher import Watcher

TENSORS = 8
"""How many tensors of an output are read."""


class FirstOutput(Part):
    """Reads what the models give before the first step, where it lies on the CPU: no device is waited for.

    What is large there was made by the weights as they began, and by no step.
    """

    name = "first output"

    def __init__(self, journal: Journal, options: Mapping[str, Any], watcher: Watcher) -> None:
        self._journal = journal
        self._watcher = watcher
        self._largest: float | None = None

    def after_forward(self, root: torch.nn.Module, output: Any) -> None:
        """A model returned, in training."""
        torch = self._watcher.torch
        if not root.training or not torch.is_grad_enabled():
            return
        for tensor, _ in zip(tensors_in(torch.Tensor, output), range(TENSORS)):
            if tensor.is_floating_point() and tensor.device.type == "cpu" and readable(torch, tensor):
                self._largest = max(self._largest or 0.0, largest(torch, tensor))

    def after_step(self, optimizer: torch.optim.Optimizer, step: int) -> None:
        """The first: from here on outputs are what training makes of them."""
        if self._largest is not None:
            self._journal.fact("act.first_output_max", self._largest)
        self._watcher.remove(self)
