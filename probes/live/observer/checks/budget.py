"""Which steps are looked into, and how much time that may take."""

from __future__ import annotations

import time

EARLY = range(2, 8)
"""Steps in which the arguments of the loss are read."""

THOROUGH = (10, 50, 200)
"""Steps in which activations are read too, for up to half a step; later every EVERY steps. Together under 1 %."""

EVERY = 1000

FEW = 24
"""Looks that every run may have, however many optimizers it makes; then one in a hundred steps."""

SHARE, FREE = 0.01, 0.5
"""The part of the run's time that looks may take together, and the seconds that every run may spend on them."""

WITHIN, LEAST = 0.5, 0.02
"""The part of a usual step that one check may take in one look, or so many seconds; then it sees no more of it."""


def is_thorough(step: int) -> bool:
    """Whether activations are read in this step."""
    return step in THOROUGH or step % EVERY == 0


class Budget:
    """Adds up what each check takes, in a look and over the run."""

    def __init__(self) -> None:
        self._begun = self._last = time.perf_counter()
        self._usual = self._all = 0.0
        self._used: dict[int, float] = {}

    def step_ended(self, looked_into: bool) -> None:
        """A round of the loop is over. One that was not looked into says how long they usually take."""
        now = time.perf_counter()
        if not looked_into:
            self._usual = now - self._last
        self._last = now

    def is_left(self) -> bool:
        """Whether there is time for another look."""
        return self._all < FREE + SHARE * (self._last - self._begun)

    def look_began(self) -> None:
        """Each check may take its time again."""
        self._used.clear()

    def add(self, check: object, seconds: float) -> None:
        """A check took so long."""
        self._used[id(check)] = self._used.get(id(check), 0.0) + seconds
        self._all += seconds

    def is_used_up(self, check: object) -> bool:
        """Whether this check has taken its time in this look."""
        return self._used.get(id(check), 0.0) > max(LEAST, WITHIN * self._usual)
