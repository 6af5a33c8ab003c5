"""Finds the lines of a block in which a signature may stand, without looking at each line.

With the optional package `hyperscan` all literals are searched for at once; without it, each shape
of line is judged once. Both give every line that holds a literal of a signature.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
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
_START = 3
"""Characters by which literals are looked up."""
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
        self._literals = list[str]()
        """The literals of the database; after them come whole patterns."""
        self._noisy = frozenset[str]()
        """Literals that ordinary lines hold."""
        self._hits: Counter[int] = Counter()
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
            start = data.rfind(b"\n", 0, place - 1) + 1
            start = max(start, data.rfind(b"\r", start, place - 1) + 1)
            end = data.find(b"\n", place - 1) + 1 or len(data)
            end = data.find(b"\r", place - 1, end) + 1 or end
            yield data[start:end]

    def _learn_noise(self) -> None:
        """Search for the signatures whose literals ordinary lines hold by their whole patterns from now on."""
        often = (number for number, count in self._hits.items() if count >= NOISY * self._blocks)
        noisy = {self._literals[number] for number in often if number < len(self._literals)}
        if not noisy <= self._noisy:
            self._noisy |= noisy
            self._database = self._compiled()
        self._blocks, self._until = 0, 8 * self._until
        self._hits.clear()

    def _places(self, data: bytes) -> list[int]:
        """Where literals end, in order."""
        found = list[tuple[int, int]]()

        def note(number: int, start: int, end: int, flags: int, context: object) -> None:
            found.append((end, number))

        self._database.scan(data, match_event_handler=note)
        self._hits.update(number for _, number in found)
        return sorted({end for end, _ in found})

    def _compiled(self) -> Any:
        """A database of literals, and of the patterns of those signatures whose literals are noisy."""
        texts, patterns = set(RAISED), list[bytes]()
        for rule in self._machines.rules.values():
            words = {word.lower() for word in rule.words if word}
            pattern = None if words.isdisjoint(self._noisy) else self._whole(rule.pattern)
            if pattern is not None:
                patterns.append(pattern)
            else:
                texts |= words
        self._literals = telling(texts)
        expressions = [*map(_escaped, self._literals), *patterns]
        database = self._hyperscan.Database()
        plain = self._hyperscan.HS_FLAG_CASELESS
        database.compile(
            expressions=expressions,
            ids=list(range(len(expressions))),
            flags=[plain] * len(self._literals) + [self._loosely] * len(patterns),
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


def telling(texts: Iterable[str]) -> list[str]:
    """Without those that hold another: that one stands wherever they do. A third is left, searched twice as fast."""
    kept = list[str]()
    # By how they begin: a text is compared with the few that could stand at each of its places.
    by_start = dict[str, tuple[str, ...]]()
    sizes = set[int]()

    def holds_one(text: str) -> bool:
        starts = ((text[place : place + size], place) for size in sizes for place in range(len(text)))
        return any(text.startswith(by_start.get(start, ()), place) for start, place in starts)

    for text in sorted(texts, key=lambda text: (len(text), text)):
        if "\n" in text or not holds_one(text):
            kept.append(text)
            start = text[:_START]
            by_start[start] = (*by_start.get(start, ()), text)
            sizes.add(len(start))
    return kept


def _escaped(literal: str) -> bytes:
    return b"".join(b"\\x%02x" % byte for byte in literal.encode())
