"""After the training: a second instance of the trained network that predicts in train mode."""

from __future__ import annotations

import weakref
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Callable

from ..journal import Journal
from ..part import Part
from .noisy import InMode

if TYPE_CHECKING:
    import torch

    from ..watcher import Watcher

STEPS = 5
"""Steps of training without which there is nothing to predict with."""

FEWEST = 4
"""Predictions that are no mere trial."""

MANY = 1000
"""Instances that are judged."""


class Predicting(Part):
    """Sees the weights of a run in another instance, which is asked without gradients when the training is over.

    A new instance is in train mode. Dropout alone may be left on to sample what it makes of an input, so that only networks
    that normalise over the batch are judged, whose averages are not just being made
    (`torch.optim.swa_utils.update_bn` takes their momentum away meanwhile). What a teacher or a target network is
    asked belongs to the training: a backward pass follows it.
    """

    name = "predicting"

    def __init__(self, journal: Journal, options: Mapping[str, Any], watcher: Watcher) -> None:
        self._journal, self._watcher = journal, watcher
        self._judged: dict[int, tuple[weakref.ref[Any], bool]] = {}
        self._instance: Callable[[], object] = _nothing
        self._input: Callable[[], object] = _nothing
        self._asked = self._again = 0

    def before_backward(self, loss: torch.Tensor) -> None:
        """The training goes on: what was asked belonged to it."""
        if self._asked:
            self._forget()

    def ended(self) -> None:
        """What was asked last was asked of trained weights."""
        if self._asked >= FEWEST and 2 * self._again < self._asked and self._watcher.models_found == 1:
            note = "another instance of the network, which was never set to eval mode"
            self._journal.fact("model.train_mode_in_eval", True, note=note)

    def called_aside(self, module: torch.nn.Module, args: tuple[Any, ...]) -> None:
        """Count what an instance that was never set to eval mode is asked."""
        if self._watcher.step < STEPS or not self._is_judged(module):
            return
        if self._instance() is not module or not module.training:
            self._instance = weakref.ref(module)
            self._forget()
            if not module.training:
                return
        first = args[0] if args else None
        self._asked += 1
        if first is not None and first is self._input():
            self._again += 1
        elif isinstance(first, self._watcher.torch.Tensor):
            self._input = weakref.ref(first)

    def _is_judged(self, module: torch.nn.Module) -> bool:
        known = self._judged.get(id(module))
        if known is None or known[0]() is not module:
            if len(self._judged) >= MANY:
                self._judged.clear()
            known = self._judged[id(module)] = (weakref.ref(module), self._is_like_what_was_trained(module))
        return known[1]

    def _is_like_what_was_trained(self, module: torch.nn.Module) -> bool:
        roots = (root for model in self._watcher.models.values() for root in model.roots)
        same = any(type(root) is type(module) and _size(root) == _size(module) for root in roots)
        return same and InMode()(module) == "train" and _normalises(module)

    def _forget(self) -> None:
        self._asked = self._again = 0


def _nothing() -> None:
    return None


def _size(module: torch.nn.Module) -> int:
    return sum(one.numel() for one in module.parameters())


def _normalises(module: torch.nn.Module) -> bool:
    norms = [one for one in module.modules() if "BatchNorm" in type(one).__name__]
    return bool(norms) and all(getattr(one, "momentum", None) is not None for one in norms)
