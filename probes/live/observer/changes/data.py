"""Changes of the data: how loaders work, and which batches and samples come."""

from __future__ import annotations

import functools
import inspect
import itertools
import sys
from collections.abc import Iterator
from typing import Any, Callable

from ..when_imported import when_imported
from .applied import wrap

DEPTH = 8
"""Calls by which a data loader is told from others."""
_WITHOUT_WORKERS = {
    "prefetch_factor": None,
    "persistent_workers": False,
    "timeout": 0,
    "multiprocessing_context": None,
}


def set_loader(torch: Any, value: Any, applied: Callable[[], None]) -> None:
    """`{"num_workers": 0, "pin_memory": false, "shuffle": true, "drop_last": true, "batch_share": 0.5}`.

    Whether samples are shuffled, the last batch is dropped and how many samples a batch has is the sampler's to
    say where there is one.
    """
    from torch.utils.data import DataLoader, IterableDataset

    signature = inspect.signature(DataLoader.__init__)

    def init(original: Any, *args: Any, **kwargs: Any) -> None:
        given = signature.bind(*args, **kwargs).arguments
        own = given.get("batch_sampler") is None
        streamed = isinstance(given.get("dataset"), IterableDataset)
        for key, wanted in value.items():
            if key == "batch_share" and own and isinstance(given.get("batch_size", 1), int):
                size = given.get("batch_size", 1)
                _set(given, "batch_size", max(1, int(size * wanted)), size, applied)
            elif key == "shuffle" and own and not streamed and given.get("sampler") is None:
                _set(given, key, wanted, bool(given.get(key)), applied)
            elif key == "drop_last" and own:
                _set(given, key, wanted, given.get(key, False), applied)
            elif key in ("num_workers", "pin_memory", "persistent_workers"):
                _set(given, key, wanted, given.get(key, 0), applied)
        if not given.get("num_workers"):
            given.update({key: one for key, one in _WITHOUT_WORKERS.items() if key in given})
        original(**given)

    wrap(DataLoader, "__init__", init)


def _set(given: Any, key: str, wanted: Any, before: Any, applied: Callable[[], None]) -> None:
    if wanted != before:
        given[key] = wanted
        applied()


def repeat_first_batch(torch: Any, value: Any, applied: Callable[[], None]) -> None:
    """Every data loader hands out the first batch that came from it, over and over, as often as it has batches.

    A loader that is made anew each epoch is the same one: it is known by the lines that make it. Each time the
    batch is a copy, since a loop may change it in place.
    """
    from torch.utils.data import DataLoader

    first: dict[Any, Any] = {}

    def init(original: Any, loader: Any, *args: Any, **kwargs: Any) -> None:
        object.__setattr__(loader, "_traindx_made", _lines())
        original(loader, *args, **kwargs)

    def iterate(original: Any, loader: Any) -> Iterator[Any]:
        made = loader._traindx_made
        if made not in first:
            first[made] = next(original(loader), None)
        if first[made] is None:
            return
        applied()
        try:
            times: Any = range(len(loader))
        except TypeError:
            times = itertools.count()
        for _ in times:
            yield _copy(torch, first[made])

    wrap(DataLoader, "__init__", init)
    wrap(DataLoader, "__iter__", iterate)


def _lines() -> tuple[tuple[Any, int], ...]:
    """The lines through which we were called, the innermost first."""
    found: list[tuple[Any, int]] = []
    frame = sys._getframe(2)
    while frame is not None and len(found) < DEPTH:
        found.append((frame.f_code, frame.f_lineno))
        frame = frame.f_back  # type: ignore[assignment]
    return tuple(found)


def _copy(torch: Any, value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return value.clone()
    if isinstance(value, dict):
        copy = value.copy()
        copy.update((key, _copy(torch, one)) for key, one in value.items())
        return copy
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(_copy(torch, one) for one in value))
    if isinstance(value, (list, tuple)):
        return type(value)(_copy(torch, one) for one in value)
    return value


def pass_by(torch: Any, value: Any, applied: Callable[[], None]) -> None:
    """`["package.module:Class", ...]`: calling such an object gives back what it was handed."""
    by_module = [name.split(":") for name in value]
    for module in {name for name, _ in by_module}:
        classes = [kind for name, kind in by_module if name == module]
        when_imported(module, functools.partial(_pass_by, tuple(classes), applied))


def _pass_by(classes: tuple[str, ...], applied: Callable[[], None], module: Any) -> None:
    def call(original: Any, self: Any, *inputs: Any, **named: Any) -> Any:
        applied()
        return named if named else inputs[0] if len(inputs) == 1 else inputs

    for name in classes:
        kind = getattr(module, name, None)
        if kind is not None:
            wrap(kind, "forward" if hasattr(kind, "forward") else "__call__", call)
