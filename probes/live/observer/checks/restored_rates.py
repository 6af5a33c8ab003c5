"""The learning rates that an optimizer brought along from an earlier run, and whether a new schedule has thrown them back."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any, Callable, NamedTuple

from ..patching import replace

if TYPE_CHECKING:
    from ..watcher import Watcher

NEAR = 0.2
"""How far, in shares, a rate may lie from another and still be taken for it: schedules by steps move little at a time."""


class _Group(NamedTuple):
    """A group of an optimizer: its rate, and the one that its schedule starts from."""

    rate: float
    base: float


class RestoredRates:
    """Keeps the rates that come with the state of an optimizer, where a schedule had moved them.

    Who goes on with another base rate means another training; nor is anything kept where a schedule that was made before
    stands at the rate that is restored.
    """

    def __init__(self, watcher: Watcher) -> None:
        self._watcher = watcher
        self._brought: weakref.WeakKeyDictionary[Any, list[_Group]] = weakref.WeakKeyDictionary()
        replace(watcher, watcher.torch.optim.Optimizer, "load_state_dict", self._wrap)

    def thrown_back(self, optimizer: Any) -> bool:
        """Whether a rate is another than the one that was restored, though both start from the same base."""
        brought = self._brought.get(optimizer, [])
        now = _groups(optimizer)
        if len(now) != len(brought) or not all(_near(one.base, two.base) for one, two in zip(now, brought)):
            return False
        return any(not _near(one.rate, two.rate) for one, two in zip(now, brought))

    def _wrap(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def load_state_dict(optimizer: Any, *args: Any, **kwargs: Any) -> Any:
            before = _groups(optimizer)
            result = original(optimizer, *args, **kwargs)
            self._watcher.own("schedule", self._keep, optimizer, before)
            return result

        return load_state_dict

    def _keep(self, optimizer: Any, before: list[_Group]) -> None:
        """`before`: the groups as they were, those that no schedule had been made for left out."""
        self._brought.pop(optimizer, None)
        brought = _groups(optimizer)
        moved = any(not _near(one.rate, one.base) for one in brought)
        stands_there = bool(before) and all(
            _near(one.rate, two.rate) or not _near(one.base, two.base) for one, two in zip(before, brought)
        )
        if optimizer.state and moved and not stands_there:
            self._brought[optimizer] = brought


def _groups(optimizer: Any) -> list[_Group]:
    """Those that have a schedule. A rate on the device, as of a compiled step, is not waited for."""
    pairs = ((group.get("lr"), group.get("initial_lr")) for group in getattr(optimizer, "param_groups", ()))
    return [
        _Group(float(rate), float(base))
        for rate, base in pairs
        if isinstance(rate, (int, float)) and isinstance(base, (int, float))
    ]


def _near(one: float, two: float) -> bool:
    return abs(one - two) <= NEAR * max(abs(one), abs(two))
