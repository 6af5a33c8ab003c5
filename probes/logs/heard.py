"""What was heard in one log, besides numbers and signatures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from traindx.engine.facts import Place

from .raised import Raised

MAX_SAID = 400


class Said(NamedTuple):
    """Something a person wrote."""

    text: str
    place: Place
    """Where it begins."""
    lines: tuple[tuple[int, Place], ...] = ()
    """Of what stands in several lines, where in the text each further line begins, and its place."""

    def at(self, offset: int) -> Place:
        """The place of the line that holds a character of the text."""
        return next((place for start, place in reversed(self.lines) if start <= offset), self.place)


class Heard:
    """What was heard in one log."""

    def __init__(self) -> None:
        self.raised: list[Raised] = []
        self.said: list[Said] = []
        self.code: list[tuple[int, str]] = []
        """Pieces of Python that a person pasted, each with the number of its first line."""
        self.ranks: set[int] = set()
        self.tracebacks = 0
        self.first_traceback: Place | None = None
        self.machine = False
        self.last_progress = 0
        """The last line that showed the run going on."""

    def paste(self, line: int, code: str) -> None:
        """A person pasted this, from this line on."""
        if len(self.code) < MAX_SAID:
            self.code.append((line, code))

    def say(self, text: str, place: Place, lines: Sequence[tuple[int, Place]] = ()) -> None:
        """A person wrote this."""
        if len(self.said) < MAX_SAID:
            self.said.append(Said(text, place, tuple(lines)))
