"""Classes that are numbered in one way for training and in another for evaluation."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..look.values import tensors_in
from .labelled import ENOUGH, SAMPLES, Labelled, Side
from .tensors import readable

if TYPE_CHECKING:
    import torch

CLASSES = 1000

SURE = 0.7
"""The share of a class that is taken for one and the same."""

LATEST = 40
"""Samples of a class that count, the last ones: before them the model may have known less."""


class ClassOrders(Labelled):
    """Keeps labels as the loader hands them out, and the class that the model holds most likely.

    A model that has learnt takes samples of a class for that class. Where it takes nearly all samples of one label for another
    class in evaluation, and those of the next label for yet another, the numbers mean something else there. What the loop does
    to the labels before the loss, it does in training too: only a difference between the two counts.
    """

    name = "class orders"

    def after_forward(self, root: torch.nn.Module, output: Any) -> None:
        """Keep what it holds most likely, beside the labels."""
        labels = self.labels_for(root)
        scores: Any = next(tensors_in(self._torch.Tensor, output), None) if labels is not None else None
        if scores is not None and self._tells(labels, scores):
            self.keep(root, labels, scores.detach()[:SAMPLES].argmax(1))

    def ended(self) -> None:
        """Compare them. A device that has failed gives nothing back."""
        with contextlib.suppress(RuntimeError):
            for evaluated, trained in self.sides():
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
            and not self.records(scores)
        )


def _taken_for(side: Side) -> dict[int, int]:
    """Of each label the class that nearly all of its samples are taken for; -1 where there is none."""
    counts: dict[int, Counter[int]] = {}
    for labels, likeliest in reversed(side):
        for label, taken in zip(labels.tolist(), likeliest.tolist()):
            counter = counts.setdefault(label, Counter())
            if sum(counter.values()) < LATEST:
                counter[taken] += 1
    found = {}
    for label, counter in counts.items():
        (taken, times), *_ = counter.most_common(1)
        total = sum(counter.values())
        if total >= ENOUGH:
            found[label] = taken if times >= SURE * total else -1
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
