"""When the parts that follow every step do so: in the first steps, and in some steps in a row now and then."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..journal import Journal
from ..part import Part

if TYPE_CHECKING:
    import torch

    from ..watcher import Watcher

FIRST = 32
"""Steps that are followed from the start: most faults are there from the start."""

TURNS = (40, 60, 90, 135, 200, 300, 450, 700)
"""Later steps in which a turn begins: what a loop does may change with its epoch. Then every EVERY steps."""

EVERY = 1000

LENGTH = 12
"""Steps of a turn: as many as the slowest follower needs to be sure."""

ASIDE = ("failed", "ended", "flush", "beat", "model_found", "read")
"""What is no part of a step, and is told all the time."""


class Follower(Part):
    """A part that follows every step while it is its turn, and else is told nothing of them."""

    def begin_turn(self) -> None:
        """A turn begins: what was seen in the last one has nothing to do with what comes."""


class Turns(Part):
    """Puts the followers to sleep and wakes them. Told after them, so that they have seen the step that ends."""

    name = "turns"

    def __init__(self, journal: Journal, options: Mapping[str, Any], watcher: Watcher) -> None:
        self._watcher = watcher
        self._next = FIRST
        self._asleep = False

    def after_step(self, optimizer: torch.optim.Optimizer, step: int) -> None:
        """A turn begins or ends with this step, or neither."""
        now = self._watcher.step
        if now < self._next:
            return
        followers = [one for one in self._watcher.parts if isinstance(one, Follower)]
        for one in followers:
            if self._asleep:
                self._watcher.wake(one, *_events(one))
                one.begin_turn()
            else:
                self._watcher.rest(one, *_events(one))
        self._next = now + LENGTH if self._asleep else turn_after(now)
        self._asleep = not self._asleep


def turn_after(step: int) -> int:
    """The step in which the next turn begins."""
    return next((one for one in TURNS if one > step), (step // EVERY + 1) * EVERY)


def _events(part: Part) -> list[str]:
    """What this part overrides of what happens within a step."""
    return [
        name
        for name, value in vars(Part).items()
        if callable(value) and name not in ASIDE and getattr(type(part), name) is not value
    ]
