"""What data workers hold as a copy: a generator that starts alike in all of them, a value that is changed behind them."""

from __future__ import annotations

import dis
import random
import weakref
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Callable

from ..journal import Journal
from ..part import Part
from ..patching import replace
from .worker_seeds import seeded_alike

if TYPE_CHECKING:
    from ..watcher import Watcher

READING = ("__getitem__", "__getitems__", "__iter__", "__call__")
"""The methods with which a worker makes a sample."""

OWN_WAY = frozenset(
    ("get_worker_info", "seed", "manual_seed", "initial_seed", "spawn", "set_state", "setstate")
)
"""What is called where each worker, or each sample, gets numbers of its own."""

PLAIN = (bool, int, float, str)


class WorkerCopies(Part):
    """Looks at the data set of a loader with workers each time the loader is begun.

    A worker gets a copy of it: new workers in each epoch have the generator of the data set as the script made it, and several draw
    the same from it. Workers that stay (`persistent_workers`) never see what the script changes in the data set after the first epoch.
    Only what the methods that make a sample read counts, and in training, whose samples come in a random order: an evaluation wants
    the same noise each time.
    """

    name = "worker copies"

    def __init__(self, journal: Journal, options: Mapping[str, Any], watcher: Watcher) -> None:
        from torch.utils.data import DataLoader

        self._journal, self._watcher = journal, watcher
        self._begun: weakref.WeakKeyDictionary[Any, tuple[int, dict[str, Any]]] = weakref.WeakKeyDictionary()
        """Of each loader the step at which it was begun first, and the plain values of its data set then."""
        replace(watcher, DataLoader, "__iter__", self._wrap)

    def _wrap(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def __iter__(loader: Any) -> Any:
            if loader.num_workers:
                self._watcher.own("worker copies", self._begins, loader)
            return original(loader)

        return __iter__

    def _begins(self, loader: Any) -> None:
        dataset = loader.dataset
        while type(dataset).__module__.startswith("torch.utils.data") and hasattr(dataset, "dataset"):
            dataset = dataset.dataset
        values = vars(dataset) if hasattr(dataset, "__dict__") else {}
        step = self._watcher.step
        if loader not in self._begun:
            self._begun[loader] = step, {name: one for name, one in values.items() if type(one) in PLAIN}
            return
        first, before = self._begun[loader]
        if step <= first or type(loader.sampler).__name__ == "SequentialSampler":
            return
        if loader.persistent_workers:
            self._compare(type(dataset), before, values)
        alike = loader.num_workers > 1 or not loader.persistent_workers
        if alike and (name := seeded_alike(loader.worker_init_fn, dataset)):
            self._journal.fact("data.workers_seeded_alike", name, step=step)
        if alike and loader.worker_init_fn is None and (holder := _generator_of(dataset)):
            self._journal.fact("data.workers_draw_alike", holder, step=step)

    def _compare(self, kind: type, before: dict[str, Any], values: dict[str, Any]) -> None:
        read, written = names_read(kind)
        changed = [
            name
            for name, one in before.items()
            if name in read
            and name not in written
            and type(values.get(name)) in PLAIN
            and values[name] != one
        ]
        if changed:
            self._journal.fact("data.change_unseen", ", ".join(changed), step=self._watcher.step)


def _generator_of(dataset: Any) -> str:
    """The name of a generator that samples are drawn with: in the data set, or in a transform that it holds."""
    for owner in (dataset, *_transforms(dataset)):
        read, written = names_read(type(owner))
        if read & OWN_WAY:
            continue
        for name, one in getattr(owner, "__dict__", {}).items():
            if name in read and name not in written and _is_generator(one):
                return f"{type(owner).__name__}.{name}"
    return ""


def _transforms(dataset: Any) -> Iterator[Any]:
    for one in getattr(dataset, "__dict__", {}).values():
        if hasattr(one, "__dict__") and "__call__" in vars(type(one)):
            yield one


def _is_generator(one: Any) -> bool:
    if isinstance(one, random.Random):
        return not isinstance(one, random.SystemRandom)
    kind = type(one)
    return kind.__name__ in ("Generator", "RandomState") and kind.__module__.startswith(("torch", "numpy"))


def names_read(kind: type) -> tuple[set[str], set[str]]:
    """The attributes that the methods which make a sample read, and those that they write, with the methods they call."""
    read: set[str] = set()
    written: set[str] = set()
    done: set[str] = set()
    todo = set(READING)
    while todo:
        name = todo.pop()
        done.add(name)
        code = getattr(getattr(kind, name, None), "__code__", None)
        for one in dis.get_instructions(code) if code is not None else ():
            if one.opname == "STORE_ATTR":
                written.add(one.argval)
            elif isinstance(one.argval, str) and one.opname.startswith("LOAD_"):
                read.add(one.argval)
        todo = (todo | (read & vars(kind).keys())) - done
    return read, written
