"""Which of a thousand literal texts may stand in a line? Asked of every new kind of line, so it must be fast.

A line is taken apart into words, and each word is looked up once and remembered: logs have few
words. A word that is inside a literal must stand alone in the line; one at its edge may be part
of a longer word.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Generic, TypeVar

from traindx.engine.kb.telling import LETTERS, SHORTEST, Telling

Key = TypeVar("Key")

_REMEMBERED = 100_000
_NONE: frozenset[Any] = frozenset()
"""What most words tell: one set for all of them."""


def letters(line: bytes) -> list[bytes]:
    """The words of a line: runs of letters, in lower case."""
    return line.translate(LETTERS).split()


class Vocabulary(Generic[Key]):
    """Literal texts, each with a key."""

    def __init__(self, found: Telling[Key]) -> None:
        self._whole = found.whole
        self.wordless = found.wordless
        """The literals that hold no word to look for, with their keys."""
        self._inside: dict[bytes, list[tuple[bytes, list[Key]]]] = {}
        self._known: dict[bytes, frozenset[Key]] = {}
        for word, keys in found.edges.items():
            self._inside.setdefault(word[:SHORTEST], []).append((word, keys))

    def hits(self, words: Iterable[bytes]) -> set[Key]:
        """The keys of all literals that may stand in a line of these words; no literal that does is missed."""
        found: set[Key] = set()
        for word in words:
            keys = self._known.get(word)
            if keys is None:
                keys = self._look_up(word)
            if keys:
                found |= keys
        return found

    def _look_up(self, word: bytes) -> frozenset[Key]:
        found = set(self._whole.get(word, ()))
        for start in range(len(word) - SHORTEST + 1):
            for inside, keys in self._inside.get(word[start : start + SHORTEST], ()):
                if word.startswith(inside, start):
                    found.update(keys)
        if len(self._known) >= _REMEMBERED:
            self._known.clear()
        self._known[word] = known = frozenset(found) if found else _NONE
        return known
