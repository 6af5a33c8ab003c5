"""Finds the lines of a block in which a signature may stand, without looking at each line.

With the optional package `hyperscan` all literals are searched for at once; without it, each shape
of line is judged once. Both give every line that holds a literal of a signature.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, Protocol

from traindx.engine.regex import regex

from .signatures import Signatures
from .template import shapes_of
from .vocabulary import letters

RAISED = ("traceback (most recent call", "error:", "exception:", "keyboardinterrupt")
"""What lines hold in which an exception is shown, besides the signatures."""
MAX_SHAPES = 50_000
WARM = 8
"""Blocks after which literals that ordinary lines hold are searched for by their whole patterns; again after 8 times as many."""
NOISY = 2
"""Hits a block from which on a signature's literals count as those of ordinary lines."""
_REPEATED = regex(r"(?<!\\)\{(\d*)(?:,\d*)?\}")
_BRACE_IN_CLASS = regex(r"(?<!\\)\[[^\]]*\{")


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
        self._noisy = frozenset[str]()
        self._hits: Counter[str] = Counter()
        self._blocks, self._until = 0, WARM
        self._database = self._compiled()

    def lines(self, data: bytes) -> Iterator[bytes]:
        """The lines of a block that hold a literal, in order."""
        if self._blocks == self._until:
            self._learn_noise()
        self._blocks += 1
        end = 0
        for place in self._places(data):
            if place <= end:
                continue
            start = max(data.rfind(b"\n", 0, place - 1), data.rfind(b"\r", 0, place - 1)) + 1
            feed, back = data.find(b"\n", place - 1), data.find(b"\r", place - 1, end or None)
            end = min((one for one in (feed, back) if one >= 0), default=len(data)) + 1
            yield data[start:end]

    def _learn_noise(self) -> None:
        """Search for the signatures whose literals ordinary lines hold by their whole patterns from now on."""
        self._until *= 8
        noisy = {rule for rule, count in self._hits.items() if rule and count >= NOISY * self._blocks}
        if not noisy <= self._noisy:
            self._noisy |= noisy
            self._database = self._compiled()

    def _places(self, data: bytes) -> list[int]:
        """Where literals end, in order."""
        found = list[tuple[int, int]]()

        def note(number: int, start: int, end: int, flags: int, context: object) -> None:
            found.append((end, number))

        self._database.scan(data, match_event_handler=note)
        self._hits.update(self._rules[number] for _, number in found)
        return sorted({end for end, _ in found})

    def _compiled(self) -> Any:
        """A database of literals, and of the patterns of those signatures whose literals are noisy."""
        engine = self._hyperscan
        plain = engine.HS_FLAG_CASELESS
        entries = [(_escaped(text), plain, "") for text in RAISED]
        for rule in self._machines.rules.values():
            pattern = self._whole(rule.pattern) if rule.id in self._noisy else None
            if pattern is not None:
                entries.append((pattern, self._loosely, rule.id))
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

    @property
    def _loosely(self) -> int:
        engine = self._hyperscan
        return int(engine.HS_FLAG_PREFILTER | engine.HS_FLAG_MULTILINE | engine.HS_FLAG_ALLOWEMPTY)

    def _whole(self, pattern: str) -> bytes | None:
        """A signature's pattern, if the engine knows all that is in it.

        Counted repeats, which take the engine long to prepare, may be of any number: what it finds is looked at again.
        """
        if not _BRACE_IN_CLASS.search(pattern):
            pattern = _REPEATED.sub(lambda found: "+" if found[1].strip("0") else "*", pattern)
        engine, expression = self._hyperscan, pattern.encode()
        try:
            engine.Database().compile(expressions=[expression], ids=[0], flags=[self._loosely])
        except engine.error:
            return None
        return expression


def _escaped(literal: str) -> bytes:
    return b"".join(b"\\x%02x" % byte for byte in literal.encode())
