"""Samplers of ranks that shuffle by the number of the epoch, and are never told it."""

from __future__ import annotations

import weakref
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Callable

from ..journal import Journal
from ..loaders import iterator_below
from ..part import Part
from ..patching import replace

if TYPE_CHECKING:
    import torch

    from ..watcher import Watcher

PASSES = 3
"""Passes of training with one number: two may be two stages of a script."""

BATCHES = 4
"""Where a pass has fewer, their order says little."""


class ToldEpochs(Part):
    """Follows the epoch of a DistributedSampler from one pass of training to the next.

    It seeds its shuffle with the sum of its seed and its epoch, and the epoch is what `set_epoch` says. In evaluation the order does not
    matter: a pass is one of training where the optimizer steps after one of its batches. A subclass that shuffles otherwise is left alone.
    """

    name = "told epochs"
    asleep = ("batch_loaded", "after_step")

    def __init__(self, journal: Journal, options: Mapping[str, Any], watcher: Watcher) -> None:
        from torch.utils.data import DataLoader, DistributedSampler

        self._journal, self._watcher, self._kind = journal, watcher, DistributedSampler
        self._samplers: weakref.WeakKeyDictionary[Any, list[tuple[Any, Any]]] = weakref.WeakKeyDictionary()
        """Of each sampler the epoch and the seed of each of its passes of training."""
        self._pass: tuple[weakref.ref[Any], weakref.ref[Any]] | None = None
        """The iterator that gave the last batch, and its sampler."""
        self._counted: weakref.ref[Any] = weakref.ref(self)
        self._told: bool | None = None
        replace(watcher, DataLoader, "__iter__", self._wrap)

    def _wrap(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def __iter__(loader: Any) -> Any:
            if self._told is not True:
                self._watcher.own(self.name, self._begins, loader)
            return original(loader)

        return __iter__

    def _begins(self, loader: Any) -> None:
        """A pass begins: of such a sampler it is worth following."""
        sampler = self._sampler_of(loader)
        if sampler is not None and sampler not in self._samplers:
            self._samplers[sampler] = []
            self._watcher.wake(self, *self.asleep)

    def _sampler_of(self, loader: Any) -> Any:
        for sampler in (
            getattr(loader, "sampler", None),
            getattr(getattr(loader, "batch_sampler", None), "sampler", None),
        ):
            if (
                isinstance(sampler, self._kind)
                and type(sampler).__iter__ is self._kind.__iter__
                and sampler.shuffle
                and len(loader) >= BATCHES
            ):
                return sampler
        return None

    def batch_loaded(self, batch: Any, seconds: float) -> None:
        """Some loader gave a batch: whose it is."""
        iterator = iterator_below()
        if iterator is None or (self._pass is not None and self._pass[0]() is iterator):
            return
        sampler = getattr(getattr(iterator, "_index_sampler", None), "sampler", None)
        known = isinstance(sampler, self._kind) and sampler in self._samplers
        self._pass = (weakref.ref(iterator), weakref.ref(sampler)) if known else None

    def after_step(self, optimizer: torch.optim.Optimizer, step: int) -> None:
        """The pass that gave the last batch is one of training; it is counted once."""
        if self._pass is None or self._counted() is self._pass[0]():
            return
        self._counted, sampler = self._pass[0], self._pass[1]()
        if sampler is None:
            return
        epochs = self._samplers[sampler]
        epochs.append((sampler.epoch, sampler.seed))
        if len(epochs) < PASSES:
            return
        never = len(set(epochs)) == 1
        if never is not self._told:
            self._told = never
            self._journal.fact("data.epoch_never_told", never, step=self._watcher.step)
        self._watcher.rest(self, *self.asleep)
