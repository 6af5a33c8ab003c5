"""The word by which a literal text is looked for: of a thousand literals, a line's words name the few it may hold."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Generic, NamedTuple, TypeVar

Key = TypeVar("Key")

LETTERS = bytes(
    code + 32 if 65 <= code <= 90 else code if 97 <= code <= 122 or code >= 128 else 32 for code in range(256)
)
"""A table that turns capitals into small letters, and all but letters into spaces."""
SHORTEST = 3
"""Letters that a word at the edge of a literal must have to be looked for inside longer words."""


class Telling(NamedTuple, Generic[Key]):
    """Literals with their keys, by the word that tells of each."""

    whole: dict[bytes, list[Key]]
    """Words that stand alone in the literal."""
    edges: dict[bytes, list[Key]]
    """Words at the edge of a literal, which in a line may be part of a longer one."""
    wordless: list[tuple[str, Key]]
    """Literals without a word to look for."""


def telling(entries: Iterable[tuple[str, Key]]) -> Telling[Key]:
    """Put literals in order by their telling words."""
    found: Telling[Key] = Telling({}, {}, [])
    for literal, key in entries:
        word, alone = _word_of(b"." + literal.lower().encode().translate(LETTERS) + b".")
        if not word:
            found.wordless.append((literal, key))
            continue
        keys = (found.whole if alone else found.edges).setdefault(word, [])
        if key not in keys:
            keys.append(key)
    return found


def _word_of(spaced: bytes) -> tuple[bytes, bool]:
    """The word of a literal to look for, and whether it must stand alone.

    `spaced` is the literal with all but letters as spaces, between two full stops, which mark the
    words at its edges. A short word stands alone only between two other characters of the literal.
    """
    best, alone = b"", False
    for word in spaced.split():
        bare = word.strip(b".")
        if len(bare) > len(best) and (bare == word or len(bare) >= SHORTEST):
            best, alone = bare, bare == word
    return best, alone
