"""Where a run goes over to larger samples: longer sequences, larger pictures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .journal import Journal
from .part import Part

if TYPE_CHECKING:
    import torch

    from .watcher import Watcher

BEFORE = 20
"""Steps without which there is nothing that was usual before."""

AFTER = 8
"""Steps in a row that must all be larger than any before. Padded batches of one data set only have a largest now and then."""


class Growing(Part):
    """Counts the values that a model is given in each step of training.

    Where from some step on they are more than ever before, a stage of a curriculum begins: its loss is that of
    other data, and jumps without anything being wrong. The last batch of an epoch is smaller, and evaluation does not count.
    """

    name = "growing samples"

    def __init__(self, journal: Journal, options: Mapping[str, Any], watcher: Watcher) -> None:
        self._journal, self._watcher = journal, watcher
        self._tensor = watcher.torch.Tensor
        self._now = self._most = 0
        self._since = 0
        """How many steps have been usual, since the last stage began."""
        self._larger = 0
        """How many steps in a row were larger than all before."""
        self._top = 0
        """The largest of these."""

    def before_forward(self, root: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """How much is it given?"""
        if root.training:
            for one in args or kwargs.values():
                if isinstance(one, self._tensor):
                    size = one.numel()
                    self._now = max(self._now, size)

    def after_step(self, optimizer: torch.optim.Optimizer, step: int) -> None:
        """Was it more than ever, for some steps by now?"""
        size, self._now = self._now, 0
        if not size:
            return
        if size <= self._most or self._since < BEFORE:
            self._usual(self._since + self._larger + 1, size)
            return
        self._larger += 1
        self._top = max(self._top, size)
        if self._larger == AFTER:
            number = self._watcher.models[id(optimizer)].number
            self._journal.record("stage", step=step - AFTER + 1, optimizer=number)
            self._usual(AFTER, size)

    def _usual(self, since: int, size: int) -> None:
        """Nothing is larger than ever just now."""
        self._most = max(self._most, self._top, size)
        self._since, self._larger, self._top = since, 0, 0
