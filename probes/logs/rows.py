"""Files of rows: JSON lines, CSV, trainer_state.json. What a file is, its content says and not its name."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from traindx.engine.regex import regex

from .blocks import Block
from .quantities import number

MAX_COLUMNS = 400
MAX_RECORD = 1 << 18
"""Characters of one JSON object; a larger one is no row of metrics."""
_HISTORY = regex(r'"log_history"\s*:\s*\[')

Row = tuple[int, Mapping[str, Any]]
"""The number of a line, and the values in it by name."""


class NoRecords(ValueError):
    """A file that is not rows of metrics. The message says what it is instead."""


def numeric(value: Any) -> float | None:
    """A cell as a number; None where it is none."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int | float):
        return float(value) if not abs(value) >= 1e300 else math.inf
    if isinstance(value, str) and 0 < len(value) < 40:
        done, _, total = value.partition("/")
        try:
            return number(done.strip() if total.strip().isdigit() else value.strip())
        except ValueError:
            return None
    return None


def rows_of(blocks: Iterable[Block]) -> Iterator[Row]:
    """The rows of a file, whatever it is.

    Raises NoRecords where it holds none, Unreadable where it cannot be read.
    """
    iterator = iter(blocks)
    first = next(iterator, None)
    start = first.data.lstrip()[:4096] if first else b""
    if first is None or not start:
        raise NoRecords("empty")
    every = _chained(first, iterator)
    if _HISTORY.search(first.data.decode("utf-8", "replace")) and not re.match(
        rb"\{[^\n]*\}\s*\n\s*\{", start
    ):
        return _history(every)
    if start.startswith(b"{"):
        return _json_lines(every)
    if start.startswith(b"["):
        return _json_array(every)
    if b"," in start.partition(b"\n")[0] or b"\t" in start.partition(b"\n")[0]:
        return _table(every)
    raise NoRecords("neither JSON lines nor a table")


def _chained(first: Block, rest: Iterator[Block]) -> Iterator[Block]:
    yield first
    yield from rest


def _lines(blocks: Iterator[Block]) -> Iterator[tuple[int, str]]:
    for block in blocks:
        number_of = block.number
        for index, line in enumerate(block.lines):
            yield (
                number_of(index) if index % 512 == 0 or b"\r" in block.data else block.first + index,
                line.decode("utf-8", "replace"),
            )


def _json_lines(blocks: Iterator[Block]) -> Iterator[Row]:
    read, odd, text, start = 0, 0, "", 0
    for line_number, line in _lines(blocks):
        stripped = line.strip().rstrip(",")
        if not stripped and not text:
            continue
        # An object over several lines is collected until it parses.
        text, start = (text + "\n" + stripped, start) if text else (stripped, line_number)
        value = _parsed(text)
        if isinstance(value, dict):
            yield start, _flat(value)
            read, text = read + 1, ""
        elif value is not None or len(text) > MAX_RECORD or (stripped.startswith("{") and text != stripped):
            odd, text = odd + 1, stripped if stripped.startswith("{") and text != stripped else ""
    if not read:
        raise NoRecords("JSON without rows of metrics")


def _flat(row: Mapping[str, Any], depth: int = 2) -> Mapping[str, Any]:
    """A row with the numbers that stand together in a part of it: `{"metrics": {"loss": 0.3}}`."""
    if not depth or not any(isinstance(value, dict) for value in row.values()):
        return row
    flat = dict[str, Any]()
    for name, value in row.items():
        inner = _flat(value, depth - 1) if isinstance(value, dict) else None
        flat |= {name: value} if inner is None else {f"{name}/{key}": one for key, one in inner.items()}
    return flat


def _parsed(text: str) -> Any:
    if not text.endswith("}") and not text.endswith("]"):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _history(blocks: Iterator[Block]) -> Iterator[Row]:
    """The entries of `log_history` in a trainer_state.json, without holding the file in memory."""
    return _objects(blocks, _HISTORY)


def _json_array(blocks: Iterator[Block]) -> Iterator[Row]:
    return _objects(blocks, re.compile(r"\["))


def _objects(blocks: Iterator[Block], opening: re.Pattern[str]) -> Iterator[Row]:
    decoder = json.JSONDecoder()
    text, line, begun, read = "", 1, False, 0
    for block in blocks:
        text += block.data.decode("utf-8", "replace")
        if not begun:
            found = opening.search(text)
            if found is None:
                text = text[-100:]
                continue
            line += text.count("\n", 0, found.end())
            text, begun = text[found.end() :], True
        place = 0
        while True:
            place = _skip(text, place)
            if place >= len(text) or text[place] != "{":
                break
            try:
                value, end = decoder.raw_decode(text, place)
            except (ValueError, RecursionError):
                break
            if isinstance(value, dict):
                yield line + text.count("\n", 0, place), value
                read += 1
            place = end
        line += text.count("\n", 0, place)
        text = text[place:]
        if text.startswith("]") or len(text) > MAX_RECORD:
            break
    if not read:
        raise NoRecords("JSON without rows of metrics")


def _skip(text: str, place: int) -> int:
    while place < len(text) and text[place] in " \t\r\n,":
        place += 1
    return place


def _table(blocks: Iterator[Block]) -> Iterator[Row]:
    """Rows under a header; a new header in the middle replaces the columns."""
    import csv

    columns: list[str] = []
    delimiter, read = ",", 0
    for line_number, line in _lines(blocks):
        if not columns:
            delimiter = "\t" if "\t" in line else ","
        try:
            cells = [cell.strip() for cell in next(csv.reader([line], delimiter=delimiter), [])]
        except csv.Error:
            continue
        if not any(cells):
            continue
        if not columns or (
            cells != columns and not any(numeric(cell) is not None for cell in cells) and len(cells) > 1
        ):
            columns = cells[:MAX_COLUMNS]
            continue
        yield line_number, {name: cell for name, cell in zip(columns, cells, strict=False) if name and cell}
        read += 1
    if not read:
        raise NoRecords("a table without rows")
