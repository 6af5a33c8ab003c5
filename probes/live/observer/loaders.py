"""Sees the batches that data loaders hand out, and how long the loop waited for each."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Callable

from .patching import replace

if TYPE_CHECKING:
    from .watcher import Watcher


def watch_loaders(watcher: Watcher) -> None:
    """Tell `batch_loaded`. Loaders that are not torch's are not seen: their wait counts to no part of the step."""
    from torch.utils.data import dataloader

    def wrap(original: Callable[..., Any]) -> Callable[..., Any]:
        def __next__(iterator: Any) -> Any:
            start = time.perf_counter()
            batch = original(iterator)
            seconds = time.perf_counter() - start
            watcher.spent["data"] += seconds
            watcher.tell("batch_loaded", batch, seconds)
            return batch

        return __next__

    replace(watcher, dataloader._BaseDataLoaderIter, "__next__", wrap)
