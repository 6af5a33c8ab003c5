"""What the cells of a notebook printed, as a log beside its code: one for each cell, which names the cell."""

from __future__ import annotations

import json
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from .inputs import Input, Kind

MAX_SIZE = 64 << 20
"""Bytes of a notebook; a larger one is mostly pictures."""
MAX_CELLS = 100
"""Cells whose outputs are read, the last ones: a run that fails does so at its end."""


def outputs_of(path: Path, *, named: bool = True) -> list[Input]:
    """The outputs that are stored in a notebook; none where it cannot be read, which its code will say."""
    try:
        if path.stat().st_size > MAX_SIZE:
            return []
        cells = json.loads(path.read_bytes())["cells"]
        texts = {number: "".join(map(_text, cell.get("outputs") or ())) for number, cell in _code(cells)}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return []
    printed = [(number, text) for number, text in texts.items() if text.strip()]
    return [
        Input(
            f"{path} (cell {number})",
            Kind.LOG,
            data=text.encode("utf-8", "replace"),
            named=named,
            printed=True,
        )
        for number, text in printed[-MAX_CELLS:]
    ]


def _code(cells: Any) -> Iterator[tuple[int, Any]]:
    """The cells of code, counted as their code is: cells of text have no number, as in the notebook itself."""
    return enumerate((cell for cell in cells if cell.get("cell_type") == "code"), 1)


def _text(output: Any) -> str:
    """One output as text: what was printed, an error with its traceback, a table of numbers."""
    kind = output.get("output_type")
    if kind == "stream":
        return _joined(output.get("text"))
    if kind == "error":
        # The last frame of a traceback may be cut off, the error itself is given apart.
        traceback, said = (
            "\n".join(output.get("traceback") or ()),
            f"{output.get('ename')}: {output.get('evalue')}",
        )
        return f"{traceback}\n" if str(output.get("evalue")) in traceback else f"{traceback}\n{said}\n"
    data = output.get("data") or {}
    if html := _joined(data.get("text/html")):
        tables = _Tables()
        try:
            tables.feed(html)
        except AssertionError:  # what the parser says of declarations that it does not know
            tables.lines.clear()
        if tables.lines:
            return "\n".join(tables.lines) + "\n"
    plain = _joined(data.get("text/plain"))
    return f"{plain}\n" if plain and not plain.startswith("<IPython.") else ""


def _joined(text: Any) -> str:
    return text if isinstance(text, str) else "".join(text or ())


class _Tables(HTMLParser):
    """The rows of the tables in a page, one line each: so trainers show their losses in a notebook."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []
        self._row: list[list[str]] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "tr":
            self._row = []
        elif tag in ("td", "th") and self._row is not None:
            self._row.append([])

    def handle_data(self, data: str) -> None:
        if self._row:
            self._row[-1].append(data.strip())

    def handle_endtag(self, tag: str) -> None:
        if tag == "tr" and self._row is not None:
            cells = ["".join(one) for one in self._row]
            if any(cells):
                self.lines.append(" | ".join(cells))
            self._row = None
