"""One log from its first line to its last.

Each line is reduced to its shape: digits, spaces and the drawing of bars are left out. Most lines
of a log have one of a few hundred shapes. A new shape is read with care once, and leaves an action
behind for the lines that follow: nothing, a template that reads the numbers, or a look at what
signatures may be in it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .actions import BAR, HEADER, NEW, Action, Careful, Shapes
from .blocks import Block
from .first_sight import FirstSight
from .lines import Lines
from .listening import Listener
from .metrics import Metrics
from .positions import Positions
from .ranks import is_labelled, relabelled
from .store import Store
from .template import Template, shapes_of
from .watch import Watch

if TYPE_CHECKING:
    from traindx.engine.kb.knowledge import Knowledge

MAX_SHAPES = 50_000
"""Shapes remembered; of a log whose every line is new, those that say nothing are forgotten."""


class Scan:
    """Reads the blocks of one log."""

    def __init__(self, knowledge: Knowledge, listener: Listener) -> None:
        self.lines = Lines(knowledge)
        self.positions, self.store = Positions(self.lines), Store()
        self.metrics = Metrics(self.store, self.positions)
        self.listener = listener
        self._shapes = Shapes([(b"", None)])
        self._first_sight = FirstSight(knowledge, self.lines, self.positions, self.metrics, listener)
        self._begun, self._block = False, Block(b"", 1)
        self._labelled = False
        """Lines begin with the number of their process."""
        listener.page.attach(self.positions)

    def feed(self, block: Block) -> None:
        """Read the next block."""
        if not self._begun:
            self._begun, self._labelled = True, is_labelled(block.lines[:400])
            # Most shapes are in the first lines: what they teach already helps with the rest of the block.
            for part in block.parts(50, 250):
                self.feed(part)
            return
        if self._labelled:
            block = Block(relabelled(block.data), block.first)
        self._block = block
        self.listener.page.turn(block)
        bars, headers, fast, slow = self._shapes.sort(shapes_of(block.data))
        for template, indices in fast.items():
            if template.places:
                bars += indices
        self.positions.begin_block(block, bars, headers)
        taken = self._work(block, slow) if slow or self.listener.busy else set()
        for template, indices in fast.items():
            self._read_all(template, [index for index in indices if index not in taken] if taken else indices)
        self.metrics.end_block()
        self.positions.end_block()
        if len(self._shapes) > MAX_SHAPES:
            self._shapes = Shapes(
                (shape, action) for shape, action in self._shapes.items() if action is not None
            )
            self._shapes[b""] = None

    def is_news(self, line: bytes) -> bool:
        """Whether a line may say what was not seen before: its shape is new, or it holds a new signature."""
        action = self._shapes[shapes_of(line)[0]]
        watch = action.watch if isinstance(action, Template) else action
        if isinstance(watch, Watch):
            self.listener.sightings.count(watch.sure, 1)
            return self.listener.sightings.is_news(watch.rules, line)
        return (action is NEW and self.listener.sightings.is_new(line)) or isinstance(action, Careful)

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
            if template.watch is not None:
                template.watch.look_at_all(self.listener.sightings, indices, lines)

    def _attend(self, block: Block, start: int) -> int:
        """Hand lines over one by one while something is in progress, such as a traceback. Gives where it ended."""
        lines, listener = block.lines, self.listener
        for index in range(start, len(lines)):
            line = lines[index]
            action = self._shapes[shapes_of(line)[0]]
            if listener.raising.in_message and self._is_numeric(action, line):
                listener.raising.settle()
            if not listener.attend(index, line):
                self._act(action, index, line)
            elif b"tep" in line or b"poch" in line:
                self._first_sight.learn_totals(line)
            if not listener.busy:
                return index + 1
        return len(lines)

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
            action.look(self.listener.sightings, index, line)
            if not (action.rules or action.sure):
                self._shapes[shapes_of(line)[0]] = None
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
            self._first_sight.relearn(template, index, line)
        if template.watch is not None:
            template.watch.look(self.listener.sightings, index, line)

    def _first(self, action: Action, index: int, line: bytes) -> None:
        """Read a line with care, and leave behind what to do with the next of its shape."""
        shape = shapes_of(line)[0]
        if action is NEW and (known := self._shapes[shape]) is not NEW:
            # A line before it in the same block was the first.
            self._act(known, index, line)
            return
        self._shapes[shape] = self._first_sight.read(action, index, line)
        if isinstance(action, Careful):
            action.left -= 1
            if action.left <= 0:
                self._shapes[shape] = None
