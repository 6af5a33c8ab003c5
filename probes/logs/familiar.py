"""Lines that differ only in words that mean nothing here: what was decided for one of them holds for all.

Names of files, nodes and samples make a new shape of nearly every line in some logs. Here such
words are left out too, as long as no literal text that is looked for could begin, end or lie in them.
"""

from __future__ import annotations

from collections.abc import Iterable

from traindx.engine.regex import regex

AFTER = 1000
"""New shapes after which it pays to know the words."""
MAX_KNOWN = 50_000
_SHORTEST = 3
_PLAIN = bytes(code + 32 if 65 <= code <= 90 else 48 if 48 <= code <= 57 else code for code in range(256))
"""Lower case, and every digit as 0."""
_WORD = regex(rb"([a-z]+)")


class Familiar:
    """Gives lines their form, in which only words that may matter are left.

    `literals` are looked for as they stand, `names` word by word, each of which may lie in a longer word.
    """

    def __init__(self, literals: Iterable[str], names: Iterable[str]) -> None:
        self._whole: set[bytes] = set()
        self._inside: dict[bytes, set[bytes]] = {}
        self._starts: set[bytes] = set()
        self._ends: set[bytes] = set()
        self._known: dict[bytes, bytes] = {}
        for literal in literals:
            self._learn(_WORD.split(literal.encode().translate(_PLAIN)))
        for name in names:
            for word in _WORD.findall(name.encode().translate(_PLAIN)):
                self._learn([b"", word, b""])

    def _learn(self, parts: list[bytes]) -> None:
        """Take in a literal, as the words in it and what stands between, before and after them."""
        words = parts[1::2]
        self._whole.update(words)
        # A word at the edge of a literal may be a part of a longer word.
        if words and not parts[0]:
            self._edge(words[0], self._ends)
        if words and not parts[-1]:
            self._edge(words[-1], self._starts)

    def _edge(self, word: bytes, short: set[bytes]) -> None:
        if len(word) < _SHORTEST:
            short.add(word)
        else:
            self._inside.setdefault(word[:_SHORTEST], set()).add(word)

    def form(self, line: bytes) -> bytes | None:
        """What lines of one form have in common; None where it cannot be told."""
        if not line.isascii():
            return None
        parts, known = _WORD.split(line.translate(_PLAIN)), self._known
        parts[1::2] = [known.get(word) or self._judge(word) for word in parts[1::2]]
        return b"".join(parts)

    def _judge(self, word: bytes) -> bytes:
        """A word as it stands in forms: itself if it may matter, else a mark with the ends that may."""
        judged = word
        if word not in self._whole and not self._holds_one(word):
            start = next((word[:size] for size in (2, 1) if word[:size] in self._starts), b"")
            end = next((word[-size:] for size in (2, 1) if word[-size:] in self._ends), b"")
            judged = b"A" + start + b"Z" + end
        if len(self._known) >= MAX_KNOWN:
            self._known.clear()
        self._known[word] = judged
        return judged

    def _holds_one(self, word: bytes) -> bool:
        for start in range(len(word) - _SHORTEST + 1):
            for inside in self._inside.get(word[start : start + _SHORTEST], ()):
                if word.startswith(inside, start):
                    return True
        return False
