"""What to look for in lines of one shape."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from traindx.engine.kb.rules import SignatureRule

if TYPE_CHECKING:
    from .sightings import Sightings

MAX_WATCHED = 200
"""How often lines of one shape are searched for signatures that do not depend on digits, and not found."""


class Watch:
    """An action: lines of this shape may hold these signatures."""

    __slots__ = ("left", "looked", "matched", "rules", "sure")

    def __init__(self, rules: tuple[SignatureRule, ...]) -> None:
        self.rules = rules
        self.left = MAX_WATCHED
        self.looked = 0
        """Lines that were searched."""
        self.matched: dict[str, int] = {}
        """In how many of them each signature was."""
        self.sure: tuple[SignatureRule, ...] = ()
        """Signatures that were in every line so far, and that digits do not decide: they are only counted."""

    def look(self, sightings: Sightings, index: int, line: bytes) -> None:
        """Look for the signatures; of those never found in this shape, only the ones that digits decide stay."""
        sightings.count(self.sure, 1)
        if not self.rules:
            return
        self.looked += 1
        if not sightings.watch(self.rules, index, line, self.matched):
            self._missed(sightings, line, 1)
        elif self.looked == MAX_WATCHED:
            always = [rule for rule in self.rules if self.matched.get(rule.id) == self.looked]
            self.sure = sightings.sure_in(always)
            self.rules = tuple(rule for rule in self.rules if rule not in self.sure)

    def look_at_all(self, sightings: Sightings, indices: Sequence[int], lines: Sequence[bytes]) -> None:
        """The same for some of a block's lines."""
        if self.rules and sightings.in_none_of(self.rules, [lines[index] for index in indices]):
            sightings.count(self.sure, len(indices))
            self._missed(sightings, lines[indices[0]], len(indices))
            return
        for place, index in enumerate(indices):
            if not self.rules:
                sightings.count(self.sure, len(indices) - place)
                return
            self.look(sightings, index, lines[index])

    def _missed(self, sightings: Sightings, line: bytes, count: int) -> None:
        patient = self.left > 0
        self.left -= count
        if patient and self.left <= 0:
            self.rules = sightings.decided_by_digits(self.rules, line)
