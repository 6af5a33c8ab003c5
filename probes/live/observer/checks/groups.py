"""Parameter groups whose learning rates were set apart, and that a schedule gives one and the same rate."""

from __future__ import annotations

import weakref
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Callable

from ..journal import Journal
from ..part import Part
from ..patching import replace

if TYPE_CHECKING:
    import torch

    from ..watcher import Watcher

APART = 2.0
"""How many times as large as the smallest rate the largest is, where they were set apart."""

LOOKS = (8, 16, 32)
"""Steps of the optimizer after which its rates are compared: all of them must be one."""


class Groups(Part):
    """Compares the rates that the groups of an optimizer were made with and those that they step with.

    A schedule that multiplies keeps them apart, and one that ends at a common floor lets them meet late.
    """

    name = "groups"

    def __init__(self, journal: Journal, options: Mapping[str, Any], watcher: Watcher) -> None:
        self._journal, self._watcher = journal, watcher
        self._made: weakref.WeakKeyDictionary[Any, list[float | None]] = weakref.WeakKeyDictionary()
        self._alike: dict[int, int] = {}
        replace(watcher, watcher.torch.optim.Optimizer, "add_param_group", self._wrap)

    def _wrap(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def add_param_group(optimizer: Any, param_group: Any) -> Any:
            result = original(optimizer, param_group)
            self._watcher.own("groups", self._added, optimizer)
            return result

        return add_param_group

    def _added(self, optimizer: Any) -> None:
        group = optimizer.param_groups[-1]
        rates = self._made.setdefault(optimizer, [])
        rates.append(_rate(group) if group["params"] else None)
        self._alike.pop(id(optimizer), None)

    def after_step(self, optimizer: torch.optim.Optimizer, step: int) -> None:
        """A look now and then."""
        if step not in LOOKS:
            if step > LOOKS[-1] and self._watcher.models_found == 1:
                self._watcher.rest(self, "after_step")
            return
        made = [one for one in self._made.get(optimizer, ()) if one is not None]
        if len(made) < 2 or not 0.0 < min(made) * APART <= max(made):
            return
        now = [_rate(group) for group in optimizer.param_groups if group["params"]]
        alike = bool(now) and len(set(now)) == 1 and now[0] is not None and now[0] > 0.0
        self._alike[id(optimizer)] = self._alike.get(id(optimizer), 0) + alike
        if self._alike[id(optimizer)] == len(LOOKS):
            note = f"made with {', '.join(f'{one:.3g}' for one in sorted(set(made)))}, all step with {now[0]:.3g}"
            self._journal.fact("log.lr.groups_made_one", True, step=step, note=note)

    def model_found(self, model: Any) -> None:
        """Another optimizer steps."""
        self._watcher.wake(self, "after_step")


def _rate(group: dict[str, Any]) -> float | None:
    """The rate, unless it lies on a device, which nobody should wait for."""
    rate = group.get("lr")
    return float(rate) if isinstance(rate, (int, float)) else None
