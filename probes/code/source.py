"""A script or a notebook to one Python text, in which every line knows where the person finds it."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from traindx.engine.facts import Place
from traindx.engine.redact import excerpt
from traindx.engine.regex import regex

from ..inputs import Input
from ..text import Unreadable, read_text

MAX_CHARACTERS = 1 << 19
"""The largest script that is searched: ten thousand lines. Generated code may be larger, training scripts are not."""
MAX_LINE = 10_000
"""A longer line is data, and left out: a chain of so many operations would make the search quadratic."""
_SHOWN = 160
_WORD = regex(r"\w+")
_LONG_LINE = regex(rf"^.{{{MAX_LINE},}}$", re.MULTILINE)
_MAGIC = regex(r"^(\s*)(?:[%!]|\?\w)(?!=).*$", re.MULTILINE)
_MAGIC_HELP = regex(r"^\s*[\w.]+\?{1,2}\s*$", re.MULTILINE)
_OTHER_LANGUAGES = regex(
    r"\s*%%(?:bash|sh|script|html|latex|javascript|js|perl|ruby|R|cython|writefile|file|sql|svg)\b"
)


@dataclass(frozen=True)
class Source:
    """A Python text."""

    name: str
    """As shown to the person."""
    text: str
    cells: tuple[tuple[int, int], ...] = ()
    """In a notebook: the first line of each code cell in the text, and the cell's number from 1."""

    @cached_property
    def lines(self) -> list[str]:
        """The lines of the text."""
        return self.text.split("\n")

    def place(self, line: int) -> Place:
        """Where a line, counted from 0, stands for the person."""
        shown = excerpt(self.lines[line].strip(), _SHOWN) if line < len(self.lines) else ""
        for start, number in reversed(self.cells):
            if line >= start:
                return Place(f"{self.name} (cell {number})", line - start + 1, text=shown)
        return Place(self.name, line + 1, text=shown)


def vocabulary(text: str) -> str:
    """Every word of a text once, in lower case, one a line: what the fast scan looks in."""
    return "\n".join(set(_WORD.findall(text.lower())))


def read_source(given: Input) -> Source:
    """Read a script or a notebook.

    Raises Unreadable with the reason.
    """
    text = read_text(given).replace("\r\n", "\n").replace("\r", "\n").removeprefix("\ufeff")
    source = (
        _notebook(given.name, text) if _is_notebook(given.name, text) else Source(given.name, _plain(text))
    )
    if len(source.text) > MAX_CHARACTERS:
        raise Unreadable(f"{len(source.text) >> 10} KiB of code, more than a training script holds")
    return source


def _plain(text: str) -> str:
    """Code pasted from inside a function or a session loses its indentation or its prompts."""
    if text.lstrip().startswith(">>> "):
        text = re.sub(r"^\s*(?:>>>|\.\.\.) ?", "", text, flags=re.MULTILINE)
    if text[:1] in (" ", "\t", "\n"):
        text = textwrap.dedent(text.expandtabs(8))
    return _LONG_LINE.sub("pass", text) if len(text) > MAX_LINE else text


def _is_notebook(name: str, text: str) -> bool:
    return name.endswith(".ipynb") or (text.lstrip().startswith("{") and '"cell_type"' in text[:20_000])


def _notebook(name: str, text: str) -> Source:
    import json

    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"not a notebook: {error}") from None
    lines: list[str] = []
    cells: list[tuple[int, int]] = []
    for number, code in enumerate(_code_cells(content), 1):
        if not _OTHER_LANGUAGES.match(code):
            cells.append((len(lines), number))
            lines.extend(_without_magics(code).split("\n"))
    if not cells:
        raise Unreadable("a notebook without code cells")
    return Source(name, "\n".join(lines), tuple(cells))


def _code_cells(content: Any) -> Iterator[str]:
    """The texts of the code cells, in order; notebooks of format 3 keep them in worksheets."""
    if not isinstance(content, dict):
        return
    sheets = content.get("worksheets")
    groups = sheets if isinstance(sheets, list) else [content]
    for group in groups:
        cells = group.get("cells") if isinstance(group, dict) else None
        for cell in cells if isinstance(cells, list) else ():
            if isinstance(cell, dict) and cell.get("cell_type") == "code":
                code = cell.get("source", cell.get("input", ""))
                yield "".join(map(str, code)) if isinstance(code, list) else str(code)


def _without_magics(code: str) -> str:
    """Lines for the notebook and not for Python become `pass`, so that every line keeps its number."""
    return _MAGIC_HELP.sub("pass", _MAGIC.sub(r"\1pass", code))


__all__ = ["MAX_CHARACTERS", "Source", "Unreadable", "read_source", "vocabulary"]
