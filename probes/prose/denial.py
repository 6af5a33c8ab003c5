"""Whether a sentence denies what was found in it: "there are no empty files", "overfitting is not the problem"."""

from __future__ import annotations

import re

from .patterns import Patterns


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
        """Whether a negation stands within a match of a pattern that asks for none: "the process is not killed"."""
        return (
            self._patterns.phrase("asks-for-negation").search(match.re.pattern) is None
            and self._patterns.phrase("negative").search(self._last_clause(match[0])) is not None
        )

    def _last_clause(self, text: str) -> str:
        """What stands behind the last turn. In "no missing or unexpected keys" the `or` is none."""
        turns = [
            turn
            for turn in self._patterns.phrase("turn").finditer(text)
            if turn[0].lower() not in ("or", "nor")
        ]
        return text[turns[-1].end() :] if turns else text
