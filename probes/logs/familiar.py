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
_PLAYS_NO_PART = b"A"


class Familiar:
    """Gives lines their form, in which only words that may matter are left.

    `literals` are looked for as they stand, `names` word by word, each of which may lie in a longer word.
    """

    def __init__(self, literals: Iterable[str], names: Iterable[str]) -> None:
        self._whole: set[bytes] = set()
        self._inside: dict[bytes, set[bytes]] = {}
        self._starts: dict[bytes, set[bytes]] = {}
        """What a word may begin with, and the words of which one must come before it; empty where none must."""
        self._ends: dict[bytes, set[bytes]] = {}
        """What a word may end in, and what must come after it."""
        self._known: dict[bytes, bytes] = {}
        for literal in literals:
            self._learn(_WORD.split(literal.encode().translate(_PLAIN)))
        for name in names:
            self._name(_WORD.findall(name.encode().translate(_PLAIN)))

    def _learn(self, parts: list[bytes]) -> None:
        """Take in a literal, as the words in it and what stands between, before and after them."""
        words = parts[1::2]
        self._whole.update(words)
        # A word at the edge of a literal may be a part of a longer word.
        if words and not parts[0]:
            self._edge(words[0], self._ends, words[1] if len(words) > 1 else b"")
        if words and not parts[-1]:
            self._edge(words[-1], self._starts, words[-2] if len(words) > 1 else b"")

    def _name(self, words: list[bytes]) -> None:
        """Take in a name, of which a long word may lie in another, and a short one ends another in `newLr` alone."""
        self._whole.update(words)
        for word in words:
            if len(word) >= _SHORTEST or len(words) == 1:
                self._edge(word, self._ends, b"")

    def _edge(self, word: bytes, short: dict[bytes, set[bytes]], beside: bytes) -> None:
        if len(word) < _SHORTEST:
            short.setdefault(word, set()).add(beside)
        else:
            self._inside.setdefault(word[:_SHORTEST], set()).add(word)

    def form(self, line: bytes) -> bytes | None:
        """What lines of one form have in common; None where it cannot be told."""
        if not line.isascii():
            return None
        parts, known = _WORD.split(line.translate(_PLAIN)), self._known
        words = parts[1::2]
        judged = [known.get(word) or self._judge(word) for word in words]
        for place, word in enumerate(judged):
            if word is _PLAYS_NO_PART:
                before, after = words[place - 1] if place else b"", words[place + 1 : place + 2]
                judged[place] = self._marked(words[place], before, after[0] if after else b"")
        parts[1::2] = judged
        return b"".join(parts)

    def _judge(self, word: bytes) -> bytes:
        """A word itself if it may matter."""
        matters = word in self._whole or self._holds_one(word)
        if len(self._known) >= MAX_KNOWN:
            self._known.clear()
        self._known[word] = judged = word if matters else _PLAYS_NO_PART
        return judged

    def _marked(self, word: bytes, before: bytes, after: bytes) -> bytes:
        """A mark for a word between two others, with those of its ends that may matter there."""
        start = next(
            (one for one in (word[:2], word[:1]) if any(map(before.endswith, self._starts.get(one, ())))), b""
        )
        end = next(
            (one for one in (word[-2:], word[-1:]) if any(map(after.startswith, self._ends.get(one, ())))),
            b"",
        )
        return b"A" + start + b"Z" + end

    def _holds_one(self, word: bytes) -> bool:
        for start in range(len(word) - _SHORTEST + 1):
            for inside in self._inside.get(word[start : start + _SHORTEST], ()):
                if word.startswith(inside, start):
                    return True
        return False
