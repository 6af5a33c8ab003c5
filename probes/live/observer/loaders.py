"""Sees the batches that data loaders hand out, and how long the loop waited for each."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Any, Callable

from .look.places import OURS
from .patching import replace

if TYPE_CHECKING:
    from .watcher import Watcher


def watch_loaders(watcher: Watcher) -> None:
    """Tell `batch_loaded`. Loaders that are not torch's are not seen: their wait counts to no part of the step."""
    from torch.utils.data import dataloader

    def wrap(original: Callable[..., Any]) -> Callable[..., Any]:
        def __next__(iterator: Any) -> Any:
            start = time.perf_counter()
            try:
                batch = original(iterator)
            except StopIteration:
                watcher.passes_ended += 1
                raise
            seconds = time.perf_counter() - start
            watcher.spent["data"] += seconds
            watcher.tell("batch_loaded", batch, seconds)
            return batch

        return __next__

    replace(watcher, dataloader._BaseDataLoaderIter, "__next__", wrap)


def hands_out_a_stream() -> bool:
    """Whether the loader at hand puts batches together from a stream, of which nobody knows how long it is."""
    from torch.utils.data import IterableDataset

    iterator = iterator_below()
    stream = isinstance(getattr(iterator, "_dataset", None), IterableDataset)
    return stream and bool(getattr(iterator, "_auto_collation", False))


def length_of_loader() -> int:
    """How many batches the loader has that is handing one out, or 0."""
    try:
        return len(iterator_below()._index_sampler)
    except (AttributeError, TypeError):
        return 0


def iterator_below() -> Any:
    """The iterator of the loader that is handing out a batch, or None: it stands in a frame below us."""
    frame = sys._getframe(1)
    for _ in range(16):
        if frame.f_back is None or not frame.f_back.f_code.co_filename.startswith((OURS, "<frozen")):
            return None  # the locals of a frame of the script would live on as long as it does
        frame = frame.f_back
        iterator = frame.f_locals.get("iterator")
        if hasattr(iterator, "_index_sampler"):
            return iterator
    return None
