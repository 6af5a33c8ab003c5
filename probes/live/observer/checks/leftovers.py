"""What the last backward pass left: whether it was cleared since, or the script put other gradients in its place."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

from ..model import held

if TYPE_CHECKING:
    import torch

    from ..model import ModelSeen

WEIGHTS = 4
"""Weights of an optimizer whose gradients are followed."""

SOME = 64
"""Numbers of a gradient by which it is told how much of it was kept."""


class LeftOvers:
    """Follows a few gradients from a backward pass to the next one, or to the step.

    A module clears gradients as well as an optimizer, and so may the script. Who takes the gradients of several passes
    and puts one together from them (tasks in conflict, samples that are clipped one by one) clears between them, and
    has lost nothing.
    """

    def __init__(self) -> None:
        self._left: list[tuple[weakref.ref[Any], weakref.ref[Any], int]] = []

    def take(self, models: list[ModelSeen]) -> None:
        """The gradients as they are now."""
        self._left = [
            (weakref.ref(one), weakref.ref(grad), grad._version)
            for model in models
            for one in held(model.optimizer)[:WEIGHTS]
            if (grad := one.grad) is not None
        ]

    def forget(self) -> None:
        """What comes now was not seen from its beginning."""
        self._left = []

    def are_gone(self) -> bool:
        """Whether all were taken away, or set to zero."""
        return bool(self._left) and all(_is_gone(weights(), version) for weights, _, version in self._left)

    def were_replaced(self) -> bool:
        """Whether other tensors stand where they stood."""
        return any(was() is not getattr(weights(), "grad", None) for weights, was, _ in self._left)


class Shrunk:
    """What the script leaves of a gradient between the last backward pass and the step, where it divides this and not the losses."""

    def __init__(self) -> None:
        self._before: Any = None
        self._version = -1
        self._weights: weakref.ref[Any] | None = None

    def take(self, models: list[ModelSeen]) -> None:
        """The first numbers of the first gradient."""
        for model in models:
            for one in held(model.optimizer):
                if one.grad is not None and not one.grad.is_sparse:
                    self._weights, self._before = weakref.ref(one), _some(one.grad).clone()
                    self._version = one.grad._version
                    return

    def forget(self) -> None:
        """Other gradients follow."""
        self._before = self._weights = None

    def share_kept(self) -> float:
        """1 where it was left as it was, or nothing is known."""
        grad = getattr(self._weights(), "grad", None) if self._weights is not None else None
        if grad is None or grad.is_sparse or grad._version == self._version:
            return 1.0
        size = float(self._before.abs().sum())
        return float(_some(grad).abs().sum()) / size if size else 1.0


def _some(gradient: torch.Tensor) -> torch.Tensor:
    return gradient.detach().flatten()[:SOME].float()


def _is_gone(weights: Any, version: int) -> bool:
    grad = getattr(weights, "grad", None)
    # Read only where it was written to since, which is seldom: a device would be waited for.
    return grad is None or (grad._version != version and not bool(grad.any()))
