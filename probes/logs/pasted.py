"""Tells code that a person pasted from output that they pasted."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from .prose import CODE

LONGEST = 1 << 16
"""Characters of a piece that is looked at: as many as a comment on GitHub may have."""
PARSED = 4 * LONGEST
"""Characters of a piece that are parsed in all, to find where in it code begins and ends."""
_NAMES = ("python", "py", "python3")
_STATEMENTS = (
    ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom, ast.For, ast.With, ast.Return, ast.If, ast.While,
)  # fmt: skip


def python_in(text: str, language: str) -> Iterator[tuple[int, str]]:
    """The pieces of a text that are Python, without their common indentation, each with the number of lines before it.

    What parses may still be output: a dictionary, a number after a name, the repr of a module. Code does something.
    Words may stand before and after it, apart by an empty line.
    """
    if len(text) > LONGEST:
        return
    if language in _NAMES:
        yield 0, _dedented(text)
    elif not language:
        lines = text.split("\n")
        if not any(map(CODE.match, lines)):
            return
        first, last, left = 0, len(lines), PARSED
        while first < len(lines) and left > 0:
            if not lines[first].strip():
                first += 1
                continue
            code = _dedented("\n".join(lines[first:last]))
            left -= len(code)
            if _is_code(code):
                yield first, code
            elif (shorter := _empty_before(lines, first, last)) is not None:
                last = shorter
                continue
            first, last = last, len(lines)


def _empty_before(lines: Sequence[str], first: int, last: int) -> int | None:
    """The last empty line between these, without those at the end."""
    while last > first and not lines[last - 1].strip():
        last -= 1
    return next((at for at in range(last - 1, first, -1) if not lines[at].strip()), None)


def _dedented(text: str) -> str:
    import textwrap

    return textwrap.dedent(text.expandtabs(8)).rstrip()


def _is_code(text: str) -> bool:
    try:
        body = ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return any(map(_does_something, body))


def _does_something(node: ast.stmt) -> bool:
    if isinstance(node, (ast.Assign, ast.AugAssign)):
        return any(isinstance(one, ast.Call) for one in ast.walk(node.value))
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Attribute)
    return isinstance(node, _STATEMENTS)
