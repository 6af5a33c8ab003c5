"""Looks at some of the batches in which nothing has failed yet."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .batch import entries, write_facts
from .blame import from_outside, nonfinite_weights
from .graphs import was_computed
from .journal import Journal
from .look.values import largest, nonfinite, readable
from .part import Part

if TYPE_CHECKING:
    import torch

    from .watcher import Watcher

PATIENCE = 8
"""So many calls of a model with the output of another one are let pass before a batch is looked at all the same."""


class Batches(Part):
    """Looks at the batches of steps 1, 2, 4, 8 and so on, where they lie on the CPU: no device is waited for."""

    name = "batches"

    def __init__(self, journal: Journal, options: Mapping[str, Any], watcher: Watcher) -> None:
        self._journal = journal
        self._watcher = watcher
        self._next = 0
        self._batch: Any = None
        self._made = 0
        self._max_abs = 0.0

    def batch_loaded(self, batch: Any, seconds: float) -> None:
        """Remember it until the model is called."""
        if self._watcher.step >= self._next:
            self._batch = batch

    def before_forward(self, root: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """The model is called with it, or with what another model has made: then the batch comes later."""
        step = self._watcher.step
        if step < self._next or not root.training:
            return
        torch = self._watcher.torch
        known = entries(torch, self._batch, (args, kwargs))
        self._made = self._made + 1 if all(was_computed(one.tensor) for one in known) else 0
        if 0 < self._made < PATIENCE:
            return
        self._batch, self._made = None, 0
        self._next = max(1, step * 2)
        self._watcher.rest_until(self._next, self, "batch_loaded", "before_forward")
        if any(one.tensor.device.type != "cpu" for one in known):
            return
        known = from_outside(torch, known)
        if any(nonfinite(torch, one.tensor) for one in known) and nonfinite_weights(self._watcher):
            return  # what was made of them comes back by the way of a buffer, or of an environment
        write_facts(torch, self._journal, known, step + 1)
        for one in known:
            if not one.is_label and one.tensor.is_floating_point() and readable(torch, one.tensor):
                size = largest(torch, one.tensor)
                if size > self._max_abs:
                    self._max_abs = size
                    self._journal.fact("data.inputs.max_abs", size, step=step + 1, note=one.key)
