"""Workers that bring the same samples: a stream that each goes through, or numbers that each draws from one seed."""

from __future__ import annotations

import weakref
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Callable

from ..journal import Journal
from ..loaders import iterator_below
from ..look.values import tensors_in
from ..part import Part
from ..patching import replace
from .tensors import readable

if TYPE_CHECKING:
    import torch

    from ..watcher import Watcher

SAMPLES = 8192
"""Samples of one pass that are remembered."""

PASSES = 2
"""Passes that are looked at."""

READ, TENSORS = 32, 4
"""Numbers of each tensor of a sample that are kept, from all over it, and how many tensors."""

DIFFERENT = 32
"""Different samples that must have been seen."""

SHARE = 0.9
"""Of the samples so many come exactly once from each worker."""


class Doubled(Part):
    """Knows the samples again that a loader gets from several workers.

    The loader takes a batch of each worker in turn. Where almost every sample came as often as there are workers, and each time from
    another one, none of them asked which part is its own, or all draw from one seed. Data that repeat by themselves do so in any worker.
    Of a data set with an index each worker is asked for other samples: that a part of the set is there twice does not count, but that
    the batches of one round are alike, and in each round others.
    """

    name = "doubled"
    asleep = ("batch_loaded",)

    def __init__(self, journal: Journal, options: Mapping[str, Any], watcher: Watcher) -> None:
        from torch.utils.data import DataLoader

        self._journal, self._watcher = journal, watcher
        self._iterator: weakref.ref[Any] = weakref.ref(self)
        self._workers = self._passes = self._samples = 0
        self._indexed = False
        self._seen: dict[tuple[int, int], tuple[int, int]] = {}
        """Of each sample, with an index in each round anew, how often it came, and a bit for each worker that brought it."""
        replace(watcher, DataLoader, "__iter__", self._wrap)

    def _wrap(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def __iter__(loader: Any) -> Any:
            iterator = original(loader)
            self._watcher.own("doubled", self._began, loader, iterator)
            return iterator

        return __iter__

    def _began(self, loader: Any, iterator: Any) -> None:
        from torch.utils.data import IterableDataset

        if loader.num_workers < 2:
            return
        self._judge()
        if self._passes < PASSES:
            self._passes += 1
            self._indexed = not isinstance(loader.dataset, IterableDataset)
            self._iterator, self._workers = weakref.ref(iterator), loader.num_workers
            self._watcher.wake(self, "batch_loaded")

    def batch_loaded(self, batch: Any, seconds: float) -> None:
        """Remember its samples, if it is of the loader that is looked at."""
        iterator = self._iterator()
        if iterator is None or iterator is not iterator_below():
            return
        torch = self._watcher.torch
        found = (
            one.detach()
            for one in tensors_in(torch.Tensor, batch)
            if one.device.type == "cpu" and one.dim() and readable(torch, one)
        )
        tensors = [one for one, _ in zip(found, range(TENSORS))]
        rows = min((len(one) for one in tensors), default=0)
        turn, worker = divmod(iterator._num_yielded - 1, self._workers)
        worker = 1 << worker
        for sample in zip(*(_some(one, rows) for one in tensors)):
            key = turn if self._indexed else 0, hash(sample)
            times, brought = self._seen.get(key, (0, 0))
            self._seen[key] = times + 1, brought | worker
        self._samples += rows
        if self._samples >= SAMPLES:
            self._judge()

    def ended(self) -> None:
        """The pass at hand may be the only one."""
        self._judge()

    def _judge(self) -> None:
        seen, self._seen, self._samples = self._seen, {}, 0
        self._iterator = weakref.ref(self)
        self._watcher.rest(self, "batch_loaded")
        once_each = (self._workers, (1 << self._workers) - 1)
        different = len({sample for _, sample in seen})
        if different >= max(DIFFERENT, SHARE * len(seen)) and sum(
            one == once_each for one in seen.values()
        ) >= SHARE * len(seen):
            name = "data.workers_give_alike" if self._indexed else "data.repeated_by_workers"
            self._journal.fact(name, self._workers, step=self._watcher.step)


def _some(tensor: torch.Tensor, rows: int) -> list[tuple[Any, ...]]:
    """A few numbers of each sample."""
    flat = tensor[:rows].reshape(rows, -1)
    stride = max(1, flat.shape[1] // READ)
    return [tuple(row) for row in flat[:, ::stride][:, :READ].tolist()]
