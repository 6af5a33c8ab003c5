"""Open files that a data set holds when its workers are forked: all of them then read from one place in the file."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Callable

from ..journal import Journal
from ..part import Part
from ..patching import replace
from .worker_copies import names_read

if TYPE_CHECKING:
    from ..watcher import Watcher

ENTRIES = 8
"""Entries of a list or dictionary of files that are looked at."""


class SharedHandles(Part):
    """Looks at the data set of a loader with workers when the loader is begun, before these are forked.

    Forked processes share the place up to which an open file was read: one moves it while another reads. What a sample is read
    from counts, and what the methods that make samples open anew, in each worker, does not.
    """

    name = "shared handles"

    def __init__(self, journal: Journal, options: Mapping[str, Any], watcher: Watcher) -> None:
        from torch.utils.data import DataLoader

        self._journal, self._watcher = journal, watcher
        self._looked = 0
        replace(watcher, DataLoader, "__iter__", self._wrap)

    def _wrap(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def __iter__(loader: Any) -> Any:
            if loader.num_workers > 1 and loader.worker_init_fn is None and self._looked < ENTRIES:
                self._watcher.own("shared handles", self._look, loader)
            return original(loader)

        return __iter__

    def _look(self, loader: Any) -> None:
        self._looked += 1
        context = loader.multiprocessing_context or self._watcher.torch.multiprocessing
        if context.get_start_method(allow_none=True) not in (None, "fork"):
            return
        dataset = loader.dataset
        while type(dataset).__module__.startswith("torch.utils.data") and hasattr(dataset, "dataset"):
            dataset = dataset.dataset
        read, written = names_read(type(dataset))
        for name, value in vars(dataset).items() if hasattr(dataset, "__dict__") else ():
            if name in read and name not in written and (kind := next(_open_files(value), "")):
                self._journal.fact(
                    "data.handle_shared", f"{type(dataset).__name__}.{name} ({kind})", step=self._watcher.step
                )
                return


def _open_files(value: Any) -> Iterator[str]:
    """The kinds of open files that this is, or holds in its first entries."""
    if isinstance(value, (list, tuple, dict)):
        for one in list(value.values() if isinstance(value, dict) else value)[:ENTRIES]:
            if not isinstance(one, (list, tuple, dict)):
                yield from _open_files(one)
        return
    kind, home = type(value), type(value).__module__.partition(".")[0]
    if isinstance(value, (io.BufferedReader, io.FileIO, io.TextIOWrapper)):
        opened = not value.closed and value.readable()
    elif (home, kind.__name__) == ("zipfile", "ZipFile"):
        opened = isinstance(getattr(value, "fp", None), (io.BufferedReader, io.FileIO))
    elif (home, kind.__name__) == ("tarfile", "TarFile"):
        opened = not value.closed
    else:
        opened = (home, kind.__name__) == ("h5py", "File") and bool(value)
    if opened:
        yield f"{home.removeprefix('_')}.{kind.__name__}"
