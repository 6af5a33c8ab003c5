"""Signatures that stretch over several lines: the lines are collected, then searched as one text."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from traindx.engine.facts import Place
from traindx.engine.kb.rules import SignatureRule

from .hits import Hits
from .ranks import prefix_of, worker_of
from .signatures import Signatures

MAX_WINDOWS = 50
"""Texts collected at a time."""

PlaceOf = Callable[[int, bytes], Place]
"""Gives the place of a line, by its number and the line itself."""


class _Window(NamedTuple):
    rule: SignatureRule
    lines: list[bytes]
    first: int
    """The number of the first of these lines in the file."""
    full: int
    """How many lines it is to have."""
    worker: bytes


class Windows:
    """The texts that are being collected."""

    def __init__(self, machines: Signatures, hits: Hits, place: PlaceOf) -> None:
        self._machines, self._hits, self._place = machines, hits, place
        self._windows: list[_Window] = []

    def __bool__(self) -> bool:
        return bool(self._windows)

    def open(self, rule: SignatureRule, lines: list[bytes], number: int) -> None:
        """Begin a text with the lines up to one that holds a literal of the signature; `number` is the last one's."""
        worker = worker_of(lines[-1])
        own = [line for line in lines if worker_of(line) == worker]
        if len(self._windows) < MAX_WINDOWS:
            self._windows.append(_Window(rule, own, number - len(own) + 1, len(own) + rule.lines - 1, worker))

    def fill(self, line: bytes) -> None:
        """Add the next line of the log to the texts of its process."""
        if not self._windows:
            return
        worker = worker_of(line)
        for window in self._windows:
            if window.worker == worker:
                window.lines.append(line)
        for window in [one for one in self._windows if len(one.lines) >= one.full]:
            self._windows.remove(window)
            self._search(window)

    def close(self) -> None:
        """The log is at its end: the texts end here."""
        for window in self._windows:
            self._search(window)
        self._windows = []

    def _search(self, window: _Window) -> None:
        texts = [line[prefix_of(line).end :].decode("utf-8", "replace").rstrip() for line in window.lines]
        match = self._machines.search(window.rule, "\n".join(texts))
        if match is not None:
            line = match.string[: match.start()].count("\n")
            self._hits.note(window.rule, match, self._place(window.first + line, window.lines[line]))
