"""What a person wrote before or after the output that he pasted: `... step 640 loss nan`, then `It never comes back.`"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, islice

from traindx.engine.kb.knowledge import Knowledge
from traindx.engine.regex import regex

from .blocks import Block
from .prose import NOTE, SPOKEN, WORD, Writing
from .written import Written

MOST_LINES = 400
"""What is longer is a log that was handed in as a file: nobody wrote at its ends."""
_ENOUGH = 2
"""Different words of a narrator in a line that tell him from a library."""
_FEWEST = 8
"""Words of a line that tell anything of who wrote it."""
_PRINTED = regex(r"`|https?://|::|[\[\]{}<>|]|^\W|^[\w./-]+:\s")
"""What stands in messages of libraries and hardly in those of people."""
_LAST = regex(r"^\s*[A-Za-z][^=:|]{0,60}[.!?]\s*$")
"""The short end of a sentence that was broken into lines."""


class Around:
    """Finds the lines at both ends of a paste in which somebody tells what he saw.

    A library prints sentences too, so that one at an end of the paste is not enough: somebody must
    speak of himself in it, or use the words of a narrator and none of an adviser.
    """

    def __init__(self, knowledge: Knowledge) -> None:
        self._writing = Writing(knowledge)
        self._narrating, self._advising = knowledge.words["narrating"], knowledge.words["advising"]

    def hear(self, written: Written, first: Block, others: Iterator[Block]) -> tuple[Block, Iterator[Block]]:
        """Hand on what was written at the ends. Gives what is left to be read: the output, and the blocks that follow."""
        # What comes after the last line feed comes in a block of its own.
        more = tuple(islice(others, 2))
        if len(more) > 1 or len(first.lines) > MOST_LINES:
            return first, chain(more, others)
        parts = self.parts(Block(b"".join(block.data for block in (first, *more)), first.first))
        if parts is None:
            return first, chain(more, others)
        before, paste, after = parts
        written.read((before, after))
        return paste, others

    def parts(self, block: Block) -> tuple[Block, Block, Block] | None:
        """What was written before, what was pasted, and what was written after; None where nobody wrote at the ends."""
        if len(block.lines) > MOST_LINES:
            return None
        texts = [line.decode("utf-8", "replace").rstrip() for line in block.lines]
        before = self._told(texts)
        after = len(texts) - self._told(texts[before:][::-1])
        if not before and after == len(texts):
            return None
        head, paste, tail = ((0, before), (before, after), (after, len(texts)))
        first, second, third = (
            Block(b"".join(block.lines[start:end]), block.number(start)) for start, end in (head, paste, tail)
        )
        return first, second, third

    def _told(self, texts: Sequence[str]) -> int:
        """How many lines from this end on were written by somebody who tells of what he saw."""
        told, spoken = 0, False
        for number, text in enumerate(texts, 1):
            if not text.strip():
                continue
            if NOTE.match(text) or not (self._writing.is_sentence(text) or _LAST.match(text)):
                break
            spoken = spoken or self.is_narrated(text)
            told = number
        return told if spoken else 0

    def is_narrated(self, text: str) -> bool:
        """Whether a line reads like somebody's who tells of what he saw."""
        if not self._writing.is_sentence(text):
            return False
        if SPOKEN.search(text):
            return True
        words = [word.lower().replace("\u2019", "'") for word in WORD.findall(text)]
        if len(words) < _FEWEST or _PRINTED.search(text) or any(word in self._advising for word in words):
            return False
        return len({word for word in words if word in self._narrating}) >= _ENOUGH
