"""A data loader whose workers are started for one batch, and thrown away."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Callable

from ..journal import Journal
from ..look.places import Places
from ..part import Part
from ..patching import replace
from .labelled import weakly

if TYPE_CHECKING:
    from ..watcher import Watcher

TIMES = 8
"""How often in a row a loader is begun anew before that is no chance."""

BATCHES = 4
"""So many batches are handed out in between, of all loaders: a labelled and an unlabelled one take turns."""

KEPT = 64
"""Data sets that are remembered; each task of meta-learning may have one of its own."""

LONGER = 3
"""How many times as many the loader has: a task of few batches ends by itself."""


class Restarted(Part):
    """Counts how often a loader with workers is begun in a row after a batch or two, while the run trains.

    One that is made anew each time, over the same data, is the same loader.
    An epoch that is cut short takes many batches of each beginning, and a look at the first batch comes once an epoch.
    """

    name = "restarted"
    asleep = ("batch_loaded",)

    def __init__(self, journal: Journal, options: Mapping[str, Any], watcher: Watcher) -> None:
        from torch.utils.data import DataLoader

        self._journal, self._watcher = journal, watcher
        self._batches = 0
        self._begun: dict[int, tuple[Any, list[int]]] = {}
        """Of each data set, by its id: the batches handed out when it was begun last, how often in a row, and the step of the first time."""
        replace(watcher, DataLoader, "__iter__", self._wrap)

    def _wrap(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def __iter__(loader: Any) -> Any:
            self._watcher.own("restarted", self._begins, loader)
            return original(loader)

        return __iter__

    def batch_loaded(self, batch: Any, seconds: float) -> None:
        """Some loader gave a batch."""
        self._batches += 1

    def _begins(self, loader: Any) -> None:
        if not loader.num_workers:
            return
        # Another data set may have the address of one that is gone.
        over = loader.dataset if weakly(loader.dataset) is not None else loader
        if not self._begun:
            self._watcher.wake(self, "batch_loaded")
        step = self._watcher.step
        if len(self._begun) > KEPT:
            self._begun.clear()
        known, begun = self._begun.get(id(over), (None, []))
        before, times, first = begun if known is not None and known() is over else (-1, 0, step)
        taken = self._batches - before
        if before < 0 or not 0 < taken <= BATCHES or _length(loader) < LONGER * taken:
            times, first = 0, step
        self._begun[id(over)] = weakly(over), [self._batches, times + 1, first]
        if times >= TIMES and step - first >= TIMES // 2:
            place = Places(self._watcher.torch, {}).here()
            where = {"file": place.file or None, "line": place.line or None}
            self._journal.fact("data.loader_restarted", True, step=step, **where)  # type: ignore[arg-type]
            self._begun.clear()
            self._watcher.rest(self, "batch_loaded")


def _length(loader: Any) -> int:
    """Its batches; one that does not know has many."""
    try:
        return len(loader)
    except TypeError:
        return LONGER * BATCHES
