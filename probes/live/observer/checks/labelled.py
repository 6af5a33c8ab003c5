"""Something of each call of a model, beside the labels that the loader handed out for it."""

from __future__ import annotations

import weakref
from collections import deque
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from ..batch import LABELS, is_whole
from ..journal import Journal
from ..loaders import iterator_below
from ..part import Part

if TYPE_CHECKING:
    import torch

    from ..watcher import Watcher

CALLS = 48
"""Calls of each kind that are kept, the last ones."""

SAMPLES = 512
"""Samples of a call that are kept."""

EVERY = 4
"""One training call in so many is kept."""

ENOUGH = 5
"""Samples of a class without which nothing is said of it."""

MODELS = 4

Side = deque[tuple["torch.Tensor", "torch.Tensor"]]
"""Labels, and what was kept of their samples, call by call."""


class Labelled(Part):
    """Keeps training and evaluation of each model apart, so that they can be compared when the process ends.

    What the model is trained on is asked in evaluation too, by loops that print the score of both: that is no evaluation here.
    """

    def __init__(self, journal: Journal, options: Mapping[str, Any], watcher: Watcher) -> None:
        self._journal = journal
        self._torch = watcher.torch
        self._is_grad_enabled = watcher.torch.is_grad_enabled
        self._labels: Any = None
        self._from: Any = None
        self._trained_on: list[Any] = []
        self._calls = 0
        self._seen: dict[int, tuple[Side, Side]] = {}

    def batch_loaded(self, batch: Any, seconds: float) -> None:
        """Its labels are for the next call of a model."""
        self._labels = labels_of(batch)
        self._from = None if self._labels is None else weakly(getattr(iterator_below(), "_dataset", None))

    def labels_for(self, root: torch.nn.Module) -> Any:
        """The labels of this call, where it is one that is kept: of evaluation each, in eval mode and without gradients."""
        labels, self._labels = self._labels, None
        trains = self._is_grad_enabled()
        if labels is None or trains != root.training or (not trains and self._was_trained_on()):
            return None
        self._calls += trains
        if not trains:
            return labels
        if self._from is not None and not self._was_trained_on():
            self._trained_on = [one for one in self._trained_on if one() is not None] + [self._from]
        return None if self._calls % EVERY else labels

    def _was_trained_on(self) -> bool:
        """Whether the model learns from the data set of this batch. A list has no weak reference, and is not known."""
        held = self._from() if self._from is not None else None
        return held is not None and any(one() is held for one in self._trained_on)

    def keep(self, root: torch.nn.Module, labels: torch.Tensor, values: torch.Tensor) -> None:
        """Put it beside the labels. Only the first models of a process are followed."""
        if id(root) in self._seen or len(self._seen) < MODELS:
            sides = self._seen.setdefault(id(root), (deque(maxlen=CALLS), deque(maxlen=CALLS)))
            sides[self._is_grad_enabled()].append((labels[:SAMPLES].clone(), values))

    def sides(self) -> Iterable[tuple[Side, Side]]:
        """Evaluation and training of each model."""
        return self._seen.values()

    def records(self, tensor: torch.Tensor) -> bool:
        """Whether a graph of the device is being recorded: what is computed now would be computed with it each time."""
        return tensor.is_cuda and self._torch.cuda.is_current_stream_capturing()


def weakly(data: Any) -> Any:
    """A reference that does not keep it alive; None for what has none, such as a list."""
    try:
        return weakref.ref(data)
    except TypeError:
        return None


def labels_of(batch: Any) -> Any:
    """The only whole number of each sample in a batch, or the one that is called a label."""
    if isinstance(batch, Mapping):
        found = [one for key, one in batch.items() if str(key).lower() in LABELS]
    else:
        found = list(batch) if isinstance(batch, (list, tuple)) else []
    whole = [one for one in found if getattr(one, "dim", int)() == 1 and is_whole(one)]
    return whole[0] if len(whole) == 1 else None
