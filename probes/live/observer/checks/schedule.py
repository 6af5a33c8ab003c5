"""A learning-rate schedule that is made and never moved."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..journal import Journal
from ..part import Part

if TYPE_CHECKING:
    import torch

    from ..model import ModelSeen
    from ..watcher import Watcher

LONG = 50
"""Steps after which even a schedule by epochs should have moved, once the run is over."""


class Schedule(Part):
    """Finds the schedulers of an optimizer, once, and counts at the end how often they were stepped.

    Where there is one, it has left `initial_lr` in the optimizer's groups.
    """

    name = "schedule"

    def __init__(self, journal: Journal, options: Mapping[str, Any], watcher: Watcher) -> None:
        self._journal = journal
        self._torch = watcher.torch
        self._watcher = watcher
        self._moved: dict[int, tuple[weakref.ref[Any], int]] = {}
        self._counts: dict[int, int] = {}

    def model_found(self, model: ModelSeen) -> None:
        """The first step of an optimizer: its schedulers are there."""
        if not any("initial_lr" in group for group in model.optimizer.param_groups):
            return
        scheduler = self._torch.optim.lr_scheduler
        base: Any = getattr(scheduler, "LRScheduler", None) or scheduler._LRScheduler
        objects = gc.get_objects()
        kinds = {
            kind for kind in set(map(type, objects)) if issubclass(kind, (base, scheduler.ReduceLROnPlateau))
        }
        for one in objects:
            if type(one) in kinds and getattr(one, "optimizer", None) is model.optimizer:
                self._moved[id(one)] = (weakref.ref(one), self._place(one))
        if self._moved and all(first <= 1 for _, first in self._moved.values()):
            self._say_start(model.optimizer)
        self._watcher.wake(self, "after_step")

    def after_step(self, optimizer: torch.optim.Optimizer, step: int) -> None:
        """Where each scheduler stands. The last look counts, for they may be gone when the process ends."""
        if not self._moved:
            self._watcher.rest(self, "after_step")
        elif step % 10 == 0 or step < 10:
            for key, (reference, first) in self._moved.items():
                one = reference()
                if one is not None:
                    self._counts[key] = self._place(one) - first

    def ended(self) -> None:
        """Has any of them moved?"""
        for reference, first in self._moved.values():
            one = reference()
            if one is not None:
                self._counts[id(one)] = self._place(one) - first
        if self._counts:
            if any(self._counts.values()):
                self._journal.fact("log.lr.schedule_never_moves", False)
            elif self._watcher.step >= LONG:
                self._journal.fact("log.lr.schedule_never_moves", True)

    def _say_start(self, optimizer: torch.optim.Optimizer) -> None:
        """What the schedule leaves of the rate that was set, in the group of which it leaves most."""
        shares = [
            float(group["lr"]) / float(group["initial_lr"])
            for group in optimizer.param_groups
            if float(group.get("initial_lr") or 0.0) > 0.0
        ]
        if shares:
            self._journal.fact("log.lr.schedule_start", max(shares))

    def _place(self, scheduler: Any) -> int:
        return int(getattr(scheduler, "last_epoch", 0) or 0)
