"""Where a run goes over to samples that are spread otherwise: more noise, other contrast, another source."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from typing import TYPE_CHECKING, Any

from .checks.tensors import readable
from .graphs import grad_fn_of
from .journal import Journal
from .part import Part

if TYPE_CHECKING:
    import torch

    from .watcher import Watcher

EVERY = 4
"""One step of so many is measured."""

VALUES = 1 << 10
"""Values of a batch that are measured."""

BEFORE = 16
"""Measurements without which there is nothing that was usual before."""

AFTER = 8
"""Measurements in a row that must all lie beyond all before: of batches drawn alike, one order in 700,000 begins so."""


class Range:
    """The least and the most that was ever measured, and how long it has been left."""

    def __init__(self) -> None:
        self.low = self.high = 0.0
        self.usual = 0
        self.beyond: list[float] = []
        """What was measured since it lies beyond, all on one side."""
        self.since = 0
        """The step of the first of these."""

    def is_left(self, value: float, step: int) -> bool:
        """Take a measurement in: whether with it the range was left for good."""
        side = (value > self.high) - (value < self.low) if self.usual >= BEFORE else 0
        if side == 0 or (self.beyond and (self.beyond[0] > self.high) != (side > 0)):
            self._widen([*self.beyond, value], self.usual + len(self.beyond) + 1)
            return False
        if not self.beyond:
            self.since = step
        self.beyond.append(value)
        if len(self.beyond) < AFTER:
            return False
        self._widen(self.beyond, AFTER)
        return True

    def _widen(self, values: list[float], usual: int) -> None:
        known = [*values, self.low, self.high] if self.usual else values
        self.low, self.high = min(known), max(known)
        self.usual, self.beyond = usual, []


class Spreading(Part):
    """Measures how widely the first input of the model is spread, over some values of some steps of training.

    Where from some step on it lies beyond all that was there before, other samples are trained with, harder or easier
    ones: their loss is not to be compared with what went before. The values are read when they are there, so that
    nothing waits for the device.
    """

    name = "spread of samples"

    def __init__(self, journal: Journal, options: Mapping[str, Any], watcher: Watcher) -> None:
        self._journal, self._watcher = journal, watcher
        self._due, self._count = True, 0
        self._ranges: dict[int, Range] = {}
        """By the number of the model."""

    def before_forward(self, root: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """How widely are the values spread that it is given?"""
        torch = self._watcher.torch
        if not self._due or not root.training or not torch.is_grad_enabled():
            return
        self._due = False
        for one in chain(args, kwargs.values()):
            if not isinstance(one, torch.Tensor) or not one.is_floating_point() or one.dim() < 2:
                continue
            if readable(torch, one) and grad_fn_of(one) is None and one.is_contiguous():
                values = one.detach().view(-1)
                spread = values[:: -(-len(values) // VALUES)].float().std()
                self._watcher.pending.append(("spread", spread))
            return

    def after_step(self, optimizer: torch.optim.Optimizer, step: int) -> None:
        """The next measurement is due some steps later."""
        self._count += 1
        self._due = self._count % EVERY == 0

    def read(self, step: int, values: dict[str, Any]) -> None:
        """A measurement has arrived."""
        if "spread" not in values:
            return
        number = values["model"].number
        if self._ranges.setdefault(number, Range()).is_left(values["spread"][0], step):
            since = self._ranges[number].since
            self._journal.record("stage", step=since, optimizer=number, by="spread")
