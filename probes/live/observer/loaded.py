"""The batches that were loaded last, and what is said of the one of a step that failed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from . import batch as batches
from .blame import from_outside
from .indices import Indices
from .replay import save_batch

if TYPE_CHECKING:
    from .watcher import Watcher

TENSORS = 32
"""Tensors of a batch that are described."""


@dataclass
class Loaded:
    """A batch, the samples in it where the sampler told, and the last step that was over when it came."""

    batch: Any
    indices: list[int] | None
    step: int


class LastLoaded:
    """The last three batches: the next one comes before a step that was left out is judged, and a loader may be ahead."""

    def __init__(self, options: Mapping[str, Any], watcher: Watcher) -> None:
        self._folder = options.get("save_batch")
        self._watcher = watcher
        self._indices = Indices(watcher)
        self._loaded: list[Loaded] = []

    def add(self, batch: Any) -> None:
        """A loader gave a batch."""
        self._loaded = [*self._loaded[-2:], Loaded(batch, self._indices.of_last(), self._watcher.step)]

    def say(self, calls: list[Any], step: int) -> Any:
        """Say what the batch of these calls of models holds, save it if asked to, and return it (None if unknown)."""
        arguments = calls[-1] if calls else None
        torch, journal = self._watcher.torch, self._watcher.journal
        recent = [one for one in self._loaded if one.step >= self._watcher.step - 1]
        batch = batches.chosen(torch, [one.batch for one in recent], arguments)
        if batch is None and arguments is None:
            return None
        indices = next((one.indices for one in recent if one.batch is batch), None)
        each = [batches.entries(torch, batch, one) for one in (calls if batch is None else [arguments])]
        known = from_outside(torch, [one for entries in each for one in entries])
        batches.write_facts(torch, journal, known, step, indices)
        described = [batches.describe(torch, one) for one in known[:TENSORS]]
        batches.write_labels(journal, described, step)
        journal.record("batch", step=step, tensors=described, samples=indices)
        if self._folder:
            path = save_batch(torch, self._folder, arguments if batch is None else batch, step)
            what = f"the batch was saved: {path}" if path else "the batch is too large to be saved"
            journal.record("event", what=what, step=step)
        return batch
