"""One log from its first line to its last.

Each line is reduced to its shape: digits, spaces and the drawing of bars are left out. Most lines
of a log have one of a few hundred shapes. A new shape is read with care once, and leaves an action
behind for the lines that follow: nothing, a template that reads the numbers, or a look at what
signatures may be in it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from itertools import repeat
from operator import itemgetter
from typing import TYPE_CHECKING

from .actions import BAR, HEADER, NEW, Action, Careful, Shapes
from .blocks import Block
from .lines import Lines
from .listening import Listener
from .metrics import Metrics, kept
from .positions import Positions
from .ranks import Prefix, is_labelled, prefix_of
from .reading import Reading
from .series import Store
from .template import Template, shapes_of
from .vocabulary import Vocabulary, letters
from .watch import Watch

if TYPE_CHECKING:
    from traindx.engine.kb.knowledge import Knowledge
    from traindx.engine.kb.rules import SignatureRule

MAX_SHAPES = 50_000
"""Shapes remembered; of a log whose every line is new, those that say nothing are forgotten."""
MAX_TEMPLATES = 4
"""Templates of one shape; a line that fits none is read with care each time."""

_SPEEDS = frozenset(("steps_per_second", "seconds_per_step"))


def _formats(keys: set[str]) -> list[str]:
    """The log formats among the keys of a line's words."""
    return [key[1:] for key in keys if key.startswith("=")]


def _is_plain_bar(reading: Reading) -> bool:
    """Whether a line says only how far the run is and how fast: its speed is read from a sample at the end."""
    return reading.pair is not None and all(
        value.name.metric in _SPEEDS and "n " in value.name.printed for value in reading.values
    )


