"""Is every step given the same batch?"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from ..look.places import OURS
from ..look.values import tensors_in
from .check import Check
from .tensors import readable

if TYPE_CHECKING:
    import torch

SAME = 6
"""Sampled steps in a row with equal inputs."""

VALUES = 64
"""How many values of an input are compared."""


class SameBatch(Check):
    """Compares a few values of the step's input with those of the sampled step before.

    The whole set as one batch is the same batch in every step and no mistake. So either a loader must have more
    batches than the one it gives, or the input is a part of a larger tensor, always the same one.
    """

    name = "same batch"
    early = 6

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._input: Any = None
        self._last: Any = None
        self._same = self._batches = 0

    def batch_loaded(self, batch: Any, seconds: float) -> None:
        """A loader gave a batch: how many has it?"""
        if not self._batches:
            self._batches = _loader_length()

    def before_forward(self, root: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """The first tensor is the input."""
        first: Any = next(tensors_in(self.torch.Tensor, (args, kwargs)), None)
        if self._input is None and readable(self.torch, first) and self.torch.is_grad_enabled():
            values = first.detach() if first.is_contiguous() else first.detach()[:1].contiguous()
            spread = values.reshape(-1)[:: max(1, values.numel() // VALUES)].tolist()
            self._input = (tuple(first.shape), spread, first.data_ptr() if _is_part(first) else None)

    def look_ended(self, step: int) -> None:
        """Was the input that of the step before?"""
        last, self._last, self._input = self._last, self._input or self._last, None
        if last is None or self._last is last:
            return
        if self._last[:2] != last[:2]:
            self._same = 0
            self.say("data.same_batch", False)
            return
        self._same += 1
        same_part = last[2] is not None and last[2] == self._last[2]
        if self._same >= SAME and (same_part or self._batches > 1):
            self.say("data.same_batch", True)


def _is_part(tensor: Any) -> bool:
    """Whether it is a view of a tensor at least twice as large."""
    return bool(tensor.untyped_storage().nbytes() >= 2 * tensor.numel() * tensor.element_size())


def _loader_length() -> int:
    """How many batches the loader has that is handing one out, or 0: its iterator stands in a frame below us."""
    frame = sys._getframe(1)
    for _ in range(16):
        if frame.f_back is None or not frame.f_back.f_code.co_filename.startswith((OURS, "<frozen")):
            return 0  # the locals of a frame of the script would live on as long as it does
        frame = frame.f_back
        sampler = getattr(frame.f_locals.get("iterator"), "_index_sampler", None)
        if sampler is not None:
            try:
                return len(sampler)
            except TypeError:
                return 0
    return 0
