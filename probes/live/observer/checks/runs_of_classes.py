"""Whether batches hold one class after the other, as those of a set that is sorted."""

from __future__ import annotations

from collections import deque
from typing import Any, NamedTuple

ENOUGH = 64
"""Labels after which an order or a majority is more than chance."""

BATCHES = 4
"""Batches before anything is said."""

NARROW, OF = 2, 3
"""Classes that a batch of a sorted set holds at most, where its samples are mixed within the batch, and how many there are in all."""

CHANGES = 1
"""Times that one class follows another in a few steps in a row of a sorted set, or a smaller number a larger one."""

LARGE = 16
"""Samples of a batch that is not so narrow by chance."""

SOME = 256

WORKERS = 16
"""Workers of a loader, at most, that may each read a sorted part."""

CHANCE = 50
"""How many times less often batches of one class in any order would agree so."""


class _Batch(NamedTuple):
    step: int
    first: int
    size: int
    rising: bool
    """One class, or two with the one after the other."""
    common: int
    """The class of most samples."""
    classes: frozenset[int]
    """Empty where there are more than a few."""


class RunsOfClasses:
    """Takes the labels of the batches that are looked at, and compares the last ones.

    What sorts samples by their length or their size, and mixes each batch by itself, leaves two neighbouring classes in a
    batch where the length goes with the class. Where nearly all samples are of one class, that is the common one of all batches.
    Batches of one class each that come in any order are no sorted set.
    """

    def __init__(self) -> None:
        self._batches: deque[_Batch] = deque(maxlen=16)
        self._of = 0
        self._seen: set[int] = set()
        """Classes that batches of one class each were of."""

    def add(self, kept: Any, step: int, of: int) -> None:
        """The labels of one batch of this step, those that are ignored left out, and how many classes there are."""
        self._of = of
        steps = kept[1:] - kept[:-1]
        rising = bool((steps >= 0).all()) and int((steps != 0).sum()) <= 1
        first, size = int(kept[0]), kept.numel()
        if len(kept[:SOME].unique()) > NARROW:
            self._batches.append(_Batch(step, first, size, rising, -1, frozenset()))
            return
        values, counts = kept.unique(return_counts=True)
        classes = frozenset(values.tolist()) if len(values) <= NARROW else frozenset()
        self._batches.append(_Batch(step, first, size, rising, int(values[counts.argmax()]), classes))
        if len(classes) == 1 and len(self._seen) < SOME:
            self._seen |= classes

    def are_sorted(self, workers: int = 0) -> bool | None:
        """None where too little was seen. The batches of so many workers come in turn, each from a part of the data of its own."""
        last = self._batches[-1]
        few = len(self._batches) < BATCHES or sum(one.size for one in self._batches) < ENOUGH
        if few or last.size < BATCHES:
            return None
        if 1 < workers <= WORKERS and self._side_by_side(workers):
            return True
        varied = len({one.first for one in self._batches}) > 1
        if self.jump():
            return False
        if all(one.rising for one in self._batches) and varied:
            return True
        followed = self._followed()
        stays = len(followed) >= BATCHES and sum(a != b for a, b in followed) <= CHANGES
        return stays and self._are_narrow()

    def jump(self) -> bool:
        """Whether they go back to a smaller number, and not from the last class to begin anew, whatever they seemed to do at first."""
        back = [a for a, b in self._followed() if b < a]
        last = max(one.common for one in self._batches)
        return len(back) > CHANGES or any(a < last for a in back)

    def _side_by_side(self, workers: int) -> bool:
        """Each worker stays with one class, and not all with the same: their parts are sorted."""
        batches = list(self._batches)
        pairs = [
            (a.common, b.common)
            for place, a in enumerate(batches)
            for b in batches[place + 1 :]
            if b.step == a.step + workers
        ]
        stay = all(a == b for a, b in pairs) and len({a for a, _ in pairs}) > 1
        surely = len(self._seen) >= OF and len(self._seen) ** len(pairs) > CHANCE
        return stay and surely and self._are_narrow()

    def _followed(self) -> list[tuple[int, int]]:
        """The common classes of batches of which the one was given right after the other."""
        batches = list(self._batches)
        return [(a.common, b.common) for a, b in zip(batches, batches[1:]) if b.step <= a.step + 1]

    def _are_narrow(self) -> bool:
        """At most two of several classes in each, one alone in most, and not the same in all."""
        narrow = all(one.classes and one.size >= LARGE for one in self._batches)
        pure = [one.common for one in self._batches if len(one.classes) == 1]
        return narrow and self._of >= OF and 2 * len(pure) >= len(self._batches) and len({*pure}) > 1
