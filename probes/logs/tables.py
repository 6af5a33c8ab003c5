"""Tables: a header that names the columns, and rows of numbers below it."""

from __future__ import annotations

import re
from typing import NamedTuple

from traindx.engine.regex import regex

from .names import POSITIONS, Name, Names
from .quantities import factor
from .reading import Reading, Value

MAX_COLUMNS = 64
_CELL = regex(rb"[^\s|]+")
_WIDE_CELL = regex(rb"[^\s|]+(?: [^\s|]+)*")
_COMMA_CELL = regex(rb"[^,\r\n]*")
_NUMBER = regex(rb"([-+]?(?:\d[\d.]*(?:[eE][-+]?\d+)?|\.\d+|nan|inf|NaN|Inf))([A-Za-z%]*)")
_LIST = regex(rb"\[[-+.\deE, naif]{1,400}\]")
_WHOLE = regex(rb"(\d+)(?:/(\d+))?")
_BAR = regex(
    rb"%(?:\||\s*[\x80-\xff])[^\d\r]*(?P<done>\d+)/(?P<total>\d+)(?:[^\r]*?[\s,](?P<rate>\d+\.?\d*)(?P<unit>it/s|s/it))?"
)
"""A progress bar in the last cell, as `62%|██  | 72/115 [00:12<00:07, 6.51it/s]`."""
_THIN, _THICK = "\N{BOX DRAWINGS LIGHT VERTICAL}".encode(), "\N{BOX DRAWINGS HEAVY VERTICAL}".encode()
_ALPHA = regex(rb"[A-Za-z]")
_OF_CLASSES = frozenset((b"class", b"classes", b"category", b"categories"))


class Table(NamedTuple):
    """The columns of a table, by number."""

    columns: tuple[tuple[int, Name], ...]
    width: int
    """How many columns there are."""
    cells: re.Pattern[bytes]

    def row(self, line: bytes, names: Names) -> Reading | None:
        """The numbers of a row, or None where the line is no row of this table."""
        line = _with_bars(line)
        spans = _spans(self.cells, line)
        # A progress bar may follow in the last cell.
        if len(spans) < self.width or (len(spans) > self.width and b"%" not in line):
            return None
        reading = Reading()
        for column, name in self.columns:
            start, end = spans[column]
            if not _take(reading, name, line, start, end, names):
                return None
        if len(spans) > self.width and reading.values:
            _take_bar(reading, line, spans[self.width - 1][0], names)
        return reading if reading.values else None


def header_of(line: bytes, names: Names) -> Table | None:
    """The table that a line is the header of, or None.

    Two of its cells must name something we know, and one of them a curve.
    """
    line = _with_bars(line)
    cells = _cells_of(line)
    spans = _spans(cells, line)
    texts = [line[start:end] for start, end in spans]
    if not 2 <= len(spans) <= MAX_COLUMNS or not all(
        _ALPHA.search(text) and len(text) < 40 for text in texts
    ):
        return None
    if any(text.strip().lower() in _OF_CLASSES for text in texts):
        return None  # its rows are those of single classes
    found = [names.find(text.decode("latin-1")) for text in texts]
    columns = tuple((index, name) for index, name in enumerate(found) if name is not None)
    curves = [name for _, name in columns if name.metric not in POSITIONS]
    if (
        len(columns) < 2
        or not curves
        or (cells is _CELL and len(columns) * 2 < len(spans) and b"  " not in line.strip())
    ):
        return None
    return Table(columns, len(spans), cells)


def _with_bars(line: bytes) -> bytes:
    """A line in which the strokes that a table is drawn with are plain ones, at the same places."""
    return line.replace(_THIN, b" | ").replace(_THICK, b" | ") if b"\xe2\x94" in line else line


def _cells_of(line: bytes) -> re.Pattern[bytes]:
    """How the cells of a header are told apart: by commas, by wide gaps where a cell holds a space, else by spaces."""
    if b"," in line:
        return _COMMA_CELL
    wide = _WIDE_CELL.findall(line)
    return _WIDE_CELL if len(wide) > 1 and any(b" " in cell for cell in wide) else _CELL


def _spans(cells: re.Pattern[bytes], line: bytes) -> list[tuple[int, int]]:
    if cells is _COMMA_CELL:
        spans, start = [], 0
        for part in line.rstrip(b"\r\n").split(b","):
            spans.append((start, start + len(part)))
            start += len(part) + 1
        return spans
    return [found.span() for found in cells.finditer(line)][: MAX_COLUMNS + 1]


def _take_bar(reading: Reading, line: bytes, start: int, names: Names) -> None:
    """Take in how far the bar behind a row is, and how fast."""
    bar = _BAR.search(line, start)
    if bar is None:
        return
    for kind in ("done", "total"):
        reading.place(kind, bar[kind].decode(), bar.start(kind))
    name = names.find(f"n {bar['unit'].decode()}") if bar["unit"] else None
    if name is not None:
        reading.values.append(Value(name, *bar.span("rate"), words=(bar.start("rate"), bar.start("rate"))))


def _take(reading: Reading, name: Name, line: bytes, start: int, end: int, names: Names) -> bool:
    """Take one cell in. False where it is no number; an empty cell is left out."""
    text = line[start:end].strip()
    if not text:
        return True
    if name.metric in ("epoch", "step", "env_step"):
        whole = _WHOLE.fullmatch(text)
        if whole is None:
            return False
        reading.place(name.metric, whole[1].decode(), line.index(text, start))
        return True
    if _LIST.fullmatch(text):
        # The terms of a loss, whose mean is read: it is their sum.
        if name.metric in ("loss", "eval_loss"):
            offset, terms = line.index(text, start), text.count(b",") + 1
            reading.values.append(
                Value(name, offset, offset + len(text), float(terms), words=(offset, offset))
            )
        return True
    found = _NUMBER.fullmatch(text)
    if found is None:
        return text.lower() in (b"no log", b"-", b"n/a", b"none")
    wanted = names.unit(name.metric)
    scale = factor(found[2].decode(), wanted) if found[2] else 1.0
    offset = line.index(text, start)
    if scale is not None:
        bare = wanted == "GiB" and not found[2]
        reading.values.append(Value(name, offset, offset + len(found[1]), scale, bare, (offset, offset)))
    return True
