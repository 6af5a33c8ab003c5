"""What some steps spend their time on: torch's own profiler around them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..journal import Journal
from ..part import Part

if TYPE_CHECKING:
    import torch

    from ..watcher import Watcher

KEPT = 100
"""Operators that are written down, the costliest first."""


class Profiling(Part):
    """Profiles `steps` steps after the first `skip`, and writes a `profile` record."""

    name = "profiling"

    def __init__(self, journal: Journal, wanted: Mapping[str, Any], watcher: Watcher) -> None:
        self._journal = journal
        self._torch = watcher.torch
        self._first = int(wanted["skip"])
        self._steps = int(wanted["steps"])
        self._profile: Any = None

    def after_step(self, optimizer: torch.optim.Optimizer, step: int) -> None:
        """Begin after one step, end after another."""
        if self._profile is None and self._first <= step < self._first + self._steps:
            self._first = step
            self._profile = self._begin()
        elif self._profile and step >= self._first + self._steps:
            self._finish(step - self._first)

    def ended(self) -> None:
        """The run ended before the profile did: it holds what there was."""
        if self._profile:
            self._finish(0)

    def _begin(self) -> Any:
        profiler = self._torch.profiler
        activities = [profiler.ProfilerActivity.CPU]
        if self._torch.cuda.is_available() and self._torch.cuda.is_initialized():
            activities.append(profiler.ProfilerActivity.CUDA)
        profile = profiler.profile(activities=activities)
        profile.start()
        return profile

    def _finish(self, steps: int) -> None:
        profile, self._profile = self._profile, False
        profile.stop()
        rows = [_row(one) for one in profile.key_averages()]
        rows.sort(key=lambda row: -(row["device"] or row["self"]))
        self._journal.record("profile", steps=steps, operators=rows[:KEPT])


def _row(one: Any) -> dict[str, Any]:
    """One operator: its calls, and microseconds on the processor, alone and in all, and on the device."""
    device = getattr(one, "self_device_time_total", None)
    if device is None:  # torch before 2.5
        device = getattr(one, "self_cuda_time_total", 0)
    return {
        "name": one.key, "calls": one.count, "self": one.self_cpu_time_total, "total": one.cpu_time_total,
        "device": device,
    }  # fmt: skip
