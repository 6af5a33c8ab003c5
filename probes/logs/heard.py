"""What was heard in one log, besides numbers and signatures."""

from __future__ import annotations

from typing import NamedTuple

from traindx.engine.facts import Place

from .raised import Raised

MAX_SAID = 400


class Said(NamedTuple):
    """Something a person wrote."""

    text: str
    place: Place


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

    def say(self, text: str, place: Place) -> None:
        """A person wrote this."""
        if len(self.said) < MAX_SAID:
            self.said.append(Said(text, place))
