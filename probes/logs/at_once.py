"""Whether a signature may be in many lines at once: ordinary lines are told apart from news without looking at each."""

from __future__ import annotations

import re

from traindx.engine.regex import regex

_START = regex(r"(?:\(\?i\))?(?:\\b)?")
_LETTERS = regex(r"[A-Za-z ]*")
_CLASS = regex(r"\[\^?\]?(?:\\.|[^\]\\])*\]")
_ESCAPED = regex(r"\\[^AZB]")
_CUTS = ("^", "(?=", "(?!", "(?<=", "(?<!", "(?>", "(?(", "*+", "++", "?+", "}+", "\\")
"""What makes a pattern refuse in several lines what it finds in one."""
_QUANTIFIERS = ("?", "*", "+", "{")
_SHORTEST = 4


class AtOnce:
    """A signature's pattern, asked of many lines.

    It finds whatever the pattern finds in one of them, and sometimes more.
    """

    __slots__ = ("_beginning", "_pattern", "_usable")

    def __init__(self, pattern: re.Pattern[str]) -> None:
        self._pattern = pattern
        bare = _CLASS.sub("\0", _ESCAPED.sub("\0", _START.sub("", pattern.pattern, count=1)))
        self._usable = not any(map(bare.__contains__, _CUTS))
        self._beginning = _beginning(bare).lower()

    def may_be_in(self, text: str) -> bool:
        """Whether it may be in a line of an ASCII text whose lines end in no spaces."""
        if not self._usable:
            return True
        if len(self._beginning) < _SHORTEST:
            return self._pattern.search(text) is not None
        low, match = text.lower(), self._pattern.match
        place = low.find(self._beginning)
        while place >= 0:
            if match(text, place):
                return True
            place = low.find(self._beginning, place + 1)
        return False


def _beginning(pattern: str) -> str:
    """The letters that every match begins with; empty where there is a choice."""
    found = _LETTERS.match(pattern)
    if found is None or _has_choice(pattern):
        return ""
    return found[0][:-1] if pattern.startswith(_QUANTIFIERS, found.end()) else found[0]


def _has_choice(pattern: str) -> bool:
    depth = 0
    for char in pattern:
        depth += (char == "(") - (char == ")")
        if char == "|" and depth == 0:
            return True
    return False
