"""Training that gets far fewer different samples than its loader has places for."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..journal import Journal
from ..loaders import iterator_below
from ..part import Part
from .labelled import weakly
from .tensors import readable

if TYPE_CHECKING:
    import torch

    from ..watcher import Watcher

ROWS, DRAWN, BATCHES = 4, 1024, 64
"""The first samples of a batch that are told from each other; so many in all; about as many batches of a long pass."""

READ, DEPTH = 32, 3
"""Numbers of each part of a sample by which it is known; how deep a batch is searched for its parts."""

LEAST = 8
"""An input of fewer numbers, or with fewer different ones, may come twice by itself: a point, a board, a mask."""

ENOUGH, TIMES, SHARE = 64, 4, 0.2
"""Samples before anything is said, how often each came, and which share of those that were to come were different."""

LOADERS = 8


@dataclass
class _Passes:
    """What training got of one data set."""

    dataset: Any
    batches: int
    different: set[Any] = field(default_factory=set)
    drawn: int = 0
    places: int = 0
    furthest: int = 0
    """The last batch of a pass that was trained on, counted from 1."""

    def every(self) -> int:
        """One batch in so many is read."""
        return max(1, self.batches // BATCHES)

    def reads(self, number: int) -> bool:
        """Whether this batch of a pass is, the first of all among them."""
        return (number - 1) % self.every() == 0

    def share(self) -> float:
        """The share of different samples among as many as were to be expected; 1 where that cannot be told."""
        came = len(self.different)
        if self.drawn < ENOUGH or self.drawn < TIMES * came or not self.places:
            return 1.0
        return came / (self.places * (1 - math.exp(-self.drawn / self.places)))


class FewSamples(Part):
    """Knows the first samples of each batch by their numbers, with all that the loader gives of them, labels too.

    Batches that are put together in order begin with as many different samples as there are batches; where they are
    drawn by chance, with more. Far fewer are there where each pass ends early and begins with the same batches, and
    where the data set gives the same for different places, as when a seed is set for each sample. Batches that no
    model was trained on do not count.
    """

    name = "few samples"

    def __init__(self, journal: Journal, options: Mapping[str, Any], watcher: Watcher) -> None:
        self._journal, self._watcher, self._torch = journal, watcher, watcher.torch
        self._passes: dict[int, _Passes] = {}
        self._waiting: list[tuple[_Passes, int, list[Any]]] = []

    def batch_loaded(self, batch: Any, seconds: float) -> None:
        """A loader gave this one; whether training gets it is not known yet."""
        iterator = iterator_below()
        passes = self._of(iterator)
        if passes is not None:
            number = int(iterator._num_yielded)
            keys = self._keys(batch) if passes.reads(number) else []
            self._waiting = [*self._waiting[-LOADERS:], (passes, number, keys)]

    def before_forward(self, root: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """What was handed out since the last call is trained on."""
        waiting, self._waiting = self._waiting, []
        if not (root.training and self._torch.is_grad_enabled()):
            return
        for passes, number, keys in waiting:
            passes.different.update(keys)
            passes.drawn += len(keys)
            passes.places = max(passes.places, -(-passes.batches // passes.every()) * len(keys))
            passes.furthest = max(passes.furthest, number)
            if passes.drawn > DRAWN:
                self._watcher.rest(self, "batch_loaded", "before_forward")

    def ended(self) -> None:
        """Say so of the data set of which most was drawn."""
        passes = max(self._passes.values(), key=lambda one: one.drawn, default=None)
        if passes is None or passes.share() > SHARE:
            return
        self._journal.fact("data.different_share", passes.share())
        if 2 * passes.furthest <= passes.batches:
            self._journal.fact("data.pass_ends_after", passes.furthest)
            self._journal.fact("data.pass_batches", passes.batches)

    def _of(self, iterator: Any) -> _Passes | None:
        """What is known of the data set that this iterator goes through."""
        if iterator is None or not getattr(iterator, "_auto_collation", False):
            return None
        dataset = iterator._dataset
        known = self._passes.get(id(dataset))
        if known is not None and known.dataset() is dataset:
            return known
        reference = weakly(dataset)
        try:
            batches = len(iterator._index_sampler)
        except TypeError:  # a stream without an end
            return None
        if reference is None or len(self._passes) >= LOADERS:
            return None
        made = self._passes[id(dataset)] = _Passes(reference, batches)
        return made

    def _keys(self, batch: Any) -> list[Any]:
        """What the first samples of this batch are known by; none where that cannot be told."""
        parts: list[Any] = []
        if not _flatten(self._torch, batch, parts, DEPTH):
            return []
        tensors = [one for one in parts if isinstance(one, self._torch.Tensor)]
        rows = len(tensors[0]) if tensors else 0
        if rows <= 1 or any(len(one) != rows for one in parts) or not any(map(_tells, tensors)):
            return []
        columns = [_firsts(one) if isinstance(one, self._torch.Tensor) else one[:ROWS] for one in parts]
        return [hash(key) for key in zip(*columns)]


def _flatten(torch: Any, value: Any, parts: list[Any], depth: int) -> bool:
    """Gather the tensors and the lists of texts; false where there is something else, or it cannot be read at once."""
    if isinstance(value, torch.Tensor):
        parts.append(value)
        return bool(readable(torch, value) and value.is_cpu and value.dim() > 0)
    inner = list(value.values()) if isinstance(value, Mapping) else value
    if not depth or not isinstance(inner, (list, tuple)) or not inner:
        return False
    if all(isinstance(one, str) for one in inner):
        parts.append(inner)
        return True
    return all(_flatten(torch, one, parts, depth - 1) for one in inner)


def _tells(tensor: torch.Tensor) -> bool:
    """Whether it holds measured data, of which no two samples are alike by chance."""
    if not tensor.is_floating_point() or tensor.numel() < LEAST * len(tensor):
        return False
    return len(_some(tensor)[0].unique()) >= LEAST


def _firsts(tensor: torch.Tensor) -> list[tuple[float, ...]]:
    """Some numbers of its first samples, and their sums, since the borders of pictures are all alike."""
    sums = tensor.detach()[:ROWS].reshape(min(ROWS, len(tensor)), -1).sum(1).tolist()
    return [(one, *row) for one, row in zip(sums, _some(tensor).tolist())]


def _some(tensor: torch.Tensor) -> torch.Tensor:
    """Numbers from all over the first samples. Rows and columns have round sizes: such a step would meet the same place of each."""
    rows = tensor.detach()[:ROWS].reshape(min(ROWS, len(tensor)), -1)
    return rows[:, :: max(1, rows.shape[1] // READ) | 1]
