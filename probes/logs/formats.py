"""The trainers whose lines need more than the general reader, and what to know of their numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable

from traindx.engine.kb.knowledge import Knowledge
from traindx.engine.kb.rules import LogFormatRule

from .names import POSITIONS, Name, Names
from .quantities import number
from .reader import LONGEST
from .reading import PLACES, Reading, Value

_PLACES = POSITIONS | PLACES


class Formats:
    """Recognises trainers by their lines."""

    def __init__(self, knowledge: Knowledge, names: Names) -> None:
        self._formats = knowledge.log_formats
        self._names, self._metrics = names, knowledge.metrics
        self._patterns: dict[str, re.Pattern[bytes]] = {}
        self.seen: dict[str, LogFormatRule] = {}
        """The formats recognised so far."""

    def recognise(self, line: bytes, candidates: Iterable[str]) -> list[LogFormatRule]:
        """Those of the candidates that the line gives away; their names for metrics count from now on."""
        rules = [self._formats[one] for one in sorted(candidates)]
        low = line.lower()
        found = [
            one
            for one in rules
            if self.may_be(low, one.id) and self._compiled(one.recognise).search(line, 0, LONGEST)
        ]
        for one in found:
            if one.id not in self.seen:
                self.seen[one.id] = one
                self._names.prefer(one.fields)
        return found

    def may_be(self, low: bytes, name: str) -> bool:
        """Whether a line, given in lower case, holds a literal text of a format."""
        return any(word.encode() in low for word in self._formats[name].words)

    def read(self, line: bytes, formats: Iterable[str]) -> Reading | None:
        """What the own pattern of one of these formats reads, or None where none has one that matches."""
        for one in (self._formats[name] for name in formats):
            if one.pattern and (match := self._compiled(one.pattern).search(line, 0, LONGEST)):
                return self._reading(one, match)
        return None

    def _reading(self, one: LogFormatRule, match: re.Match[bytes]) -> Reading:
        reading = Reading()
        reading.format = one.id
        for metric, text in match.groupdict().items():
            if text is None:
                continue
            if metric in _PLACES:
                _place(reading, metric, text.decode(), match.start(metric))
            else:
                reading.values.append(_value(metric, match))
                if text.startswith(b"[") and f"{metric}_lowest" in self._metrics:
                    lowest = _value(metric, match, name=f"{metric}_lowest")
                    reading.values.append(lowest._replace(lowest=True))
        return reading

    def _compiled(self, pattern: str) -> re.Pattern[bytes]:
        if pattern not in self._patterns:
            self._patterns[pattern] = re.compile(pattern.encode())
        return self._patterns[pattern]

    @property
    def quirks(self) -> frozenset[str]:
        """What to know before believing the numbers of this log."""
        return frozenset(quirk for one in self.seen.values() for quirk in one.quirks)

    @property
    def trainer(self) -> str:
        """The trainer that was recognised first; empty where none was."""
        return next((one.trainer for one in self.seen.values()), "")


def _value(metric: str, match: re.Match[bytes], name: str = "") -> Value:
    """The number, or the list of numbers, that the group of a metric holds."""
    name = name or metric
    start, end = match.span(metric)
    own = Name(name, name.replace("_", " "), 0)
    return Value(own, start, end, words=(start, start), counts=metric == "overflows")


def _place(reading: Reading, metric: str, text: str, start: int) -> None:
    if metric in ("step", "epoch", "done", "total"):
        reading.place(metric, text, start)
    elif metric == "total_steps":
        reading.total_steps = int(number(text))
    else:
        reading.total_epochs = int(number(text))
