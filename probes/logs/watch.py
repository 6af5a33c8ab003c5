"""What to look for in lines of one shape."""

from __future__ import annotations

from traindx.engine.kb.rules import SignatureRule

MAX_WATCHED = 200
"""How often lines of one shape are searched for signatures that do not depend on digits, and not found."""


class Watch:
    """An action: lines of this shape may hold these signatures."""

    __slots__ = ("left", "rules")

    def __init__(self, rules: tuple[SignatureRule, ...]) -> None:
        self.rules = rules
        self.left = MAX_WATCHED
