"""One line, token by token: names wait for their numbers."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from traindx.engine.regex import regex

from .names import POSITIONS, Name
from .quantities import number, scale, unit_in_name, whole
from .reading import Reading, Value

if TYPE_CHECKING:
    from .reader import Reader

MAX_TOKENS = 1500
"""Words, numbers and marks of a line that are looked at."""
_SCORES = frozenset(("accuracy", "eval_accuracy"))
"""Metrics that are also printed as a count of all: `Accuracy: 952/1000`."""

_TOKEN = regex(
    rb"""(?P<junk>\d\d/\d\d[ T]\d\d:\d\d(?::\d\d)?|\d+(?:[-/]\d+){2,}|\d+(?:\.\d+){2,}|\d+(?::\d\d)+(?:[.,]\d+)?|0x[0-9a-fA-F]+
        |\d+(?:\.\d+)?%(?=\||\s*[\x80-\xff])
        |(?<=:)\d+/\d+(?=\]\ \d{4}-\d\d-)) # [node1:0/4] 2024-06-03: process 0 of 4
    |(?P<pair>(?<![\w.])\d+\s*/\s*\d+(?![\w.]))
    |(?P<number>(?<!\w)[-+]?(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?
        |(?<!\w)[-+]?(?:nan|NaN|NAN|inf|Inf|INF|infinity|Infinity)(?:\.0)?(?![\w/]))
    |(?P<word>[A-Za-z_][\w@*]*(?:[./@*+-]\w+)*)
    |(?P<mark>[^\s\w])""",
    re.VERBOSE,
)
_ATTACHED = regex(rb"[A-Za-z%]+(?:/[A-Za-z]+| / (?:it|iter|iters|iteration|step|batch)\b)?")
_SPACED = regex(rb" ?([A-Za-z]+/[A-Za-z]+|GiB|MiB|GB|MB|ms|s|%)(?![\w/]|\s*[=:]\s*[-+]?[\d.])")
"""A unit after a space; in `lr=7e-05 sec/step=0.61` it is the name of the next number."""
_PER = regex(rb"/[A-Za-z]+(?![\w=])")
_FILE = regex(
    rb"\.(?:py|pyx|ipynb|c|cc|cpp|cu|cuh|h|hpp|rs|go|sh|log|txt|json|jsonl|ya?ml|toml|csv|pth?|ckpt|bin|so)$"
)
_IN_PARENS = regex(rb"\(\s*(?:([A-Za-z%][A-Za-z%/ ]{0,11})|(\d[\deE+.-]*))\s*\)")
_BAR = regex(rb"(?P<label>[^\r]{0,200}?)\b\d{1,3}%\s?\|")
"""A progress bar as tqdm draws it, after its label."""
_NOUN = regex(rb"\s+([A-Za-z]+)\b(?!\s*[:=])")
"""The word after a pair, if it names no number of its own."""
_NEXT_PAIR = regex(rb"\]\s*\[\s*")
"""What stands between the two pairs of `[3/25][40/782]`."""
_AT = regex(rb"(?i)\b(?:at|after)\b")
"""Says that a validation stands at a step of training: `validation at step 20/100`."""
_RATES = frozenset(("steps_per_second", "seconds_per_step"))
_SHORT = (b"k", b"K", b"M", b"B")
"""What follows a count that is printed short: `step:60K`."""
_NO_STEP = regex(r"e|\.\d*[1-9]\d*$")
"""Steps are whole: `average ratio of batch (13.20)` is none."""
_PURE_WORD = regex(rb"(?<![^\s(])[A-Za-z\x80-\xff]+(?=[\s).,:;?!]|\Z)")
_ANY_NUMBER = regex(rb"\d[\d.,eE+-]*")
_SENTENCE = 12
"""Words from which on a line may be a sentence, in whatever language."""
_GOES_ON = regex(rb"[-.]\w")
_NUMBER_NEXT = regex(rb"[\s'\"]*[-+]?(?:\d|nan|inf|NaN|Inf|\.\d)")
_RESETS = frozenset(b",;{}&")
_VALUE_NEXT = regex(rb"(?:\s*[:=]|\s+(?:is|was)\b)\s*(?=[-+]?(?:\d|\.\d|nan|inf|NaN|Inf))")


class Walk:
    """One line on its way through the reader: the words since the last break wait for a number."""

    def __init__(self, reader: Reader, line: bytes) -> None:
        self.reader, self.line = reader, line
        self.reading = Reading()
        self.start = self.end = -1
        self.unit = b""
        self.times = 1.0
        self.armed = self.frozen = False
        self.measured = (-1, -1)
        """The name before a word that says where it was measured."""
        self.parted = False
        """Between the name and its number stands where it was measured."""
        self.validation: bool | None = None
        self.leading = True
        self.pair_end = -1
        """Where the pair ends that says how far the run is."""
        self.counts_steps = False
        """That pair counts nothing else than steps, whatever else the line holds."""
        self.aside = False
        """The bar is of other work than training: its speed is not that of the run."""

    def run(self) -> Reading:
        """All that the line says."""
        position = 0
        for _ in range(MAX_TOKENS):
            token = _TOKEN.search(self.line, position)
            if token is None:
                break
            position = token.end()
            kind = token.lastgroup
            if kind == "word":
                self._word(token)
            elif kind == "number":
                position = self._number(token)
            elif kind == "mark":
                position = self._mark(token)
            elif kind == "pair":
                self._pair(token)
            else:
                self._reset()
        reading = self.reading
        if (
            reading.pair
            and not (self.counts_steps or reading.values)
            and reading.epoch is reading.step is None
        ):
            reading.forget_pair()
        return reading

    def _reset(self) -> None:
        self.start, self.unit, self.times = -1, b"", 1.0
        self.armed = self.frozen = self.parted = False

    def _word(self, token: re.Match[bytes]) -> None:
        word = token[0]
        if _FILE.search(word):
            self._reset()
            return
        if self.frozen:
            return
        if (split := self.reader.split(word)) is not None:
            self.validation, self.leading = split, not self.reading.values
        kind = self.reader.kind(word)
        if self.start >= 0 and self.reader.places(word):
            self.measured = (self.start, self.end)
        if kind == "breaks":
            self._reset()
        elif kind == "" and (self.armed or self.start < 0):
            self._reset()
            self.start, self.end = token.span()
        elif kind == "" or (kind == "wraps" and not self.line.startswith(b"(", token.end())):
            self.end = token.end()

    def _mark(self, token: re.Match[bytes]) -> int:
        mark, position = token[0], token.end()
        if mark in b":=":
            self.armed = self.start >= 0
        elif mark == b"(" and (inside := _IN_PARENS.match(self.line, token.start())):
            return self._parenthesis(inside)
        elif mark == b"/":
            # A name in a second language follows: `num epochs / epoch数: 3`.
            self.frozen = self.start >= 0
        elif mark[0] in _RESETS or (mark == b"-" and self.line[position : position + 1] in (b" ", b"")):
            self._reset()
        elif mark == b"|":
            if self.start >= 0 and _NUMBER_NEXT.match(self.line, position):
                self.armed = True
            else:
                self._reset()
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

    def _pair(self, token: re.Match[bytes]) -> None:
        done, total = (part.strip() for part in token[0].decode().split("/"))
        name = self._name()
        if name is not None and name.metric == "epoch":
            self.reading.place("epoch", done, token.start())
            self.reading.total_epochs = whole(total)
        elif name is not None and name.metric in _SCORES and int(done) <= int(total) > 0:
            self.times = 1.0 / int(total)
            self._value(name, token, b"", end=token.start() + len(done))
        else:
            self._progress(token, done, total, name)
        self._reset()
        if name is not None and name.metric in POSITIONS:
            self._go_on(token.end())

    def _progress(self, token: re.Match[bytes], done: str, total: str, name: Name | None) -> None:
        """A pair that may say how far the run is."""
        reading, start = self.reading, token.start()
        bar = _BAR.match(self.line, 0, start)
        if bar is None and (noun := _NOUN.match(self.line, token.end())) and self.reader.is_counted(noun[1]):
            return
        if reading.pair is not None and bar is not None and self.pair_end <= bar.end("label"):
            # The one before stands in the label of the bar: `Episode [1/1]:  76%| 120/157`.
            reading.forget_pair()
        if reading.pair is not None:
            if reading.epoch is not None or not _NEXT_PAIR.fullmatch(self.line, self.pair_end, start):
                return
            reading.pair_is_epoch()
        if bar is not None and self.reader.is_other_work(bar["label"]):
            self.aside = True
        elif bar is not None and self._counts_epochs(bar["label"]):
            self.aside = True
            reading.place("epoch", done, start)
            reading.total_epochs, reading.finished = whole(total), True
        elif not self._is_of_validation(start, name):
            reading.place("done", done, start)
            reading.place("total", total, token.end() - len(total))
            self.pair_end = token.end()
            reading.named = reading.named or (name is not None and name.metric == "step")
            self.counts_steps = bar is not None or name is not None or not self._is_of_a_noun()

    def _counts_epochs(self, label: bytes) -> bool:
        """Whether a bar counts epochs: all that its label says is `epoch`, without a number."""
        found = self.reader.names.find(label.decode("latin-1")) if label.strip() else None
        return found is not None and found.metric == "epoch" and _ANY_NUMBER.search(label) is None

    def _is_of_validation(self, start: int, name: Name | None) -> bool:
        """Whether a pair counts the batches of a validation: it stands before all numbers of a line that begins so."""
        if not self.validation or self.reading.values:
            return False
        return name is None or _AT.search(self.line, 0, start) is None

    def _is_of_a_noun(self) -> bool:
        """Whether a pair follows a word that names what is counted, and no position: `Transferred 469/475 items`."""
        if self.start < 0 or self.armed:
            return False
        return all(self.reader.split(word) is None for word in self.line[self.start : self.end].split())

    def _name(self) -> Name | None:
        if self.start < 0:
            return None
        phrase = self.line[self.start : self.end].decode("latin-1")
        return self.reader.names.find(phrase, self.validation, leading=self.leading)

    def _number(self, token: re.Match[bytes]) -> int:
        position = token.end()
        unit, after = self._unit_at(position)
        name = None if _GOES_ON.match(self.line, position) else self._by_unit(unit) or self._name()
        if name is None and token[0][-1:].isalpha():
            # `number of nan iterations: 0`: here it is a word.
            self._word(token)
            return position
        if name is not None:
            self._take(name, token, unit)
        self._reset()
        if name is not None and name.metric in POSITIONS:
            self._go_on(after)
        self.measured = (-1, -1)
        return after

    def _go_on(self, position: int) -> None:
        """Let the name before a position wait for the number behind it: `loss at iteration 40: 0.3`."""
        if self.measured[0] >= 0 and _VALUE_NEXT.match(self.line, position):
            self.start, self.end = self.measured
            self.armed = self.parted = True

    def _unit_at(self, position: int) -> tuple[bytes, int]:
        if attached := _ATTACHED.match(self.line, position):
            return attached[0], attached.end()
        if spaced := _SPACED.match(self.line, position):
            return spaced[1], spaced.end()
        if per := _PER.match(self.line, position):
            return b"", per.end()
        return b"", position

    def _by_unit(self, unit: bytes) -> Name | None:
        if b"/" not in unit:
            return None
        return self.reader.names.find(f"n {unit.decode()}", self.validation, leading=self.leading)

    def _take(self, name: Name, token: re.Match[bytes], unit: bytes) -> None:
        text = token[0].decode()
        if name.metric in POSITIONS and unit in _SHORT and self.line.startswith(unit, token.end()):
            text += unit.decode()
        match name.metric:
            case "step" | "env_step" if _NO_STEP.search(text) or self._is_size(name):
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
                self._value(name, token, unit)

    def _is_size(self, name: Name) -> bool:
        """Whether what could be a step is a setting of which a person writes: `I train with batch 16 and ...`."""
        if self.armed or not self.reader.names.may_be_size(name.printed):
            return False
        words = len(_PURE_WORD.findall(self.line))
        return words >= max(_SENTENCE, 4 * len(_ANY_NUMBER.findall(self.line)))

    def _value(self, name: Name, token: re.Match[bytes], unit: bytes, end: int | None = None) -> None:
        if any(one.name == name for one in self.reading.values) or (self.aside and name.metric in _RATES):
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
