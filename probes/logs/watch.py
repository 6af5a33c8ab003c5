"""What to look for in lines of one shape."""

from __future__ import annotations

from traindx.engine.kb.rules import SignatureRule

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
