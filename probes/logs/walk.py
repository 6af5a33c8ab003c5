"""One line, token by token: names wait for their numbers."""

from __future__ import annotations

import re
from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING

from traindx.engine.regex import regex

from .bare import Bare
from .names import POSITIONS
from .quantities import number, whole
from .ranks import is_dated
from .reading import Reading
from .taking import Taking
from .tokens import (
    COMPARED,
    DECIMALS,
    FILE,
    GIVEN,
    GLUED,
    GOES_ON,
    IN_PARENS,
    NUMBER_NEXT,
    NUMBERED_PART,
    PAIR,
    TOKEN,
    unit_at,
)

if TYPE_CHECKING:
    from .reader import Reader

MAX_TOKENS = 1500
"""Words, numbers and marks of a line that are looked at."""
_LETTER = regex(rb"[A-Za-z]")
_NUMBERED = regex(rb"(?<![A-Za-z])([A-Za-z]+)[-_#]?\d")
_RESETS = frozenset(b",;{}&")


class Walk(Taking):
    """One line on its way through the reader: the words since the last break wait for a number."""

    def __init__(self, reader: Reader, line: bytes) -> None:
        super().__init__(reader, line)
        self.bare = Bare()
        self.glued = False
        """A number stood right behind a word inside of the line: without a measurement it is part of a name."""

    def run(self) -> Reading:
        """All that the line says."""
        position = 0
        for _ in range(MAX_TOKENS):
            token = TOKEN.search(self.line, position)
            if token is None:
                break
            position = token.end()
            kind = token.lastgroup
            if kind == "word":
                if not (token[0][-1:].isdigit() and self._glued(token)):
                    self._word(token)
            elif kind == "number":
                position = self._number(token)
            elif kind == "mark":
                position = self._mark(token)
            elif kind == "pair":
                self.take_pair(token)
            else:
                self.reset()
        reading = self.reading
        self.bare.settle(self.reader, self.line, reading)
        if self.glued and not reading.values:
            return Reading()
        if (
            reading.pair
            and not (self.pairs.counts_steps or reading.values)
            and reading.epoch is reading.step is None
        ):
            reading.forget_pair()
        return reading

    def _word(self, token: re.Match[bytes]) -> None:
        word = token[0]
        if FILE.search(word):
            self.reset()
            return
        if self.frozen:
            return
        if (split := self.reader.split(word)) is not None:
            self.validation, self.leading = split, not self.reading.values
        kind = self.reader.kind(word)
        if self.start >= 0 and self.reader.places(word):
            self.measured = (self.start, self.end)
        if kind == "breaks":
            self.reset()
        elif kind == "" and (self.armed or self.start < 0):
            self.reset()
            self.start, self.end = token.span()
        elif kind == "" or (kind == "wraps" and not self.line.startswith(b"(", token.end())):
            self.end = token.end()

    def _glued(self, token: re.Match[bytes]) -> bool:
        """Take in a step or an epoch that is one word with its number; False where the word is a name."""
        found = GLUED.fullmatch(self.line, *token.span())
        name = self.reader.glued(found[1]) if found is not None else None
        if found is None or name is None or GIVEN.match(self.line, token.end()):
            return False
        if is_dated(self.line, token.start()):
            return False  # `E0711 08:30:11.12 11 api.py:869]` is a date.
        if self._numbered[found[1].lower()] > 1:
            return False  # `step1 loss 0.3 step2 loss 0.4` are two losses.
        self.glued = self.glued or _LETTER.search(self.line, 0, token.start()) is not None
        done, total = found[3].decode(), found[4]
        if name.metric == "epoch":
            self.reading.place("epoch", done, found.start(3))
            self.reading.total_epochs = whole(total.decode()) if total else self.reading.total_epochs
        elif total is None:
            self.reading.place("step", done, found.start(3), name.trust)
        elif int(done) <= int(total):
            pair = PAIR.match(self.line, found.start(2))
            assert pair is not None
            self.pairs.take(pair, name, b"", validation=bool(self.validation))
        self.reset()
        self.go_on(token.end())
        return True

    @cached_property
    def _numbered(self) -> Counter[bytes]:
        """How often each word stands right before a number in the line."""
        return Counter(map(bytes.lower, _NUMBERED.findall(self.line)))

    def _mark(self, token: re.Match[bytes]) -> int:
        mark, position = token[0], token.end()
        if mark in b":=":
            self.armed = self.start >= 0
        elif mark == b"(" and (inside := IN_PARENS.match(self.line, token.start())):
            return self._parenthesis(inside)
        elif mark == b"(" and self.start >= 0 and (part := NUMBERED_PART.match(self.line, token.start())):
            return position if self.reader.places(part[1]) else part.end()
        elif mark == b"/":
            # A name in a second language follows: `num epochs / epoch数: 3`.
            self.frozen = self.start >= 0
        elif mark[0] in _RESETS or (mark == b"-" and self.line[position : position + 1] in (b" ", b"")):
            self.reset()
        elif COMPARED.match(self.line, token.start() - 1):
            # `loss > 0` is what somebody expects, and was not measured.
            self.reset()
        elif mark == b"|":
            if self.start >= 0 and NUMBER_NEXT.match(self.line, position):
                self.armed = True
            else:
                self.reset()
        return position

    def _parenthesis(self, inside: re.Match[bytes]) -> int:
        word, times = inside.groups()
        if word and (split := self.reader.split(word.strip())) is not None:
            self.validation = split
        elif word:
            self.unit = word.strip()
        elif self.start >= 0 and self.line[inside.end() : inside.end() + 1] in (b":", b"=", b"'", b'"'):
            self.times = number(times.decode())
        else:
            return inside.start() + 1
        return inside.end()

    def _number(self, token: re.Match[bytes]) -> int:
        position = token.end()
        if self.armed and token[0].isdigit() and (decimals := DECIMALS.match(self.line, position)):
            name = self.name_here()
            if name is not None and name.metric not in POSITIONS:
                self.value(name, token, b"", end=decimals.end())
                self.reset()
                return decimals.end()
        unit, after = unit_at(self.line, position)
        if unit and self.is_next_name(unit, position, after):
            unit, after = b"", position
        name = None if GOES_ON.match(self.line, position) else self.name_by_unit(unit) or self.name_here()
        if name is None and token[0][-1:].isalpha():
            # `number of nan iterations: 0`: here it is a word.
            self._word(token)
            return position
        if name is not None:
            self.take(name, token, unit)
        elif self.start >= 0 and not unit and after == position:
            words = self.line[self.start : self.end]
            if (split := self.reader.split(words)) is not None:
                self.bare.note(split, self.start, token)
        self.reset()
        if name is not None and name.metric in POSITIONS:
            self.go_on(after)
        self.measured = (-1, -1)
        return after
