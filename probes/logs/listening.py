"""What lines say besides numbers: signatures, tracebacks, notes of a person, settings, packages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from traindx.engine.facts import Place
from traindx.engine.kb.knowledge import Knowledge
from traindx.engine.kb.rules import SignatureRule

from .blocks import Block
from .collected import Collected, shown
from .packages import Packages
from .positions import Positions
from .printed import Settings
from .prose import NOTE, Writing
from .ranks import Prefix, body_of, prefix_of, stamp_of, worker_of
from .series import Mark
from .signatures import Hits, Signatures
from .traceback import BARE, HEADER, Raised, Traceback
from .vocabulary import letters
from .windows import Windows

MAX_RAISED = 2000
MAX_SAID = 400
_OWN = frozenset((b"i", b"my", b"we", b"our"))
_RAISED = (b"traceback", b"error", b"exception", b"interrupt")
_CONTEXT = 20
"""Lines kept of the block before, for texts that stretch over several lines."""


class Said(NamedTuple):
    """Something a person wrote."""

    text: str
    place: Place


class Heard:
    """What was heard in one log."""

    def __init__(self) -> None:
        self.raised: list[Raised] = []
        self.said: list[Said] = []
        self.ranks: set[int] = set()
        self.tracebacks = 0
        self.first_traceback: Place | None = None
        self.machine = False
        self.last_progress = 0
        """The last line that showed the run going on."""


class Listener:
    """Listens to the lines of one log that the scan thinks worth it."""

    def __init__(
        self, name: str, knowledge: Knowledge, machines: Signatures, hits: Hits, facts: Collected
    ) -> None:
        self.name = name
        self.heard = Heard()
        self.settings = Settings(name, knowledge)
        self._packages = Packages(facts, self.place_at)
        self.machines, self._hits = machines, hits
        self._writing = Writing(knowledge)
        self._open: dict[bytes, Traceback] = {}
        self._windows = Windows(machines, hits, self.place_at)
        self._rules: dict[bytes, tuple[SignatureRule, ...]] = {}
        self._block = Block(b"", 1)
        self._before: list[bytes] = []
        self._positions: Positions | None = None

    def attach(self, positions: Positions) -> None:
        """Let places know their step."""
        self._positions = positions

    def literals(self) -> Iterable[tuple[str, str]]:
        """The words of lines that want to be heard, besides those of the signatures."""
        yield "traceback", "!trace"
        for word in ("error", "exception", "keyboardinterrupt"):
            yield word, "!raise"
        yield " note ", "!note"
        yield from ((word, "!settings") for word in self.settings.literals())
        yield from ((word, "!packages") for word in self._packages.literals())

    @property
    def in_message(self) -> bool:
        """Whether an exception was named, so that the next lines are its message or something new."""
        return any(one.raised is not None for one in self._open.values())

    def settle(self) -> None:
        """Something new begins: no message goes on."""
        for worker in [worker for worker, one in self._open.items() if one.raised is not None]:
            self._finish(worker)

    @property
    def busy(self) -> bool:
        """Whether something is in progress that needs the next lines."""
        return bool(self._open or self._windows or self.settings.open or self._packages.open)

    def begin_block(self, block: Block) -> None:
        """The lines from now on are of this block."""
        self._before = self._block.lines[-_CONTEXT:] if self._block.data else []
        self._block = block

    def place(self, index: int, line: bytes, rank: int | None = None) -> Place:
        """The place of a line of this block."""
        return self._place_of(self._block.number(index), line, index, rank)

    def place_at(self, number: int, line: bytes) -> Place:
        """The place of a line by its number."""
        return self._place_of(number, line)

    def _place_of(self, number: int, line: bytes, index: int | None = None, rank: int | None = None) -> Place:
        step = None
        if self._positions is not None and index is not None:
            bar, header = self._positions.before(index)
            step = self._positions.where(Mark(number, line, bar, header)).step
        whole = int(step) if step is not None and step.is_integer() else step
        return Place(self.name, number, step=whole, rank=rank, text=shown(line))

    # -- lines one by one

    def hear(self, index: int, line: bytes, prefix: Prefix, keys: set[str]) -> bool:
        """A new kind of line, or one that needs care each time. True where it is no carrier of numbers."""
        if prefix.rank is not None:
            self.heard.ranks.add(prefix.rank)
        self.heard.machine = True
        if ("!packages" in keys or self._packages.may_be(line)) and self._packages.hear(
            self._block.number(index), line
        ):
            return True
        if ("!settings" in keys or self.settings.may_begin(line)) and self.settings.hear(
            self._block.number(index), line, prefix.end
        ):
            return True
        return bool(keys & {"!trace", "!raise"}) and self._exception(index, line, prefix)

    def is_ordinary(self, line: bytes, keys: set[str], words: Sequence[bytes]) -> bool:
        """Whether nothing but signatures could be heard in a line, and in all that hold the same texts."""
        return (
            _OWN.isdisjoint(words)
            and not any(key[0] == "!" for key in keys)
            and not (self._packages.may_be(line) or self.settings.may_begin(line))
        )

    def is_written(self, index: int, line: bytes, keys: set[str], words: Sequence[bytes]) -> bool:
        """Whether a person wrote this line: a note, or someone speaking of himself. It is kept then."""
        if "!note" in keys and self._note(index, line):
            return True
        return not _OWN.isdisjoint(words) and self._spoken(index, line)

    def _spoken(self, index: int, line: bytes) -> bool:
        """A person speaks of himself in the middle of a log."""
        text = line.decode("utf-8", "replace").strip()
        if not self._writing.is_spoken(text):
            return False
        self.say(text, self.place_at(self._block.number(index), line))
        return True

    def _note(self, index: int, line: bytes) -> bool:
        found = NOTE.match(line.decode("utf-8", "replace").rstrip())
        if found is None:
            return False
        if found["text"]:
            self.say(found["text"], self.place_at(self._block.number(index), line))
        return True

    def say(self, text: str, place: Place) -> None:
        """A person wrote this."""
        if len(self.heard.said) < MAX_SAID:
            self.heard.said.append(Said(text, place))

    # -- signatures

    def signatures(self, index: int, line: bytes, words: Sequence[bytes]) -> tuple[SignatureRule, ...]:
        """The signatures that lines of this shape may hold; they are looked for in this one at once."""
        rules = self.machines.candidates(line, self.machines.vocabulary.hits(words))
        if rules:
            self.watch(rules, index, line)
        return rules

    def decided_by_digits(self, rules: Iterable[SignatureRule]) -> tuple[SignatureRule, ...]:
        """Those that may be found in one line of a shape and not in another."""
        return tuple(rule for rule in rules if self.machines.is_decided_by_digits(rule))

    def watch(self, rules: Iterable[SignatureRule], index: int, line: bytes) -> bool:
        """Look for signatures in a line, and say whether one may be there."""
        low = line.lower()
        rules = [rule for rule in rules if self.machines.holds(rule, low)]
        if not rules:
            return False
        found = False
        prefix = prefix_of(line)
        raw = line.decode("utf-8", "replace").rstrip()
        text = line[prefix.end :].decode("utf-8", "replace").rstrip() if prefix.end else raw
        for rule in rules:
            match = (
                self.machines.search(rule, text) or (prefix.end and self.machines.search(rule, raw)) or None
            )
            if match is not None:
                self._hits.note(rule, match, self.place(index, line, prefix.rank))
                found = True
            elif rule.lines > 1:
                self._windows.open(rule, self._context(index, rule.lines), self._block.number(index))
                found = True
        return found

    def is_news(self, rules: Iterable[SignatureRule], line: bytes) -> bool:
        """Whether one of these signatures, not found before, may stand in a line. Those found before are counted."""
        low = line.lower()
        return any(self.machines.holds(rule, low) and not self._counted(rule, line) for rule in rules)

    def is_new(self, line: bytes) -> bool:
        """The same for a line of a shape not seen before; what may be an exception counts as well."""
        if any(map(line.lower().__contains__, _RAISED)):
            return True
        return self.is_news(
            self.machines.candidates(line, self.machines.vocabulary.hits(letters(line))), line
        )

    def _counted(self, rule: SignatureRule, line: bytes) -> bool:
        """Whether a signature is known or not there."""
        text = line[prefix_of(line).end :].decode("utf-8", "replace").rstrip()
        if self.machines.search(rule, text) is None:
            return rule.lines == 1 or self._hits.has(rule)
        return self._hits.count(rule)

    def _context(self, index: int, count: int) -> list[bytes]:
        """The last lines of this process up to one of this block."""
        lines = self._block.lines[max(0, index + 1 - count) : index + 1]
        return ([*self._before, *lines] if index < count else lines)[-count:]

    # -- exceptions

    def _exception(self, index: int, line: bytes, prefix: Prefix) -> bool:
        """Begin a traceback, or note an exception that stands alone."""
        start = body_of(line, prefix.end)
        text = line[start:].decode("utf-8", "replace").rstrip()
        number, worker = self._block.number(index), worker_of(line)
        if HEADER.match(text):
            before = self._block.lines[index - 1] if index else b"".join(self._before[-1:])
            self._finish(worker)
            self.heard.tracebacks += 1
            if self.heard.first_traceback is None:
                self.heard.first_traceback = self.place(index, line, prefix.rank)
            if len(self.heard.raised) < MAX_RAISED:
                opened = Traceback(text, number, before[prefix_of(before).end :].decode("utf-8", "replace"))
                opened.stamped = start > prefix.end
                self._open[worker] = opened
            return True
        found = BARE.match(text.strip())
        if found is None:
            return False
        if len(self.heard.raised) < MAX_RAISED and worker not in self._open:
            opened = Traceback.bare(found, number, line)
            opened.stamped = start > prefix.end
            context = self._context(index, _CONTEXT)[:-1]
            opened.look_back(
                [one[prefix_of(one).end :].decode("utf-8", "replace").rstrip() for one in context]
            )
            self._open[worker] = opened
        return True

    def attend(self, index: int, line: bytes) -> bool:
        """The next line while something is in progress. True where it belongs to that and holds no numbers."""
        self._windows.fill(line)
        number = self._block.number(index)
        if self._packages.open and self._packages.attend(number, line):
            return True
        if self.settings.open and self.settings.attend(number, line):
            return True
        worker = worker_of(line)
        traceback = self._open.get(worker)
        if traceback is None:
            return False
        prefix = prefix_of(line)
        start = (
            prefix.end if line[prefix.end : prefix.end + 2] in (b"  ", b"\t") else body_of(line, prefix.end)
        )
        stamped = start > prefix.end
        if traceback.raised is not None and stamped and not traceback.stamped:
            self._finish(worker)
            return False
        if traceback.feed(line[start:].decode("utf-8", "replace"), number, line):
            self._known_signatures(index, line)
            return True
        self._finish(worker)
        return False

    def _known_signatures(self, index: int, line: bytes) -> None:
        key = line.strip()[:400]
        rules = self._rules.get(key)
        if rules is None:
            if len(self._rules) > 5000:
                self._rules.clear()
            rules = self._rules[key] = self.machines.candidates(
                line, self.machines.vocabulary.hits(letters(line))
            )
        if rules:
            self.watch(rules, index, line)

    def _finish(self, worker: bytes) -> None:
        traceback = self._open.pop(worker, None)
        raised = traceback.close() if traceback else None
        if raised is not None:
            prefix = prefix_of(raised.line)
            raised.worker, raised.rank = worker, prefix.rank
            raised.stamp = stamp_of(raised.line, prefix.end)
            self.heard.raised.append(raised)

    def close(self) -> None:
        """The log is at its end: what is still open ends here."""
        self._windows.close()
        for worker in list(self._open):
            self._finish(worker)
        self.settings.close()
