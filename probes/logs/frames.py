"""What a traceback says about where an exception was raised."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from traindx.engine.kb.knowledge import Knowledge
from traindx.engine.regex import compiled

LIBRARY = "library"
"""The entry of kb/frames that tells library code from the person's own."""
PASSING = "passing"
"""The entry of frames that only hand a call on, so that what they refuse is their caller's."""


class Frame(NamedTuple):
    """One frame of a traceback."""

    file: str
    line: int | None
    function: str
    code: str = ""

    @property
    def text(self) -> str:
        """As the patterns of kb/frames see it."""
        return f"{self.file.replace(chr(92), '/')}:{self.function}: {self.code}"[:500]

    @property
    def short(self) -> str:
        """As the list of frames shows it."""
        return f"{self.file}:{self.function}"

    @property
    def where(self) -> str:
        """As a person is told: the end of the path, and the line."""
        file = "/".join(self.file.replace(chr(92), "/").split("/")[-2:])
        return f"{file}:{self.line}" if self.line is not None else file


class Places:
    """Tells frames apart."""

    def __init__(self, knowledge: Knowledge) -> None:
        self._rules = knowledge.frames
        self._patterns: dict[str, re.Pattern[str]] = {}

    def _matches(self, name: str, frame: Frame) -> bool:
        if name not in self._patterns:
            self._patterns[name] = compiled(self._rules[name].pattern)
        return self._patterns[name].search(frame.text) is not None

    def own(self, frames: Sequence[Frame]) -> Frame | None:
        """The last frame in the person's own code, or None where all are in libraries."""
        return next((frame for frame in reversed(frames) if not self._matches(LIBRARY, frame)), None)

    def raising(self, frames: Sequence[Frame]) -> Frame | None:
        """The frame whose own line raised the exception, or None where all only hand a call on."""
        return next((frame for frame in reversed(frames) if not self._matches(PASSING, frame)), None)

    def facts(self, frames: Sequence[Frame]) -> dict[str, bool]:
        """Fact -> whether some frame says so, or the one that raised it where the rule asks that alone."""
        raising = self.raising(frames)
        innermost = [raising] if raising is not None else []
        told = {
            rule.fact: any(
                self._matches(rule.id, frame) for frame in (innermost if rule.innermost else frames)
            )
            for rule in self._rules.values()
            if rule.fact
        }
        if raising is not None:
            told["log.exception.raised_in_own"] = not self._matches(LIBRARY, raising)
        return told
