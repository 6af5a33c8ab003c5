"""All that can be read from one line: a trainer's own format first, then a table's row, then `name: number`."""

from __future__ import annotations

from collections.abc import Iterable

from traindx.engine.kb.knowledge import Knowledge

from .formats import Formats
from .reader import Reader, Reading
from .tables import Table, header_of


class Lines:
    """Reads single lines of one log; remembers its trainer and the header of its last table."""

    def __init__(self, knowledge: Knowledge) -> None:
        self._reader = Reader(knowledge)
        self.names = self._reader.names
        self.formats = Formats(knowledge, self.names)
        self.table: Table | None = None

    def read(self, line: bytes, candidates: Iterable[str] = ()) -> Reading:
        """What a line says. `candidates` are the formats it may be of."""
        return self._read(line, [one.id for one in self.formats.recognise(line, candidates)])

    def placed(self, line: bytes) -> Reading:
        """The same for a line that was read before: its format is known by now."""
        return self._read(line, self.formats.seen)

    def _read(self, line: bytes, formats: Iterable[str]) -> Reading:
        reading = self.formats.read(line, formats)
        if reading is None and self.table is not None:
            reading = self.table.row(line, self.names)
        return self._reader.read(line) if reading is None else reading

    def header(self, line: bytes) -> bool:
        """Whether a line is the header of a table; the rows below are then read by it."""
        table = header_of(line, self.names)
        if table is None:
            return False
        self.table = table
        return True
