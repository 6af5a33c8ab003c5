"""What was heard in one log, besides numbers and signatures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from traindx.engine.facts import Place
from traindx.engine.regex import regex

from .prose import SPOKEN, sentences
from .raised import Raised

MAX_SAID = 400
_DOCUMENT = 20
"""Sentences from which on a text may be a document. Reports of a run are shorter, and somebody speaks of himself in them."""
_SPOKEN = 1 / 16
"""Of a document, at most so many sentences are somebody's own."""
_REPORT = regex(
    rb"(?i)\b(?:steps? to reproduce|(?:expected|actual|observed|current) (?:behaviou?r|results?|outcome)"
    rb"|describe the (?:bug|issue|problem)|(?:bug|issue|problem) (?:description|report|summary)|what happened|minimal repro)"
)
"""What reports of a bug are divided by, whoever speaks in them."""


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
        self.last_of_rank: dict[int, int] = {}
        """The same of each rank that numbers were read of."""

    def went_on_after(self, raised: Raised) -> bool:
        """Whether the run went on after an exception: where ranks print side by side, the one that raised it."""
        last = (
            self.last_of_rank.get(raised.rank, 0) if raised.rank is not None and self.last_of_rank else None
        )
        return raised.number < (self.last_progress if last is None else last)

    def paste(self, line: int, code: str) -> None:
        """A person pasted this, from this line on."""
        if len(self.code) < MAX_SAID:
            self.code.append((line, code))

    def say(self, text: str, place: Place, lines: Sequence[tuple[int, Place]] = ()) -> None:
        """A person wrote this."""
        if len(self.said) < MAX_SAID:
            self.said.append(Said(text, place, tuple(lines)))

    def leave_out_document(self, start: bytes) -> list[str]:
        """Let go of what a document that begins so says and shows, such as the description of a library. Gives what is to note."""
        texts = [text for one in self.said for text in sentences(one.text)]
        english = [text for text in texts if text.isascii()]
        own = sum(SPOKEN.search(text) is not None for text in english)
        few = len(english) < max(_DOCUMENT, len(texts) / 2)
        if few or own > _SPOKEN * len(english) or _REPORT.search(start):
            return []
        self.said.clear()
        self.code.clear()
        return [
            "a document, in which nobody tells of a run of his own: its sentences and examples were passed over"
        ]
