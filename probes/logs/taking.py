"""The words of a line that wait for a number, and what becomes of it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .names import POSITIONS, Name
from .pairs import Pairs
from .quantities import scale, unit_in_name, whole
from .reading import Reading, Value
from .tokens import NO_STEP, SPACED_NUMBER, VALUE_NEXT, is_like_a_sentence

if TYPE_CHECKING:
    from .reader import Reader

_RATES = frozenset(("steps_per_second", "seconds_per_step"))
_SCORES = frozenset(("accuracy", "eval_accuracy"))
"""Metrics that are also printed as a count of all: `Accuracy: 952/1000`."""
_SHORT = (b"k", b"K", b"M", b"B")
"""What follows a count that is printed short: `step:60K`."""


class Taking:
    """A name that may wait for its number, and what the line says so far."""

    def __init__(self, reader: Reader, line: bytes) -> None:
        self.reader, self.line = reader, line
        self.reading = Reading()
        self.pairs = Pairs(reader, line, self.reading)
        self.start = self.end = -1
        self.unit = b""
        self.times = 1.0
        self.armed = False
        self.frozen = False
        self.parted = False
        """Between the name and its number stands where it was measured."""
        self.measured = (-1, -1)
        """The name before a word that says where it was measured."""
        self.validation: bool | None = None
        self.leading = True

    def name_here(self) -> Name | None:
        """What the words that wait are the name of."""
        if self.start < 0:
            return None
        phrase = self.line[self.start : self.end].decode("latin-1")
        return self.reader.names.find(phrase, self.validation, leading=self.leading)

    def name_by_unit(self, unit: bytes) -> Name | None:
        """What a number with this unit is, whatever stands before it: a speed."""
        if b"/" not in unit:
            return None
        return self.reader.names.find(f"n {unit.decode()}", self.validation, leading=self.leading)

    def is_next_name(self, unit: bytes, position: int, after: int) -> bool:
        """Whether what looks like a unit is what the next number is called: `loss 0.31 it/s 3.2`."""
        if not self.line.startswith(b" ", position) or not SPACED_NUMBER.match(self.line, after):
            return False
        name = self.name_here()
        if name is None or name.metric in POSITIONS:
            return False
        rate = self.name_by_unit(unit)
        if rate is not None:
            return rate.metric != name.metric
        return scale(unit.decode(), self.reader.names.unit(name.metric), attached=True) is None

    def reset(self) -> None:
        """Words that wait belong to no number."""
        self.start, self.unit, self.times = -1, b"", 1.0
        self.armed = self.frozen = self.parted = False

    def take(self, name: Name, token: re.Match[bytes], unit: bytes) -> None:
        """Take in a number as what its name says it is."""
        text = token[0].decode()
        if name.metric in POSITIONS and unit in _SHORT and self.line.startswith(unit, token.end()):
            text += unit.decode()
        match name.metric:
            case "step" | "env_step" if NO_STEP.search(text) or self._is_size(name):
                pass
            case "epoch" if unit == b"%":
                pass  # How much of one is over, as a bar says it: `Epoch (train): 100%`.
            case "step":
                self.reading.place("step", text, token.start(), name.trust)
            case "env_step" | "epoch":
                self.reading.place(name.metric, text, token.start())
            case "total_steps":
                self.reading.total_steps = whole(text)
            case "total_epochs":
                self.reading.total_epochs = whole(text)
            case _:
                self.value(name, token, unit)

    def _is_size(self, name: Name) -> bool:
        """Whether what could be a step is a setting of which a person writes: `I train with batch 16 and ...`."""
        if self.armed or not self.reader.names.may_be_size(name.printed):
            return False
        return is_like_a_sentence(self.line)

    def value(self, name: Name, token: re.Match[bytes], unit: bytes, end: int | None = None) -> None:
        """Take in a number that measures something."""
        if any(one.name == name for one in self.reading.values) or (
            self.pairs.aside and name.metric in _RATES
        ):
            return
        said = (unit or self.unit).decode()
        wanted = self.reader.names.unit(name.metric)
        by = scale(said, wanted, attached=bool(unit))
        if by is not None:
            bare = wanted == "GiB" and not said
            if bare and (named := unit_in_name(name.printed)):
                by, bare = scale(named, wanted, attached=True) or 1.0, False
            words = (
                token.start() if self.start < 0 else self.start,
                self.end if self.parted else token.start(),
            )
            end = token.end() if end is None else end
            self.reading.values.append(Value(name, token.start(), end, by * self.times, bare, words))

    def take_pair(self, token: re.Match[bytes]) -> None:
        """Take in a pair such as `40/782`: a position, a score as a count of all, or how far the run is."""
        done, total = (part.strip() for part in token[0].decode().split("/"))
        name = self.name_here()
        if name is not None and name.metric == "epoch":
            self.reading.place("epoch", done, token.start())
            self.reading.total_epochs = whole(total)
        elif name is not None and name.metric in _SCORES and int(done) <= int(total) > 0:
            self.times = 1.0 / int(total)
            self.value(name, token, b"", end=token.start() + len(done))
        elif not self._is_around(done, total):
            words = b"" if self.start < 0 or self.armed else self.line[self.start : self.end]
            self.pairs.take(token, name, words, validation=bool(self.validation))
        self.reset()
        if name is not None and name.metric in POSITIONS:
            self.go_on(token.end())

    def _is_around(self, done: str, total: str) -> bool:
        """Whether a pair is none of a run: it counts its folds, or is more than the whole, as an epoch and a batch in `59/0`."""
        if int(done) > int(total) or int(total) == 0:
            return True
        return self.start >= 0 and self.reader.is_around_a_run(self.line[self.start : self.end])

    def go_on(self, position: int) -> None:
        """Let the name before a position wait for the number behind it: `loss at iteration 40: 0.3`."""
        if self.measured[0] >= 0 and VALUE_NEXT.match(self.line, position):
            self.start, self.end = self.measured
            self.armed = self.parted = True
