"""Gradients that are never cleared, so that every step goes along the sum of all of them."""

from __future__ import annotations

import weakref
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..journal import Journal
from ..model import held
from .turns import Follower

if TYPE_CHECKING:
    import torch

    from ..watcher import Watcher

ROUNDS = 5
"""Steps in a row between which nothing was cleared."""

SAMPLES = 3
"""How many gradients of an optimizer are followed."""


class Cleared(Follower):
    """Follows a few gradients of each optimizer from one of its steps to the next (playbook b26, pytorch#47175).

    Accumulation clears once a step, which is enough. Whoever clears (`zero_grad` of an optimizer or a module,
    `grad = None`, `zero_()`) either takes the gradient away or raises its version counter. So no
    value has to be read, except for the clearing through `.data`, which leaves no trace but zeros.

    An optimizer that is handed a closure (LBFGS) asks for the gradient several times in a step, each time at other
    weights: a gradient that still stands there when the closure is called again belongs to weights that are gone.
    """

    name = "cleared gradients"

    def __init__(self, journal: Journal, options: Mapping[str, Any], watcher: Watcher) -> None:
        self._journal = journal
        self._watcher = watcher
        self._chosen: dict[int, list[_Mark]] = {}
        self._marks: dict[int, list[_Mark]] = {}
        self._rounds: dict[int, int] = {}
        self._added: set[int] = set()
        """To whose marks a backward pass has added while they were as before: gradients that the script sets itself add up to nothing."""
        self._asked: list[_Mark] = []
        """Gradients as the closure last left them, within the step at hand."""
        self._stale = 0

    def begin_turn(self) -> None:
        """A loop that cleared at first may have ceased to."""
        for known in (self._chosen, self._marks, self._rounds):
            known.clear()
        self._added.clear()
        self._asked, self._stale = [], 0

    def before_step(self, optimizer: torch.optim.Optimizer) -> None:
        """The gradients are there; a closure may be called again, with other weights."""
        self._asked = self._chosen.get(id(optimizer)) or _chosen(optimizer)
        for mark in self._asked:
            mark.take()

    def after_step(self, optimizer: torch.optim.Optimizer, step: int) -> None:
        """A round is complete (LBFGS clears within its step), and from here on the gradients are used up."""
        self._asked = []
        if id(optimizer) in self._chosen:
            self._judge(id(optimizer))
        if step == 1 or id(optimizer) not in self._chosen:
            self._chosen[id(optimizer)] = _chosen(optimizer)
        for mark in self._chosen[id(optimizer)]:
            mark.take()
        self._marks[id(optimizer)] = self._chosen[id(optimizer)]

    def gradients_cleared(self, optimizer: torch.optim.Optimizer) -> None:
        """As it should be."""
        self._marks.pop(id(optimizer), None)

    def before_backward(self, loss: torch.Tensor) -> None:
        """What changed without a backward was changed by the script."""
        if self._asked and self._watcher.stepping:
            self._asked_again()
        for key, marks in list(self._marks.items()):
            sure = self._rounds.get(key, 0) >= ROUNDS - 2
            if any(mark.changed() for mark in marks) or all(mark.is_zero(sure) for mark in marks):
                del self._marks[key]

    def after_backward(self, loss: torch.Tensor) -> None:
        """The gradients as they are now. Of weights that are copies of those in the graph, a backward pass adds to none."""
        self._added.update(key for key, marks in self._marks.items() if any(mark.changed() for mark in marks))
        for marks in (*self._marks.values(), self._asked):
            for mark in marks:
                mark.take()

    def _asked_again(self) -> None:
        """The closure is called once more in this step. Of one that accumulates, the weights are the same in between."""
        if not any(mark.moved() for mark in self._asked):
            return
        kept = not any(mark.changed() for mark in self._asked) and not all(
            mark.is_zero(True) for mark in self._asked
        )
        self._stale = self._stale + 1 if kept else 0
        if self._stale == ROUNDS:
            self._journal.fact("grad.not_cleared", True)

    def _judge(self, key: int) -> None:
        kept = bool(self._marks.get(key))
        if kept and key not in self._added:
            return
        self._added.discard(key)
        self._rounds[key] = self._rounds.get(key, 0) + 1 if kept else min(0, self._rounds.get(key, 0) - 1)
        if abs(self._rounds[key]) >= ROUNDS:
            self._journal.fact("grad.not_cleared", kept)


def _chosen(optimizer: torch.optim.Optimizer) -> list[_Mark]:
    """The smallest of its first gradients."""
    filled = [one for one in held(optimizer) if one.grad is not None]
    return [_Mark(one) for one in sorted(filled[:64], key=lambda one: one.numel())[:SAMPLES]]


class _Mark:
    """One gradient as it was after the last backward or step, and whether its weights were still the same."""

    def __init__(self, parameter: Any) -> None:
        self._parameter = weakref.ref(parameter)
        self.take()

    def take(self) -> None:
        grad = self._grad()
        self._seen = None if grad is None else (id(grad), grad._version)
        self._weights = getattr(self._parameter(), "_version", 0)

    def moved(self) -> bool:
        return bool(getattr(self._parameter(), "_version", 0) != self._weights)

    def changed(self) -> bool:
        grad = self._grad()
        return grad is None or self._seen != (id(grad), grad._version)

    def is_zero(self, sure: bool) -> bool:
        """Whether all its values are 0. On a device it is read only where the answer decides (it waits)."""
        grad = self._grad()
        return grad is None or bool((sure or grad.device.type == "cpu") and not grad.any())

    def _grad(self) -> Any:
        parameter = self._parameter()
        return None if parameter is None else parameter.grad
