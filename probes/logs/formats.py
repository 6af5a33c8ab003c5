"""The trainers whose lines need more than the general reader, and what to know of their numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable

from traindx.engine.kb.knowledge import Knowledge
from traindx.engine.kb.rules import LogFormatRule
from traindx.engine.regex import compiled

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

    @property
    def ids(self) -> Iterable[str]:
        """All formats that there are."""
        return self._formats.keys()

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
        for group, text in match.groupdict().items():
            if text is None:
                continue
            if group in _PLACES:
                _place(reading, group, text.decode(), match.start(group))
            else:
                reading.values.append(_value(group, match))
                if text.startswith(b"[") and f"{group}_lowest" in self._metrics:
                    lowest = _value(group, match, metric=f"{group}_lowest")
                    reading.values.append(lowest._replace(lowest=True))
        return reading

    def _compiled(self, pattern: str) -> re.Pattern[bytes]:
        if pattern not in self._patterns:
            self._patterns[pattern] = compiled(pattern.encode())
        return self._patterns[pattern]

    @property
    def quirks(self) -> frozenset[str]:
        """What to know before believing the numbers of this log."""
        return frozenset(quirk for one in self.seen.values() for quirk in one.quirks)

    @property
    def trainer(self) -> str:
        """The trainer that was recognised first, by lines of its own if there are any; empty where none was."""
        named = [one for one in self.seen.values() if one.trainer]
        own = (one for one in named if "printed-by-others" not in one.quirks)
        return next((one.trainer for one in (*own, *named)), "")


def _value(group: str, match: re.Match[bytes], metric: str = "") -> Value:
    """The number, or the list of numbers, that the group of a metric holds.

    `loss__epoch` is a loss too, and another series than `loss`: two kinds of lines that print one metric are no one curve.
    """
    metric, _, of = (metric or group).partition("__")
    start, end = match.span(group)
    own = Name(metric, f"{metric} {of}".strip().replace("_", " "), 1 if of else 0)
    return Value(own, start, end, words=(start, start), counts=metric == "overflows")


def _place(reading: Reading, metric: str, text: str, start: int) -> None:
    if metric in PLACES:
        reading.place(metric, text, start)
    elif metric == "total_steps":
        reading.total_steps = int(number(text))
    else:
        reading.total_epochs = int(number(text))
