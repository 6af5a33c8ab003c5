"""Optimizers that are made anew for the same parameters: one line of training, whose state is thrown away each time."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from .graphs import version_of

if TYPE_CHECKING:
    import torch

    from .watcher import Watcher

TOLD_AT = frozenset((3, 10, 30, 100, 300, 1000, 3000))
"""How often one was made anew when that is written down."""
PHASES = 3
"""A run may have a second and a third phase, on other data and with a loss of another size. What comes more often is one training."""
MOST = 32
"""Lines that are followed."""
MEMORIES = 10
"""A momentum is itself again after so many times the steps it remembers; who trained so long has lost nothing by a new one."""
LONG = 1000
"""Steps that averages of squares remember, where an optimizer does not say it."""


class Line:
    """The parameters that one optimizer after the other trained."""

    __slots__ = ("before", "count", "first", "last", "number", "remade", "steps", "times", "version")

    def __init__(self, first: torch.Tensor, last: torch.Tensor, count: int) -> None:
        self.first = weakref.ref(first)
        self.last = weakref.ref(last)
        """Of the optimizer at hand. Tasks that take turns share a trunk, and have each a head of their own behind it."""
        self.count = count
        self.number = 0
        """Of the model, once it was found."""
        self.times = self.remade = 0
        """How often an optimizer followed another; and how often its state was what was lost by it."""
        self.steps = self.before = 0
        """Now, and when the optimizer was made that trains it."""
        self.version = -1
        """Of the first parameter, after the last step."""


class Succession:
    """Who trains what another optimizer trained before, and goes on from where that stood."""

    def __init__(self, watcher: Watcher) -> None:
        self._watcher = watcher
        self._lines: list[Line] = []
        self._of: dict[int, Line] = {}

    def made(self, optimizer: torch.optim.Optimizer) -> None:
        """Take over the count of steps from those before, if there are some that have stepped."""
        key, steps = id(optimizer), self._watcher.steps
        # What had this id before is gone.
        steps.pop(key, None)
        self._of.pop(key, None)
        parameters = [one for group in optimizer.param_groups for one in group["params"]]
        if not parameters:
            return
        line = next(self._lines_of(parameters[0], len(parameters)), None)
        if line is None:
            line = Line(parameters[0], parameters[-1], len(parameters))
            alive = [one for one in self._lines if one.first() is not None]
            self._lines = [*alive[1 - MOST :], line]
            self._of = {known: one for known, one in self._of.items() if one in self._lines}
        elif line.steps:
            line.times += 1
            # Weights that were put in between belong to another beginning: a fold, a client, a task.
            goes_on = version_of(parameters[0]) == line.version >= 0 and line.last() is parameters[-1]
            line.last = weakref.ref(parameters[-1])
            if goes_on and line.steps - line.before < _memory(optimizer):
                self._count(line)
        if line.times >= PHASES:
            steps[key] = line.before = line.steps
        else:
            line.number = line.before = 0
        self._of[key] = line

    def number(self, optimizer: torch.optim.Optimizer) -> int:
        """The number of the model that this line trains; 0 where it has none yet."""
        line = self._of.get(id(optimizer))
        return line.number if line is not None else 0

    def found(self, optimizer: torch.optim.Optimizer, number: int) -> None:
        """Its model was found, and has this number."""
        if (line := self._of.get(id(optimizer))) is not None:
            line.number = number

    def stepped(self, key: int, step: int) -> None:
        """An optimizer has made a step."""
        if (line := self._of.get(key)) is not None and (first := line.first()) is not None:
            line.steps, line.version = step, version_of(first)

    def _lines_of(self, first: torch.Tensor, count: int) -> Iterator[Line]:
        return (one for one in self._lines if one.count == count and one.first() is first)

    def _count(self, line: Line) -> None:
        line.remade += 1
        if line.remade in TOLD_AT:
            self._watcher.journal.fact("log.optimizer_remade", line.remade, step=self._watcher.step)


def _memory(optimizer: Any) -> float:
    """In how many steps a new one comes to what the old one knew: none for plain SGD, which keeps nothing from step to step."""
    if type(optimizer).__name__ != "SGD":
        return LONG
    momentum = float(optimizer.defaults.get("momentum") or 0.0)
    return MEMORIES / max(1 - momentum, 1 / LONG) if momentum else 0
