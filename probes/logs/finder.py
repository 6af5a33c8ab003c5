"""Finds the lines of a block in which a signature may stand, without looking at each line.

With the optional package `hyperscan` all literals are searched for at once; without it, each shape
of line is judged once. Both give every line that holds a literal of a signature.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, Protocol

from .signatures import Signatures
from .template import shapes_of
from .vocabulary import letters

RAISED = ("traceback (most recent call", "error:", "exception:", "keyboardinterrupt")
"""What lines hold in which an exception is shown, besides the signatures."""
MAX_SHAPES = 50_000
WARM = 32
"""Blocks after which literals that ordinary lines hold are searched for by their whole patterns."""
NOISY = 2
"""Hits a block from which on a literal counts as one of ordinary lines."""


class Finder(Protocol):
    """Gives the lines worth a look."""

    def lines(self, data: bytes) -> Iterator[bytes]:
        """The lines of a block that hold a literal, in order, each once."""
        ...


def make_finder(machines: Signatures) -> Finder:
    """The fastest finder that can be had here."""
    try:
        import hyperscan
    except ImportError:
        return ShapeFinder(machines)
    return FastFinder(machines, hyperscan)


class ShapeFinder:
    """Judges each shape of line once."""

    def __init__(self, machines: Signatures) -> None:
        self._machines = machines
        self._raised = [shapes_of(text.encode())[0] for text in RAISED]
        self._shapes: dict[bytes, bool] = {b"": False}

    def lines(self, data: bytes) -> Iterator[bytes]:
        """The lines of a block that may hold a literal, in order."""
        known = self._shapes
        if len(known) > MAX_SHAPES:
            known = self._shapes = {b"": False}
        lines: list[bytes] = []
        for index, shape in enumerate(shapes_of(data)):
            may = known.get(shape)
            if may is None:
                lines = lines or data.splitlines(keepends=True)
                may = known[shape] = self._may_hold(lines[index], shape.lower())
            if may:
                lines = lines or data.splitlines(keepends=True)
                yield lines[index]

    def _may_hold(self, line: bytes, shape: bytes) -> bool:
        if any(map(shape.__contains__, self._raised)):
            return True
        return bool(self._machines.candidates(line, self._machines.vocabulary.hits(letters(line))))


class FastFinder:
    """Searches for all literals at once."""

    def __init__(self, machines: Signatures, hyperscan: Any) -> None:
        self._machines, self._hyperscan = machines, hyperscan
        self._rules = list[str]()
        """The signature behind each expression of the database; empty for an exception."""
        self._hits: Counter[int] = Counter()
        self._blocks = 0
        self._database = self._compiled(frozenset())

    def lines(self, data: bytes) -> Iterator[bytes]:
        """The lines of a block that hold a literal, in order."""
        if self._blocks == WARM:
            noisy = (self._rules[number] for number, count in self._hits.items() if count >= NOISY * WARM)
            self._database = self._compiled(frozenset(noisy))
        self._blocks += 1
        end = 0
        for place in self._places(data):
            if place <= end:
                continue
            start = max(data.rfind(b"\n", 0, place - 1), data.rfind(b"\r", 0, place - 1)) + 1
            feed, back = data.find(b"\n", place - 1), data.find(b"\r", place - 1, end or None)
            end = min((one for one in (feed, back) if one >= 0), default=len(data)) + 1
            yield data[start:end]

    def _places(self, data: bytes) -> list[int]:
        """Where literals end, in order."""
        found = list[tuple[int, int]]()

        def note(number: int, start: int, end: int, flags: int, context: object) -> None:
            found.append((end, number))

        self._database.scan(data, match_event_handler=note)
        if self._blocks <= WARM:
            self._hits.update(number for _, number in found)
        return sorted({end for end, _ in found})

    def _compiled(self, noisy: frozenset[str]) -> Any:
        """A database of literals, and of the patterns of those signatures whose literals are noisy."""
        engine = self._hyperscan
        plain = engine.HS_FLAG_CASELESS
        entries = [(_escaped(text), plain, "") for text in RAISED]
        for rule in self._machines.rules.values():
            pattern = self._whole(rule.pattern) if rule.id in noisy else None
            if pattern is not None:
                flags = engine.HS_FLAG_PREFILTER | engine.HS_FLAG_MULTILINE | engine.HS_FLAG_ALLOWEMPTY
                entries.append((pattern, flags, rule.id))
            else:
                entries += [(_escaped(word), plain, rule.id) for word in rule.words if word]
        self._rules = [rule for _, _, rule in entries]
        database = engine.Database()
        database.compile(
            expressions=[expression for expression, _, _ in entries],
            ids=list(range(len(entries))),
            flags=[flags for _, flags, _ in entries],
        )
        return database

    def _whole(self, pattern: str) -> bytes | None:
        """A signature's pattern, if the engine knows all that is in it."""
        engine, expression = self._hyperscan, pattern.encode()
        try:
            engine.Database().compile(
                expressions=[expression],
                ids=[0],
                flags=[engine.HS_FLAG_PREFILTER | engine.HS_FLAG_ALLOWEMPTY],
            )
        except engine.error:
            return None
        return expression


def _escaped(literal: str) -> bytes:
    return b"".join(b"\\x%02x" % byte for byte in literal.encode())
