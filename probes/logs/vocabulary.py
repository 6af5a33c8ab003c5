"""Which of a thousand literal texts may stand in a line? Asked of every new kind of line, so it must be fast.

A line is taken apart into words, and each word is looked up once and remembered: logs have few
words. A word that is inside a literal must stand alone in the line; one at its edge may be part
of a longer word.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Generic, TypeVar

Key = TypeVar("Key")

_LETTERS = bytes(
    code + 32 if 65 <= code <= 90 else code if 97 <= code <= 122 or code >= 128 else 32 for code in range(256)
)
_LETTERS_OF_LINES = _LETTERS[:10] + b"\n" + _LETTERS[11:]
_SHORTEST = 3
"""Letters that a word at the edge of a literal must have to be looked for inside longer words."""
_REMEMBERED = 100_000


def letters(line: bytes) -> list[bytes]:
    """The words of a line: runs of letters, in lower case."""
    return line.translate(_LETTERS).split()


class Vocabulary(Generic[Key]):
    """Literal texts, each with a key."""

    def __init__(self, entries: Iterable[tuple[str, Key]]) -> None:
        self._whole: dict[bytes, set[Key]] = {}
        self._inside: dict[bytes, list[tuple[bytes, set[Key]]]] = {}
        self._known: dict[bytes, frozenset[Key]] = {}
        self.wordless: list[tuple[str, Key]] = []
        """The literals that hold no word to look for, with their keys."""
        edges: dict[bytes, set[Key]] = {}
        listed = list(entries)
        lines = "\n".join(literal.replace("\n", " ") for literal, _ in listed).lower().encode()
        spaced = lines.translate(_LETTERS_OF_LINES).split(b"\n")
        for (literal, key), line in zip(listed, spaced, strict=True):
            word, whole = _telling_word(b"." + line + b".")
            if not word:
                self.wordless.append((literal, key))
            else:
                (self._whole if whole else edges).setdefault(word, set()).add(key)
        for word, keys in edges.items():
            self._inside.setdefault(word[:_SHORTEST], []).append((word, keys))

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
        for start in range(len(word) - _SHORTEST + 1):
            for inside, keys in self._inside.get(word[start : start + _SHORTEST], ()):
                if word.startswith(inside, start):
                    found |= keys
        if len(self._known) >= _REMEMBERED:
            self._known.clear()
        self._known[word] = known = frozenset(found)
        return known


def _telling_word(spaced: bytes) -> tuple[bytes, bool]:
    """The word of a literal to look for, and whether it must stand alone.

    `spaced` is the literal with all but letters as spaces, between two full stops, which mark the
    words at its edges. A short word stands alone only between two other characters of the literal.
    """
    best, alone = b"", False
    for word in spaced.split():
        bare = word.strip(b".")
        if len(bare) > len(best) and (bare == word or len(bare) >= _SHORTEST):
            best, alone = bare, bare == word
    return best, alone
