"""Folds whose roles change while one model goes on: what is held out now was trained on before."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any, NamedTuple

from ..graphs import version_of

if TYPE_CHECKING:
    import torch

    from ..watcher import Watcher

FEWEST = 48
"""Samples that must have been held out on both sides."""

MOST = 0.8
"""The share of them that must have changed their role. Repeated samples and the last, shorter batch take away from all."""

FEW = 0.05
"""The share of what is held out that may be trained on in the same fold: more is a leak of another kind."""


class _Held(NamedTuple):
    """A model when it was evaluated last: after which step, and with which weights."""

    root: weakref.ref[Any]
    step: int
    versions: dict[int, int]


Rows = set[tuple[float, ...]]


class _Fold(NamedTuple):
    """What one optimizer trained on, together with those before it, and what was held out meanwhile."""

    trained: Rows
    held_out: Rows


class Folds:
    """Follows the folds of each model, as long as nothing puts its weights back, from one optimizer to the next."""

    def __init__(self, watcher: Watcher) -> None:
        self._watcher = watcher
        self._before: dict[int, _Fold] = {}
        self._held: dict[int, _Held] = {}

    def evaluated(self, root: torch.nn.Module) -> None:
        """It is about to be evaluated, perhaps in many calls."""
        held, step = self._held.get(id(root)), self._watcher.step
        if held is None or held.step != step or held.root() is not root:
            self._held[id(root)] = _Held(weakref.ref(root), step, _versions(root))

    def changed_roles(self, key: int, calls: list[tuple[bool, Any]]) -> bool:
        """One fold of this model is over: is it judged by what an earlier one trained on, and trained on what judged that?"""
        ends = max((place for place, (trains, _) in enumerate(calls) if not trains), default=-1)
        # What comes after the last evaluation belongs to the next fold.
        trained, held_out = Rows(), Rows()
        for trains, rows in calls[: ends + 1]:
            (trained if trains else held_out).update(map(tuple, rows.tolist()))
        before = self._before.pop(key, None)
        if self._goes_on(key):
            earlier = before.trained if before is not None else Rows()
            self._before[key] = _Fold(earlier | trained, held_out)
        if before is None or min(len(held_out), len(before.held_out)) < FEWEST:
            return False
        return (
            len(held_out & before.trained) >= MOST * len(held_out)
            and len(before.held_out & trained) >= MOST * len(before.held_out)
            and len(held_out & trained) <= FEW * len(held_out)
        )

    def _goes_on(self, key: int) -> bool:
        """Whether all that trains in it is what was evaluated: a head that is made anew on a frozen trunk has learnt nothing yet."""
        held = self._held.get(key)
        root = held.root() if held is not None else None
        return (
            held is not None and root is not None and bool(held.versions) and _versions(root) == held.versions
        )


def _versions(root: torch.nn.Module) -> dict[int, int]:
    """Of each parameter that trains."""
    return {id(one): version_of(one) for one in root.parameters() if one.requires_grad}
