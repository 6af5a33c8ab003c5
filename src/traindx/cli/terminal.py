"""Lines of spans onto the terminal: coloured and wrapped there, plain everywhere else."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from typing import TextIO

from traindx.engine.report.lines import Line

_STYLES = {
    "title": "bold", "good": "green", "bad": "red", "doubt": "yellow", "place": "cyan", "dim": "dim",
    "add": "green", "remove": "red",
}  # fmt: skip
_PLAIN_WIDTH = 110


def in_colour(choice: bool | None, stream: TextIO | None = None) -> bool:
    """Whether to colour: as asked, else on a terminal without NO_COLOR, else with FORCE_COLOR.

    `stream` is where the text goes; standard output where it is left out.
    """
    if choice is not None:
        return choice
    if os.environ.get("NO_COLOR"):
        return False
    terminal = (stream or sys.stdout).isatty() and os.environ.get("TERM") != "dumb"
    return bool(os.environ.get("FORCE_COLOR")) or terminal


def show(lines: Iterable[Line], *, colour: bool, stream: TextIO | None = None) -> None:
    """Print lines to standard output, or to another stream."""
    stream = stream or sys.stdout
    if colour:
        _show_coloured(lines, stream)
    else:
        width = _terminal_width() if stream.isatty() else _PLAIN_WIDTH
        stream.write("".join(_wrapped(line, width) + "\n" for line in lines))


def _terminal_width() -> int:
    import shutil

    return shutil.get_terminal_size((_PLAIN_WIDTH, 24)).columns


def _wrapped(line: Line, width: int) -> str:
    text = line.text
    if len(text) <= width or not line.hang:
        return text
    return "\n".join(_folded(text, width, " " * line.hang))


def _folded(text: str, width: int, indent: str) -> Iterator[str]:
    """A text broken at spaces, all lines but the first indented. A word longer than a line stays whole."""
    while len(text) > width:
        begin = len(text) - len(text.lstrip(" "))
        cut = text.rfind(" ", begin, width + 1)
        if cut < 0:
            cut = text.find(" ", width)
        rest = text[cut:].lstrip(" ") if cut >= 0 else ""
        if not rest:
            break
        yield text[:cut].rstrip(" ")
        text = indent + rest
    yield text.rstrip(" ")


def _show_coloured(lines: Iterable[Line], stream: TextIO) -> None:
    from rich.console import Console
    from rich.text import Text

    console = Console(
        file=stream, highlight=False, markup=False, emoji=False, force_terminal=True, soft_wrap=True
    )
    width = console.width
    for line in lines:
        text = Text.assemble(*((span.text, _STYLES.get(span.role, "")) for span in line.spans))
        if not line.hang or text.cell_len <= width:
            console.print(text)
            continue
        first, *rest = text.wrap(console, width - line.hang)
        console.print(first)
        for part in rest:
            part.pad_left(line.hang)
            console.print(part)
