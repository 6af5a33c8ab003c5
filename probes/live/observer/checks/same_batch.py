"""Is every step given the same batch?"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from ..look.values import tensors_in
from .check import Check
from .tensors import readable

if TYPE_CHECKING:
    import torch

SAME = 8
"""Steps in a row with equal inputs."""

VALUES = 32
"""How many values of an input are compared."""

LAST = 100
"""Steps after which nothing is compared any more."""


class SameBatch(Check):
    """Compares a few values of each step's input with those of the step before.

    The whole set as one batch is the same batch in every step and no mistake. So either a loader must have more
    batches than the one it gives, or the input is a part of a larger tensor, always the same one.
    On a device values are read in sampled steps only.
    """

    name = "same batch"
    thorough = False

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._input: Any = None
        self._last: Any = None
        self._same = self._loaded = self._batches = 0

    def batch_loaded(self, batch: Any, seconds: float) -> None:
        """A loader gave a batch: how many has it?"""
        self._loaded += 1
        if not self._batches:
            self._batches = _loader_length()

    def before_forward(self, root: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """The first tensor is the input."""
        if (
            self._input is None
            and root.training
            and self.torch.is_grad_enabled()
            and self.watcher.step < LAST
        ):
            first: Any = next(tensors_in(self.torch.Tensor, (args, kwargs)), None)
            if readable(self.torch, first) and (first.device.type == "cpu" or self.looking):
                step = max(1, first.numel() // VALUES)
                values = (
                    first.detach().reshape(-1)[::step]
                    if first.is_contiguous()
                    else first.detach()[0].reshape(-1)
                )
                self._input = (
                    tuple(first.shape),
                    values[: 2 * VALUES].tolist(),
                    _is_part(first),
                    first.data_ptr(),
                )

    def after_step(self, optimizer: torch.optim.Optimizer, step: int) -> None:
        """Was the input that of the step before?"""
        seen, self._input = self._input, None
        if seen is None:
            return
        same = self._last is not None and seen[:2] == self._last[:2]
        self._same = self._same + 1 if same else 0
        part = seen[2] and self._last is not None and seen[3] == self._last[3]
        self._last = seen
        if not same:
            self.journal.fact("data.same_batch", False, step=step)
        elif self._same >= SAME and (part or self._batches > 1):
            self.journal.fact("data.same_batch", True, step=step)


def _is_part(tensor: Any) -> bool:
    """Whether it is a view of a tensor at least twice as large."""
    return bool(tensor.untyped_storage().nbytes() >= 2 * tensor.numel() * tensor.element_size())


def _loader_length() -> int:
    """How many batches the loader has that is handing one out, or 0: its iterator stands in a frame below us."""
    frame = sys._getframe(1)
    for _ in range(12):
        if frame.f_back is None:
            return 0
        frame = frame.f_back
        sampler = getattr(frame.f_locals.get("iterator"), "_index_sampler", None)
        if sampler is not None:
            try:
                return len(sampler)
            except TypeError:
                return 0
    return 0
