"""Which samples are in a batch, as the sampler of the loader told."""

from __future__ import annotations

import weakref
from collections import deque
from typing import TYPE_CHECKING, Any, Callable

from .patching import replace

if TYPE_CHECKING:
    from .watcher import Watcher

AHEAD = 256
"""Index lists kept for one iterator of a loader: workers fetch ahead."""


class Indices:
    """Which samples a loader's batch is made of, as its sampler told."""

    def __init__(self, watcher: Watcher) -> None:
        from torch.utils.data import dataloader

        self._last: Callable[[], Any] = lambda: None
        self._known: Any = weakref.WeakKeyDictionary()
        replace(watcher, dataloader._BaseDataLoaderIter, "_next_index", self._wrap)

    def of_last(self) -> list[int] | None:
        """The samples of the batch that was handed out last, or None where the sampler does not tell."""
        iterator = self._last()
        if iterator is None:
            return None
        handed_out = getattr(iterator, "_num_yielded", 0) - 1
        found = next((one for number, one in self._known.get(iterator, ()) if number == handed_out), None)
        return found if isinstance(found, list) and all(isinstance(one, int) for one in found) else None

    def _wrap(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def _next_index(iterator: Any) -> Any:
            self._last = weakref.ref(iterator)
            index = original(iterator)
            known = self._known.setdefault(iterator, deque(maxlen=AHEAD))
            known.append((known[-1][0] + 1 if known else 0, index))
            return index

        return _next_index
