"""All that can be read from one line: a trainer's own format first, then a table's row, then `name: number`."""

from __future__ import annotations

import re
from collections.abc import Iterable

from traindx.engine.kb.knowledge import Knowledge

from .formats import Formats
from .numbers import is_row, read_row
from .ranks import is_of_launcher
from .reader import Reader
from .reading import PLACES, Reading
from .tables import Table, header_of
from .template import Template, learn, shapes_of

MAX_FORMS = 2000
_PAIR = frozenset(("done", "total"))
_DIGITS = 30
"""Of both numbers of a pair together: what has more is none."""


class Lines:
    """Reads single lines of one log; remembers its trainer and the header of its last table."""

    def __init__(self, knowledge: Knowledge) -> None:
        self._reader = Reader(knowledge)
        self.names = self._reader.names
        self.formats = Formats(knowledge, self.names)
        self.table: Table | None = None
        self.epochs = self.whole_epochs = False
        """Some line says the epoch; some line counts whole ones."""
        self.counted = False
        """Some line counts steps of training by name: what an agent does in its environments is another count."""
        self._forms: dict[bytes, Template | None] = {}
        self.counter: int | None = None
        """Some line counts two things, steps and the iterations of which they are made: the trust of the better counter."""
        self._known: tuple[int, Table | None, bool, int | None] = (0, None, False, None)
        """What the forms were learned with."""
        self._bars: dict[bytes, tuple[Template, int, int]] = {}
        """The forms of lines that pairs were asked of, by shape, and the groups of their pairs; 0 where they hold none."""

    def read(self, line: bytes, candidates: Iterable[str] = ()) -> Reading:
        """What a line says. `candidates` are the formats it may be of."""
        return self._read(line, [one.id for one in self.formats.recognise(line, candidates)])

    def placed(self, line: bytes, *, wanted: frozenset[str] | None = None) -> Reading:
        """The same for a line that was read before: its format is known by now, and often its form.

        Of its numbers only the `wanted` metrics need be read, where they are named; where the run is always is.
        """
        known = (len(self.formats.seen), self.table, self.counted, self.counter)
        if known != self._known or len(self._forms) > MAX_FORMS:
            self._known, self._forms, self._bars = known, {}, {}
        shape = shapes_of(line)[0]
        form = self._forms.get(shape)
        if form is not None and (match := form.fullmatch(line)):
            reading = _again(form, match, wanted)
            reading.settle(counted=self.counted, counter=self.counter)
            return reading
        reading = self._read(line, self.formats.seen)
        # A form is worth learning when it is seen again.
        again = shape in self._forms
        self._forms[shape] = learn(line, [*reading.at, *reading.values]) if again else None
        return reading

    def pair(self, line: bytes) -> tuple[int, int] | None:
        """How far, of how much, a line says that was read before: of what `placed` gives only this, several times as fast."""
        shape = shapes_of(line)[0]
        known = self._bars.get(shape)
        if known is not None and (match := known[0].fullmatch(line)):
            _, done, total = known
            if not done:
                return None
            if len(match[done]) + len(match[total]) <= _DIGITS:
                return int(match[done]), int(match[total])
        reading = self.placed(line, wanted=frozenset())
        if (form := self._forms.get(shape)) is not None:
            groups = {value.name.metric: group for group, value in enumerate(form.values, 1)}
            texts = [line[one.start : one.end] for one in reading.at if one.name.metric in _PAIR]
            if groups.keys().isdisjoint(_PAIR) and reading.pair is None:
                self._bars[shape] = form, 0, 0
            elif groups.keys() >= _PAIR and all(map(bytes.isdigit, texts)):
                self._bars[shape] = form, groups["done"], groups["total"]
        return reading.pair

    def _read(self, line: bytes, formats: Iterable[str]) -> Reading:
        if is_of_launcher(line):
            return Reading()
        reading = self.formats.read(line, formats)
        if reading is None and self.table is not None:
            reading = self.table.row(line, self.names)
        if reading is None:
            reading = read_row(line) if is_row(line) else self._reader.read(line)
        elif reading.places and not reading.values:
            # A format that only knows where the run is leaves the numbers to the general reader.
            reading.values = self._reader.read(line).values
        if reading.epoch is not None:
            self.epochs, self.whole_epochs = True, self.whole_epochs or reading.whole_epoch
        self.counted = self.counted or reading.named
        if reading.better:
            self.counter = reading.trust if self.counter is None else min(self.counter, reading.trust)
        reading.settle(counted=self.counted, counter=self.counter)
        return reading

    def header(self, line: bytes) -> bool:
        """Whether a line is the header of a table; the rows below are then read by it."""
        table = header_of(line, self.names)
        if table is None:
            return False
        self.table = table
        return True


def _again(form: Template, match: re.Match[bytes], wanted: frozenset[str] | None) -> Reading:
    """The reading of a line of a known form."""
    reading = Reading()
    for group, value in enumerate(form.values, 1):
        metric = value.name.metric
        if metric in PLACES:
            reading.take(metric, match[group].decode())
            reading.trust = value.name.trust if metric == "step" else reading.trust
        elif wanted is None or metric in wanted:
            start, end = match.span(group)
            reading.values.append(value._replace(start=start, end=end, words=(start, start)))
    return reading
