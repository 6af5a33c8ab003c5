"""Regular expressions, compiled when first asked for."""

from __future__ import annotations

import re
from collections.abc import Mapping

from traindx.engine.regex import compiled


class Patterns:
    """The phrases of a knowledge base and other patterns, each compiled once."""

    def __init__(self, phrases: Mapping[str, str]) -> None:
        self._phrases = phrases
        self._compiled: dict[tuple[str, int], re.Pattern[str]] = {}

    def phrase(self, name: str) -> re.Pattern[str]:
        """The phrase of this name."""
        return self.compiled(self._phrases[name])

    def compiled(self, pattern: str, flags: int = re.IGNORECASE) -> re.Pattern[str]:
        """A pattern, in any case of letters unless other flags are given."""
        known = self._compiled.get((pattern, flags))
        if known is None:
            known = self._compiled[pattern, flags] = compiled(pattern, flags)
        return known
