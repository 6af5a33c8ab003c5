"""Data sets whose stored samples are changed by whoever fetches them."""

from __future__ import annotations

import os
import random
import sys
import weakref
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Callable

from ..journal import Journal
from ..look.values import tensors_in
from ..part import Part
from ..patching import replace

if TYPE_CHECKING:
    import torch

    from ..watcher import Watcher

SETS = 8
"""Data sets that are followed."""

TWICE = 2
"""Changed once, it was put there: a cache is filled. What changes again is changed by each epoch."""

LEAST, LARGEST = 16, 1 << 24
"""Fewer numbers are a count or a label; more take time to compare."""

WRAPPED = 4
"""Parts of parts of a data set."""


class _Followed:
    """One sample of a data set: its place, how often it was fetched, and how often that changed it."""

    def __init__(self, dataset: Any, place: int) -> None:
        self.dataset, self.place = weakref.ref(dataset), place
        self.fetched = self.changed = 0
        self.drawn = False
        """Whether random numbers were drawn meanwhile: it is augmentation that changes it, and no fixed preparation."""


class Stored(Part):
    """Compares the tensors that a data set holds of one sample before and after that sample is fetched.

    Augmentation that works in place on what is stored piles up from epoch to epoch, where no worker has a copy of its own.
    Only the first sample of the first batch of each set is followed. What merely changes places, as in a flip, piles up to nothing.
    """

    name = "stored"

    def __init__(self, journal: Journal, options: Mapping[str, Any], watcher: Watcher) -> None:
        from torch.utils.data._utils import fetch

        self._journal, self._watcher, self._torch = journal, watcher, watcher.torch
        self._process = os.getpid()
        self._followed: dict[int, _Followed] = {}
        self._before: list[tuple[Any, torch.Tensor]] = []
        self._of: _Followed | None = None
        self._states: tuple[Any, ...] = ()
        self._told = False
        replace(watcher, fetch._MapDatasetFetcher, "fetch", self._wrap)

    def _wrap(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def fetch(fetcher: Any, index: Any) -> Any:
            if self._told or os.getpid() != self._process:
                return original(fetcher, index)
            self._watcher.own(self.name, self._look, fetcher, index)
            batch = original(fetcher, index)
            if self._of is not None:
                self._watcher.own(self.name, self._compare)
            return batch

        return fetch

    def _look(self, fetcher: Any, index: Any) -> None:
        """Keep what is stored of the sample that is followed, where it is in this batch."""
        self._before, self._of = [], None
        places = index if isinstance(index, list) else [index]
        dataset = fetcher.dataset
        known = self._followed.get(id(dataset))
        if known is not None and known.dataset() is not dataset:
            known = None  # another had this id
        if known is None and places and type(places[0]) is int and _may_be_followed(dataset):
            self._followed = {key: one for key, one in self._followed.items() if one.dataset() is not None}
            if len(self._followed) < SETS:
                known = self._followed[id(dataset)] = _Followed(dataset, places[0])
        if known is None or known.fetched >= TWICE + 1 or known.place not in places:
            return
        self._of = known
        self._before = [(one, one.clone()) for one in self._stored(dataset, known.place)]
        self._states = self._random_states() if self._before else ()

    def _compare(self) -> None:
        """Has fetching changed it?"""
        known, before = self._of, self._before
        self._before, self._of = [], None
        if known is None:
            return
        known.fetched += 1
        if any(self._differ(one, copy) for one, copy in before):
            known.changed += 1
            known.drawn = known.drawn or self._states != self._random_states()
        if known.changed >= TWICE:
            self._told = True
            self._followed.clear()
            self._journal.fact("data.stored_sample_changes", True, step=self._watcher.step)
            self._journal.fact("data.stored_sample_changes_by_chance", known.drawn, step=self._watcher.step)

    def _differ(self, one: torch.Tensor, copy: torch.Tensor) -> bool:
        """Whether the numbers are others, and not the same in another order."""
        new, old = one.reshape(-1), copy.reshape(-1)
        if bool(((new == old) | (new.isnan() & old.isnan())).all()):
            return False
        return not self._torch.equal(new.sort().values, old.sort().values)

    def _random_states(self) -> tuple[Any, ...]:
        """Where the generators of torch, Python and NumPy stand. Reading them draws nothing."""
        numpy = sys.modules.get("numpy.random")
        states = (bytes(self._torch.get_rng_state().tolist()), random.getstate())
        return states if numpy is None else (*states, str(numpy.get_state()))

    def _stored(self, dataset: Any, place: int) -> Iterator[torch.Tensor]:
        """The tensors, or arrays as tensors, that the attributes of a data set hold for this sample."""
        for _ in range(WRAPPED):
            indices = getattr(dataset, "indices", None)
            if indices is None or not hasattr(dataset, "dataset"):
                break
            dataset, place = dataset.dataset, int(indices[place])
        try:
            count = len(dataset)
        except (TypeError, NotImplementedError):
            return
        for value in list(getattr(dataset, "__dict__", {}).values()):
            for one in (value, *(value if isinstance(value, (list, tuple)) and len(value) <= SETS else ())):
                yield from self._of_sample(one, place, count)

    def _of_sample(self, held: Any, place: int, count: int) -> Iterator[torch.Tensor]:
        if isinstance(held, dict):
            piece = held.get(place)
        elif isinstance(held, (list, tuple)) or hasattr(held, "__array_interface__"):
            piece = held[place] if hasattr(held, "__len__") and len(held) == count else None
        elif isinstance(held, self._torch.Tensor):
            piece = held[place] if held.dim() > 1 and len(held) == count else None
        else:
            return
        pieces = piece if isinstance(piece, (list, tuple)) else [piece]
        arrays = [self._torch.from_numpy(one) for one in pieces if _can_change(one)]
        for one in (*tensors_in(self._torch.Tensor, piece), *arrays):
            if one.device.type == "cpu" and not one.is_sparse and LEAST <= one.numel() <= LARGEST:
                yield one.detach()


def _may_be_followed(dataset: Any) -> bool:
    """Whether it can be told when it is gone. A plain list cannot."""
    return hasattr(dataset, "__weakref__")


def _can_change(array: Any) -> bool:
    """Whether it is a NumPy array of numbers that a tensor can share, and may be written."""
    kind = str(getattr(getattr(array, "dtype", None), "name", ""))
    known = kind in ("float32", "float64", "uint8", "int16", "int32", "int64")
    return known and hasattr(array, "__array_interface__") and bool(array.flags.writeable)
