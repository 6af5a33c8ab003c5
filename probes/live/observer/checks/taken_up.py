"""A training that is taken up again from a file, and leaves the state of its optimizer there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any, Callable

from ..journal import Journal
from ..part import Part
from ..patching import replace

if TYPE_CHECKING:
    from ..model import ModelSeen
    from ..watcher import Watcher

FILES = 8
"""Files that are remembered, each by the counts in it."""

LEAST = 2
"""A count below this may as well be that of a run from the start."""

NESTED = 64
"""Entries of a file in which a state or a count is looked for."""


class TakenUp(Part):
    """Compares the counts in a file that is read before the first step with those that the run writes later.

    A run that goes on counts on: what it writes under a name (an epoch, a step), followed back over the steps that lie between
    two files of its own, was at its first step nearer to the count in the file than to zero. Whoever only takes weights
    from the file, as for another task, begins at zero. Where a run counts on, and the file holds what an optimizer has gathered,
    all its optimizers should not begin empty.
    """

    name = "taken up"

    def __init__(self, journal: Journal, options: Mapping[str, Any], watcher: Watcher) -> None:
        self._journal, self._watcher = journal, watcher
        self._read: list[dict[str, int]] = []
        self._written: dict[str, tuple[int, int]] = {}
        """Of each count the one that was written first, and after how many steps."""
        self._began = self._restored = False
        replace(watcher, watcher.torch, "load", self._wrap_load)
        replace(watcher, watcher.torch, "save", self._wrap_save)

    def _wrap_load(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def load(*args: Any, **kwargs: Any) -> Any:
            found = original(*args, **kwargs)
            if not self._began:
                self._watcher.own(self.name, self._remember, found)
            return found

        return load

    def _wrap_save(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def save(*args: Any, **kwargs: Any) -> Any:
            result = original(*args, **kwargs)
            if self._read and self._began:
                self._watcher.own(self.name, self._compare, args[0] if args else kwargs.get("obj"))
            return result

        return save

    def _remember(self, found: Any) -> None:
        counts = {name: count for name, count in _counts(found) if count >= LEAST}
        if counts and len(self._read) < FILES and any(map(_is_gathered, _entries(found))):
            self._read.append(counts)

    def model_found(self, model: ModelSeen) -> None:
        """An optimizer is about to step first. What it knows by then was restored."""
        self._began = True
        self._restored = self._restored or bool(getattr(model.optimizer, "state", None))

    def _compare(self, saved: Any) -> None:
        step = self._watcher.step
        for name, count in _counts(saved):
            first, after = self._written.setdefault(name, (count, step))
            if self._restored or step <= after or count <= first:
                continue
            start = first - after * (count - first) / (step - after)
            # One may be missing or too much, as counts are of rounds that begin or that are over.
            if any(0.5 * read[name] < start < 1.5 * read[name] + 1 for read in self._read if name in read):
                self._read.clear()
                self._journal.fact("checkpoint.optimizer_state_left", True, step=step, note=name)
                return


def _entries(found: Any) -> Iterator[Any]:
    """What stands in a file, and one level below."""
    if isinstance(found, Mapping):
        for one in list(found.values())[:NESTED]:
            yield one
            inner = (
                one.values() if isinstance(one, Mapping) else one if isinstance(one, (list, tuple)) else ()
            )
            yield from list(inner)[:NESTED]


def _is_gathered(one: Any) -> bool:
    """Whether it is the state of an optimizer that has stepped, and gathers something."""
    return isinstance(one, Mapping) and bool(one.get("state")) and "param_groups" in one


def _counts(found: Any) -> Iterator[tuple[str, int]]:
    """Whole numbers by their names."""
    for name, one in islice(found.items(), NESTED) if isinstance(found, Mapping) else ():
        if type(one) is int and isinstance(name, str):
            yield name, one
