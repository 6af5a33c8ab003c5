"""A Python text, its syntax tree, and where in the text each node stands."""

from __future__ import annotations

import ast
import re
import warnings
from bisect import bisect_left
from itertools import accumulate

from traindx.engine.regex import regex

from ..document import Problem, Span
from ..exact import line_starts

_INDENTED = regex(r"\s*\n?[ \t]+\S")
_MAGIC = regex(r"^[ \t]*[%!]", re.MULTILINE)


class Source:
    """A text that parses. Raises SyntaxError, or what else the parser gives up with."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tree, self._shift = _parse(text)
        self._starts = line_starts(text)
        self._bytes: dict[int, list[int]] | None = None if text.isascii() else {}

    def span(self, node: ast.expr) -> Span:
        """The stretch of the text that an expression is."""
        last = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
        return self.offset(node.lineno, node.col_offset), self.offset(*last)

    def offset(self, line: int, column: int) -> int:
        """The offset of a line and a column in bytes, which is how the syntax tree counts."""
        line = min(max(line - self._shift, 1), len(self._starts))
        start = self._starts[line - 1]
        if self._bytes is None:
            return start + column
        if line not in self._bytes:
            end = self._starts[line] if line < len(self._starts) else len(self.text)
            widths = (len(char.encode("utf-8", "surrogatepass")) for char in self.text[start:end])
            self._bytes[line] = list(accumulate(widths, initial=0))
        return start + bisect_left(self._bytes[line], column)


def _parse(text: str) -> tuple[ast.Module, int]:
    """The tree, and how many lines were put in front: an excerpt may start in the middle of a block."""
    # Magics of notebooks become comments of the same length.
    plain = _MAGIC.sub(lambda found: found[0][:-1] + "#", text)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(plain), 0
        except IndentationError:
            if not _INDENTED.match(plain):
                raise
            return ast.parse(f"if 1:\n{plain}"), 1


def problem(text: str, error: SyntaxError) -> Problem:
    """What the parser says, and where."""
    starts = line_starts(text)
    line = min(max(error.lineno or 1, 1), len(starts))
    return Problem(
        error.msg or "invalid syntax", min(starts[line - 1] + max((error.offset or 1) - 1, 0), len(text))
    )
