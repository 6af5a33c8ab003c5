"""An optimizer that steps past the GradScaler: its gradients still carry the factor of the loss."""

from __future__ import annotations

import weakref
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..journal import Journal
from ..model import held
from .turns import Follower

if TYPE_CHECKING:
    import torch

    from ..watcher import Watcher

HABIT = 3
"""Steps in a row with gradients that carry the factor."""

SAMPLES = 3
"""How many gradients of an optimizer are followed."""


class Scaling(Follower):
    """Compares what was last backed up with who has stepped since.

    `scaler.step` and `scaler.unscale_` leave in the scaler what they found in the gradients of an optimizer. Who
    divides them by hand raises their version counters.
    """

    name = "loss scaling"

    def __init__(self, journal: Journal, options: Mapping[str, Any], watcher: Watcher) -> None:
        self._journal = journal
        self._watcher = watcher
        self._scaled = False
        self._marks: dict[int, list[tuple[weakref.ref[Any], Any]]] = {}
        self._rounds: dict[int, int] = {}

    def begin_turn(self) -> None:
        """What lies between the turns was not seen."""
        self._scaled = False
        self._marks.clear()
        self._rounds.clear()

    def before_backward(self, loss: torch.Tensor) -> None:
        """Was this loss multiplied by the factor of the scaler?"""
        factor = getattr(self._watcher.scaler, "_scale", None)
        if factor is not None:
            self._scaled = _is_factor(factor, getattr(loss.grad_fn, "_saved_other", None))

    def after_backward(self, loss: torch.Tensor) -> None:
        """The gradients as they are now."""
        if self._scaled:
            for key, marks in self._marks.items():
                self._marks[key] = [(one, _state(one())) for one, _ in marks]

    def before_step(self, optimizer: torch.optim.Optimizer) -> None:
        """Does it step with what the last backward left?"""
        scaler, key = self._watcher.scaler, id(optimizer)
        if scaler is None or not self._scaled or self._watcher.skipped:
            return
        known = getattr(scaler, "_per_optimizer_states", {}).get(key) or {}
        past = not known.get("found_inf_per_device")
        if past and key not in self._marks:
            some = [one for one in held(optimizer) if one.grad is not None][:SAMPLES]
            self._marks[key] = [(weakref.ref(one), None) for one in some]
            return
        untouched = any(
            state is not None and _state(one()) == state for one, state in self._marks.get(key, ())
        )
        self._rounds[key] = self._rounds.get(key, 0) + 1 if past and untouched else 0
        if self._rounds[key] == HABIT:
            self._journal.fact("grad.scale_left_in", True, note=type(optimizer).__name__)


def _is_factor(factor: Any, other: Any) -> bool:
    """Whether a node has kept this very tensor. Its address is known without waiting for the device."""
    return other is not None and hasattr(other, "data_ptr") and other.data_ptr() == factor.data_ptr()


def _state(parameter: Any) -> tuple[int, int] | None:
    """What changes when somebody writes into the gradient."""
    grad = None if parameter is None else parameter.grad
    return None if grad is None else (id(grad), grad._version)
