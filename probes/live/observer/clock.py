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
        self._data = self._forward = self._backward = 0.0
        self._start = 0.0
        self._step = 0.0
        self._within_step = 0.0

    def batch_loaded(self, batch: Any, seconds: float) -> None:
        """The wait for a batch."""
        self._data += seconds

    def before_forward(self, root: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """The forward begins."""
        self._start = time.perf_counter()

    def after_forward(self, root: torch.nn.Module, output: Any) -> None:
        """The forward ends."""
        self._forward += time.perf_counter() - self._start

    def before_backward(self, loss: torch.Tensor) -> None:
        """The backward begins."""
        self._start = time.perf_counter()

    def after_backward(self, loss: torch.Tensor) -> None:
        """The backward ends."""
        self._backward += time.perf_counter() - self._start

    def before_step(self, optimizer: torch.optim.Optimizer) -> None:
        """The optimizer begins; one with a closure calls the model within."""
        self._within_step = self._data + self._forward + self._backward
        self._step = time.perf_counter()

    def after_step(self, optimizer: torch.optim.Optimizer, step: int) -> None:
        """The round ends with this step, and the next begins."""
        now = time.perf_counter()
        within = self._data + self._forward + self._backward - self._within_step
        self._watcher.row.update(
            seconds=now - self._round,
            data_seconds=self._data,
            forward_seconds=self._forward,
            backward_seconds=self._backward,
            optimizer_seconds=now - self._step - within,
        )
        self._round = now
        self._data = self._forward = self._backward = 0.0
