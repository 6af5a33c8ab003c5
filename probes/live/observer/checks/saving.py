"""Checkpoints that are written so often that writing them takes the time."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Callable

from ..journal import Journal
from ..part import Part
from ..patching import replace

if TYPE_CHECKING:
    from ..model import ModelSeen
    from ..watcher import Watcher

FEWEST = 20
"""Steps after which it is known how often a loop saves."""


class Saving(Part):
    """Adds up what `torch.save` takes once the loop has begun. Nothing is done where nothing is saved."""

    name = "saving"

    def __init__(self, journal: Journal, options: Mapping[str, Any], watcher: Watcher) -> None:
        self._journal = journal
        self._watcher = watcher
        self._began = 0.0
        self._seconds = 0.0
        self._times = self._last = 0
        replace(watcher, watcher.torch, "save", self._wrap_save)

    def _wrap_save(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def save(*args: Any, **kwargs: Any) -> Any:
            began = time.perf_counter()
            result = original(*args, **kwargs)
            step = self._watcher.step
            if step:
                self._seconds += time.perf_counter() - began
                self._times += step != self._last
                self._last = step
            return result

        return save

    def model_found(self, model: ModelSeen) -> None:
        """The first step: the loop begins."""
        self._began = self._began or time.perf_counter()

    def ended(self) -> None:
        """After which share of the steps something was saved, and what share of the time it took."""
        steps = self._watcher.step
        if steps >= FEWEST and self._times:
            self._journal.fact("log.speed.saved_steps", min(1.0, self._times / steps))
            self._journal.fact("log.speed.save_share", self._seconds / (self._watcher.now - self._began))
