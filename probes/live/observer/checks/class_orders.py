"""Classes that are numbered in one way for training and in another for evaluation."""

from __future__ import annotations

import contextlib
from collections import Counter, deque
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..batch import LABELS, is_whole
from ..journal import Journal
from ..look.values import tensors_in
from ..part import Part
from .tensors import readable

if TYPE_CHECKING:
    import torch

    from ..watcher import Watcher

CALLS = 48
"""Calls of each kind that are kept, the last ones."""

SAMPLES = 512
"""Samples of a call that are kept."""

EVERY = 4
"""One training call in so many is kept."""

CLASSES = 1000

ENOUGH = 5
"""Samples of a class without which nothing is said of it."""

SURE = 0.7
"""The share of a class that is taken for one and the same."""

MODELS = 4

Pairs = deque[tuple["torch.Tensor", "torch.Tensor"]]


class ClassOrders(Part):
    """Keeps labels as the loader hands them out, and the class that the model holds most likely.

    A model that has learnt takes samples of a class for that class. Where it takes nearly all samples of one label for another
    class in evaluation, and those of the next label for yet another, the numbers mean something else there. What the loop does
    to the labels before the loss, it does in training too: only a difference between the two counts.
    """

    name = "class orders"

    def __init__(self, journal: Journal, options: Mapping[str, Any], watcher: Watcher) -> None:
        self._journal = journal
        self._torch = watcher.torch
        self._is_grad_enabled = watcher.torch.is_grad_enabled
        self._labels: Any = None
        self._calls = 0
        self._seen: dict[int, tuple[Pairs, Pairs]] = {}

    def batch_loaded(self, batch: Any, seconds: float) -> None:
        """Its labels are for the next call of a model."""
        self._labels = labels_of(batch)

    def after_forward(self, root: torch.nn.Module, output: Any) -> None:
        """Keep what it holds most likely, beside the labels."""
        labels, self._labels = self._labels, None
        trains = self._is_grad_enabled()
        if labels is None or trains != root.training:
            return
        self._calls += trains
        if trains and self._calls % EVERY:
            return
        scores: Any = next(tensors_in(self._torch.Tensor, output), None)
        if scores is None or not self._tells(labels, scores):
            return
        if id(root) not in self._seen:
            if len(self._seen) >= MODELS:
                return
            self._seen[id(root)] = (deque(maxlen=CALLS), deque(maxlen=CALLS))
        with self._torch.no_grad():
            likeliest = scores.detach()[:SAMPLES].argmax(1)
        self._seen[id(root)][trains].append((labels[:SAMPLES].clone(), likeliest))

    def ended(self) -> None:
        """Compare them. A device that has failed gives nothing back."""
        with contextlib.suppress(RuntimeError):
            for evaluated, trained in self._seen.values():
                told = _otherwise(_taken_for(trained), _taken_for(evaluated))
                if told is not None:
                    self._journal.fact("data.classes_numbered_otherwise", bool(told), note=told or None)

    def _tells(self, labels: Any, scores: Any) -> bool:
        """Whether these are labels and the scores of their classes."""
        return (
            readable(self._torch, labels)
            and readable(self._torch, scores)
            and scores.is_floating_point()
            and scores.dim() == 2
            and len(scores) == len(labels)
            and 1 < scores.shape[1] <= CLASSES
            # What is recorded as a graph of the device would be computed with it each time.
            and not (scores.is_cuda and self._torch.cuda.is_current_stream_capturing())
        )


def labels_of(batch: Any) -> Any:
    """The only whole number of each sample in a batch, or the one that is called a label."""
    if isinstance(batch, Mapping):
        found = [one for key, one in batch.items() if str(key).lower() in LABELS]
    else:
        found = list(batch) if isinstance(batch, (list, tuple)) else []
    whole = [one for one in found if getattr(one, "dim", int)() == 1 and is_whole(one)]
    return whole[0] if len(whole) == 1 else None


def _taken_for(pairs: Pairs) -> dict[int, int]:
    """Of each label the class that nearly all of its samples are taken for; -1 where there is none."""
    counts: dict[int, Counter[int]] = {}
    for labels, likeliest in pairs:
        for label, taken in zip(labels.tolist(), likeliest.tolist()):
            counts.setdefault(label, Counter())[taken] += 1
    found = {}
    for label, counter in counts.items():
        (taken, times), *_ = counter.most_common(1)
        if counter.total() >= ENOUGH:
            found[label] = taken if times >= SURE * counter.total() else -1
    return found


def _otherwise(trained: Mapping[int, int], evaluated: Mapping[int, int]) -> str | None:
    """Which labels are taken for another class in evaluation than in training; empty where they are few, None where nothing is known."""
    both = [label for label in evaluated if trained.get(label, -1) >= 0]
    sure = [label for label in both if evaluated[label] >= 0]
    if len(both) < 2 or 3 * len(sure) < 2 * len(both):
        return None
    moved = sorted(label for label in sure if evaluated[label] != trained[label])
    if (
        len(moved) < min(3, len(both))
        or 2 * len(moved) < len(sure)
        or len({evaluated[one] for one in sure}) < len(sure)
    ):
        return ""
    return ", ".join(f"label {one} is taken for {evaluated[one]}" for one in moved[:4])
