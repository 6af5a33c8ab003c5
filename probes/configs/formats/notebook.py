"""Jupyter notebooks: the code of all cells as one Python text, and the lines that start with `!` as a script."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from ..document import Entry, Part, Problem, Reading
from . import json_file

_SHELL_CELLS = ("%%bash", "%%sh", "%%shell", "%%script")


@dataclass(slots=True)
class _Text:
    """A text put together from the strings of a notebook, with the place of each character."""

    pieces: list[str] = field(default_factory=list)
    offsets: list[int] = field(default_factory=list)
    end: int = 0

    def add(self, char: str, offset: int, after: int) -> None:
        self.pieces.append(char)
        self.offsets.append(offset)
        self.end = after

    def part(self, format_name: str) -> Part:
        return Part("", format_name, "".join(self.pieces), (*self.offsets, self.end), "json")


def read(text: str) -> Reading:
    """The cells as parts. Outputs and markdown are passed over."""
    outer = json_file.read(text)
    broken = tuple(one for one in outer.problems if one.kind == "syntax")
    if broken:
        return Reading(problems=broken)
    cells: dict[int, list[Entry]] = {}
    code: set[int] = set()
    for entry in outer.entries:
        match entry.path:
            case ("cells", int() as cell, "cell_type") if entry.value == "code":
                code.add(cell)
            case ("cells", int() as cell, "source", *_) if isinstance(entry.value, str):
                cells.setdefault(cell, []).append(entry)
    python, shell = _Text(), _Text()
    for cell in sorted(code):
        _cell(text, cells.get(cell, []), python, shell)
    if not code:
        return Reading(problems=(Problem("a notebook without code cells", 0, "note"),))
    parts = (python.part("python"), shell.part("shell"))
    return Reading(parts=tuple(part for part in parts if part.text.strip()))


def _cell(text: str, lines: list[Entry], python: _Text, shell: _Text) -> None:
    first = str(lines[0].value).lstrip() if lines else ""
    in_shell = first.startswith(_SHELL_CELLS)
    continued = False
    for entry in lines:
        for line in _lines(text, entry):
            said = "".join(char for char, _, _ in line).strip()
            to_shell = (in_shell or continued or said.startswith("!")) and not said.startswith("%%")
            continued = to_shell and said.endswith("\\")
            target = shell if to_shell else python
            for char, start, end in line:
                target.add(char, start, end)
    for target in (python, shell):
        if target.pieces and target.pieces[-1] != "\n":
            target.add("\n", target.end, target.end)


def _lines(text: str, entry: Entry) -> Iterator[list[tuple[str, int, int]]]:
    """The lines of a JSON string: each character with where it starts and ends."""
    if entry.span is None:
        return
    at, last = entry.span[0] + 1, entry.span[1] - 1
    line: list[tuple[str, int, int]] = []
    for char in str(entry.value):
        end = _next(text, at, last)
        line.append((char, at, end))
        at = end
        if char == "\n":
            yield line
            line = []
    if line:
        yield line


def _next(text: str, at: int, last: int) -> int:
    """Behind the character that a JSON string holds at an offset, escapes as one."""
    if text[at : at + 1] != "\\":
        return min(at + 1, last)
    if text[at + 1 : at + 2] != "u":
        return min(at + 2, last)
    low = text[at + 6 : at + 8] == "\\u" and "d8" <= text[at + 2 : at + 4].lower() <= "db"
    return min(at + (12 if low else 6), last)
