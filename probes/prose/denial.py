"""Whether a sentence denies what was found in it: "there are no empty files", "overfitting is not the problem"."""

from __future__ import annotations

import re
from functools import cache

from traindx.engine.regex import regex

from .patterns import Patterns

_PIECES = regex(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|[(|)]|[^\\\[(|)]+", re.DOTALL)
"""What a regular expression is made of, as far as it matters where its alternatives end."""


class Denial:
    """Tells what is stated from what is denied, by the negations around a match, in its clause."""

    def __init__(self, patterns: Patterns) -> None:
        self._patterns = patterns

    def of(self, sentence: str, match: re.Match[str]) -> bool:
        """Whether the sentence says that what matched is not so, or is not the matter."""
        return (
            self._patterns.phrase("denied").search(self._last_clause(sentence[: match.start()])) is not None
            or self._patterns.phrase("ruled-out").search(sentence[match.end() :]) is not None
            or self._turned_round(match)
        )

    def _turned_round(self, match: re.Match[str]) -> bool:
        """Whether a negation stands within a match of a wording that asks for none: "the process is not killed"."""
        if self._patterns.phrase("negative").search(self._last_clause(match[0])) is None:
            return False
        return self._patterns.phrase("asks-for-negation").search(self._wording(match)) is None

    def _wording(self, match: re.Match[str]) -> str:
        """The alternative of a pattern that matched: another one may ask for what this one does not."""
        for wording in alternatives(match.re.pattern):
            found = self._patterns.compiled(wording, match.re.flags).match(match.string, match.start())
            if found is not None and found.end() == match.end():
                return wording
        return match.re.pattern

    def _last_clause(self, text: str) -> str:
        """What stands behind the last turn. In "no missing or unexpected keys" the `or` is none."""
        turns = [
            turn
            for turn in self._patterns.phrase("turn").finditer(text)
            if turn[0].lower() not in ("or", "nor")
        ]
        return text[turns[-1].end() :] if turns else text


@cache
def alternatives(pattern: str) -> tuple[str, ...]:
    """The alternatives of a regular expression, as far as they stand in no group: `a|(?:b|c)` has two."""
    found, depth = [""], 0
    for piece in _PIECES.findall(pattern):
        depth += (piece == "(") - (piece == ")")
        if piece == "|" and not depth:
            found.append("")
        else:
            found[-1] += piece
    return tuple(found)
