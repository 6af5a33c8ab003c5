"""Which steps are looked into: fixed ones in the beginning, later as often as their cost allows."""

from __future__ import annotations

import math

EARLY = range(2, 8)
"""Steps in which the arguments of the loss are read."""

THOROUGH = (10, 25, 50, 200)
"""Steps in which activations are read too, for up to half a step; later every EVERY steps. One is odd: an actor may be
trained in every second round only."""

EVERY = 1000

PROMPT = 50
"""Up to this step nothing is put off: a short run must show what it has."""

SHARE = 0.02
"""The share of the time that later looks may take together. One that comes too soon is put off until it fits."""


class Pace:
    """`next` is the step of the optimizer before which nothing is looked into."""

    def __init__(self) -> None:
        self.restart(0)
        self._free = -math.inf

    def restart(self, step: int) -> None:
        """Another optimizer is followed, and has made so many steps."""
        self.next = _planned_after(step)

    def is_due(self, step: int, now: float) -> bool:
        """Whether this step is looked into; `now` in seconds."""
        if step < self.next or (step > PROMPT and now < self._free):
            return False
        self.next = _planned_after(step)
        return True

    def took(self, seconds: float, now: float) -> None:
        """The last look has cost so much."""
        self._free = now + seconds / SHARE


def _planned_after(step: int) -> int:
    """The next step that is looked into, if it may cost what it wants."""
    return next((one for one in (*EARLY, *THOROUGH) if one > step), step - step % EVERY + EVERY)
