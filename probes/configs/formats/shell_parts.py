"""What a shell script is made of: words that know where each character is written, commands, heredocs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from ..document import Span

MAX_WORD = 20_000
"""Characters a word may grow to: variables that double themselves stop here."""


@dataclass(slots=True)
class Word:
    """A word, and for each of its characters where it is written; -1 for one that is written nowhere."""

    text: str = ""
    offsets: list[int] = field(default_factory=list)
    start: int = 0
    end: int = 0
    """Where the word as a whole stands, quotes included."""

    def part(self, start: int, end: int | None = None) -> Word:
        """Some of its characters."""
        end = len(self.text) if end is None else end
        return Word(self.text[start:end], self.offsets[start:end], self.start, self.end)

    @property
    def span(self) -> Span | None:
        """Where its characters are written, where that is in one piece."""
        offsets = self.offsets
        if not offsets or offsets[0] < 0 or offsets[-1] - offsets[0] != len(offsets) - 1:
            return None
        return offsets[0], offsets[-1] + 1


class Heredoc(NamedTuple):
    """A text inside the script."""

    start: int
    end: int
    plain: bool
    """True where no variable is filled in."""


@dataclass(slots=True)
class Command:
    """A simple command, or assignments alone."""

    words: list[Word] = field(default_factory=list)
    heredocs: list[Heredoc] = field(default_factory=list)
    writes: str = ""
    """The file its output goes to."""


@dataclass(slots=True)
class Script:
    """All commands, the variables as they are in the end, and the comment lines."""

    commands: list[Command] = field(default_factory=list)
    variables: dict[str, list[Word]] = field(default_factory=dict)
    comments: list[Span] = field(default_factory=list)
    broken_continuations: list[int] = field(default_factory=list)
    comments_within: list[int] = field(default_factory=list)
    """Where a comment stands between the lines of one command, and ends it."""
    """Backslashes that are followed by a space, and so do not continue the line."""


class Piece:
    """A word while it grows; `splits` marks blanks that came from an unquoted variable."""

    def __init__(self, start: int) -> None:
        self.chars: list[str] = []
        self.offsets: list[int] = []
        self.splits: set[int] = set()
        self.start = start
        self.quoted = False

    def add(self, text: str, start: int) -> None:
        """Take in what stands from an offset on; beyond MAX_WORD characters it is dropped."""
        taken = text[: MAX_WORD - len(self.chars)]
        self.chars += taken
        self.offsets += range(start, start + len(taken))

    def take(self, word: Word, *, split: bool) -> None:
        """Take in what a variable holds; `split` where its blanks divide words."""
        for char, offset in zip(word.text, word.offsets, strict=True):
            if split and char in " \t\n":
                self.splits.add(len(self.chars))
            self.add(char, offset)

    def words(self, end: int) -> list[Word]:
        """The words it falls into."""
        if not self.splits:
            return (
                [Word("".join(self.chars), self.offsets, self.start, end)]
                if self.chars or self.quoted
                else []
            )
        words, first = [], 0
        for index in [*sorted(self.splits), len(self.chars)]:
            if index > first:
                words.append(
                    Word("".join(self.chars[first:index]), self.offsets[first:index], self.start, end)
                )
            first = index + 1
        return words
