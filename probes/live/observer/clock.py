"""Splits the time of a step into waiting for data, forward, backward and optimizer.

Times are those of the loop's thread. On a device that works on its own they say where the thread was:
where it waits for the device is where it needs a result.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .journal import Journal
from .part import Part

if TYPE_CHECKING:
    import torch

    from .watcher import Watcher


class Clock(Part):
    """Writes `seconds`, `data_seconds`, `forward_seconds`, `backward_seconds`, `optimizer_seconds` into the row."""

    name = "clock"

    def __init__(self, journal: Journal, options: Mapping[str, Any], watcher: Watcher) -> None:
        self._watcher = watcher
        self._round = time.perf_counter()

    def after_step(self, optimizer: torch.optim.Optimizer, step: int) -> None:
        """The round ends with this step, and the next begins."""
        watcher = self._watcher
        now, spent, row = watcher.now, watcher.spent, watcher.row
        row["seconds"] = watcher.seconds = now - self._round
        row["data_seconds"] = data = spent["data"]
        row["forward_seconds"] = forward = spent["forward"]
        row["backward_seconds"] = backward = spent["backward"]
        begun, before = watcher.begun
        # An optimizer with a closure calls the model within its step.
        row["optimizer_seconds"] = now - begun - (data + forward + backward - before)
        self._round = now
        spent["data"] = spent["forward"] = spent["backward"] = 0.0
