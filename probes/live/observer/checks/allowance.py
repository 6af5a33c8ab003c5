"""How much time one check may take in one look.

It is the time of the thread itself: a machine that is busy with other things takes nothing from a check.
"""

from __future__ import annotations

WITHIN, LEAST = 0.5, 0.02
"""The part of a usual step that one check may take in one look, or so many seconds; then it sees no more of it."""


class Allowance:
    """Adds up what each check takes."""

    def __init__(self) -> None:
        self._most = LEAST
        self._used: dict[int, float] = {}

    def renew(self, usual: float) -> None:
        """A look begins, in a loop whose steps take so many seconds: each check may take its time again."""
        self._most = max(LEAST, WITHIN * usual)
        self._used.clear()

    def took(self, check: object, seconds: float) -> None:
        """A check took so many seconds of the thread's own time."""
        self._used[id(check)] = self._used.get(id(check), 0.0) + seconds

    def is_used_up(self, check: object) -> bool:
        """Whether this check has taken its time in this look."""
        return self._used.get(id(check), 0.0) > self._most