class Scan:
    """Reads the blocks of one log."""

    def __init__(self, knowledge: Knowledge, listener: Listener) -> None:
        self.lines = Lines(knowledge)
        self.positions = Positions(self.lines)
        self.store = Store()
        self.metrics = Metrics(self.store, self.positions)
        self.listener = listener
        self._shapes = Shapes({b"": None})
        self._vocabulary = Vocabulary(self._literals(knowledge))
        self._labelled: bool | None = None
        self._block = Block(b"", 1)
        listener.attach(self.positions)

    def _literals(self, knowledge: Knowledge) -> list[tuple[str, str]]:
        entries = list(self.lines.names.tokens())
        entries += [(word, f"={one.id}") for one in knowledge.log_formats.values() for word in one.words]
        return [*entries, *self.listener.literals()]

    def feed(self, block: Block) -> None:
        """Read the next block."""
        if self._labelled is None:
            self._labelled = is_labelled(block.lines[:400])
        self._block = block
        self.listener.begin_block(block)
        fast, slow = self._sorted(map(self._shapes.__getitem__, shapes_of(block.data)))
        taken = self._work(block, slow) if slow or self.listener.busy else set()
        for template, indices in fast.items():
            self._read_all(template, [index for index in indices if index not in taken] if taken else indices)
        self.metrics.end_block(block)
        self.positions.end_block(block)
        if len(self._shapes) > MAX_SHAPES:
            told = ((shape, action) for shape, action in self._shapes.items() if action is not None)
            self._shapes = Shapes(told)
            self._shapes[b""] = None

    def _sorted(
        self, actions: Iterable[Action]
    ) -> tuple[dict[Template, list[int]], list[tuple[int, Action]]]:
        """The lines of a block that templates read, and those to look at one by one, by index."""
        groups: defaultdict[Action, list[int]] = defaultdict(list)
        for index, action in enumerate(actions):
            if action is not None:
                groups[action].append(index)
        bars, headers = groups.pop(BAR, []), groups.pop(HEADER, [])
        fast, slow = dict[Template, list[int]](), list[tuple[int, Action]]()
        for action, indices in groups.items():
            if isinstance(action, Template):
                fast[action] = indices
                if action.places:
                    bars += indices
            else:
                slow += zip(indices, repeat(action))
        slow.sort(key=itemgetter(0))
        self.positions.begin_block(bars, headers)
        return fast, slow

    def is_news(self, line: bytes) -> bool:
        """Whether a line may say what was not seen before: its shape is new, or it holds a new signature."""
        action = self._shapes[shapes_of(line)[0]]
        watch = action.watch if isinstance(action, Template) else action
        if isinstance(watch, Watch):
            return self.listener.is_news(watch.rules, line)
        return action is NEW or isinstance(action, Careful)

    def close(self) -> None:
        """The log is at its end."""
        self.listener.close()

    def _work(self, block: Block, slow: list[tuple[int, Action]]) -> set[int]:
        """Look at lines one by one. Gives the indices of those seen on the way, whatever their shape."""
        lines, listener = block.lines, self.listener
        taken = set[int]()
        after = self._attend(block, 0) if listener.busy else 0
        taken.update(range(after))
        for index, action in slow:
            if index < after:
                continue
            self._act(action, index, lines[index])
            if listener.busy:
                after = self._attend(block, index + 1)
                taken.update(range(index, after))
        return taken

    def _read_all(self, template: Template, indices: list[int]) -> None:
        """Read lines of one shape at once."""
        lines = self._block.lines
        columns = template.columns([lines[index] for index in indices]) if indices else []
        if columns is None:
            for index in indices:
                self._template(template, index, lines[index])
        elif columns:
            self.metrics.take(template, indices, columns)
            if template.watch is not None and template.watch.rules:
                for index in indices:
                    self._watch(template.watch, index, lines[index])

    def _attend(self, block: Block, start: int) -> int:
        """Hand lines over one by one while something is in progress, such as a traceback. Gives where it ended."""
        lines, listener = block.lines, self.listener
        for index in range(start, len(lines)):
            line = lines[index]
            action = self._shapes[shapes_of(line)[0]]
            if listener.in_message and self._is_numeric(action, line):
                listener.settle()
            if not listener.attend(index, line):
                self._act(action, index, line)
            elif b"tep" in line or b"poch" in line:
                self._learn_totals(line)
            if not listener.busy:
                return index + 1
        return len(lines)

    def _learn_totals(self, line: bytes) -> None:
        """Settings hold no curves, but they may say how long the run is meant to be."""
        keys = self._vocabulary.hits(letters(line))
        self.positions.learn(self.lines.read(line, _formats(keys)))

    def _is_numeric(self, action: Action, line: bytes) -> bool:
        """Whether a line after an exception is no part of its message: the run goes on."""
        if action is NEW:
            return bool(self.lines.read(line).values)
        return isinstance(action, Template) or action is BAR

    def _act(self, action: Action, index: int, line: bytes) -> None:
        """Do what the shape of a line asks for."""
        if action is BAR:
            self.positions.bar(index)
        elif action is HEADER:
            self.positions.header(index)
        elif isinstance(action, Watch):
            self._watch(action, index, line)
        elif isinstance(action, Template):
            self._template(action, index, line)
            if action.places:
                self.positions.bar(index)
        elif action is not None:
            self._first(action, index, line)

    def _fits(self, template: Template, index: int, line: bytes) -> bool:
        match = template.fullmatch(line)
        if match is not None:
            self.metrics.take(template, [index], [[text] for text in match.groups()])
        return match is not None

    def _template(self, template: Template, index: int, line: bytes) -> None:
        """Read a line by the templates of its shape, or with care where none fits."""
        if not any(self._fits(one, index, line) for one in (template, *template.others)):
            self._relearn(template, index, line)
        if template.watch is not None:
            self._watch(template.watch, index, line)

    def _watch(self, watch: Watch, index: int, line: bytes) -> None:
        """Look for signatures; of those never found in this shape, only the ones that digits decide stay."""
        if watch.rules and not self.listener.watch(watch.rules, index, line):
            watch.left -= 1
            if not watch.left:
                watch.rules = self.listener.decided_by_digits(watch.rules)

    def _relearn(self, template: Template, index: int, line: bytes) -> None:
        prefix = prefix_of(line, labelled=bool(self._labelled))
        reading = self.lines.read(line)
        values = kept(reading)
        self.metrics.add(index, line, values, prefix.rank)
        other = self.metrics.learn(line, values, prefix) if len(template.others) < MAX_TEMPLATES else None
        if other is not None:
            template.others.append(other)

    def _first(self, action: Action, index: int, line: bytes) -> None:
        """Read a line with care, and leave behind what to do with the next of its shape."""
        shape = shapes_of(line)[0]
        if action is NEW and (known := self._shapes[shape]) is not NEW:
            # A line before it in the same block was the first.
            self._act(known, index, line)
            return
        self._shapes[shape] = self._read(action, index, line)
        if isinstance(action, Careful):
            action.left -= 1
            if action.left <= 0:
                self._shapes[shape] = None

    def _read(self, action: Action, index: int, line: bytes) -> Action:
        stripped = line.strip()
        if not stripped:
            return None
        words = letters(line)
        keys = self._vocabulary.hits(words)
        if self.listener.is_written(index, line, keys, words):
            return action if isinstance(action, Careful) else Careful()
        prefix = prefix_of(line, labelled=bool(self._labelled))
        rules = self.listener.signatures(index, line, words)
        if self.listener.hear(index, line, prefix, keys):
            if self.listener.settings.open:
                self._learn_totals(line)
            return action if isinstance(action, Careful) else Careful()
        reading = self._numbers(line, keys, words)
        if reading is None:
            return Watch(rules) if rules else None
        return self._numbered(reading, index, line, prefix, rules, action)

    def _numbers(self, line: bytes, keys: set[str], words: list[bytes]) -> Reading | None:
        low = line.lower()
        formats = [name for name in _formats(keys) if self.lines.formats.may_be(low, name)]
        table = self.lines.table is not None
        if not (table or formats or b"%|" in line or self.lines.names.may_be_in(low, words, keys)):
            return None
        reading = self.lines.read(line, formats)
        if not reading.values and not reading.places and self.lines.header(line):
            return None
        self.positions.learn(reading)
        return reading if reading.values or reading.places else None

    def _numbered(
        self,
        reading: Reading,
        index: int,
        line: bytes,
        prefix: Prefix,
        rules: tuple[SignatureRule, ...],
        action: Action,
    ) -> Action:
        values = kept(reading)
        step = reading.step is not None or reading.pair is not None
        if _is_plain_bar(reading) and not rules:
            self.positions.bar(index)
            return BAR
        if values:
            self.metrics.add(index, line, values, prefix.rank)
            template = self.metrics.learn(line, values, prefix)
            if step:
                self.positions.bar(index)
            if template is None:
                return action if isinstance(action, Careful) else Careful()
            template.places, template.watch = step, Watch(rules) if rules else None
            return template
        if step:
            self.positions.bar(index)
        else:
            self.positions.header(index)
        if rules:
            return Careful()
        return BAR if step else HEADER
