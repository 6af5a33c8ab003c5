"""Python: settings files, dataclasses, argparse defaults and the calls that configure a run, read from the syntax tree."""

from __future__ import annotations

import ast
import re
import warnings
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from itertools import accumulate
from typing import Any

from ..document import MAX_ENTRIES, Entry, Path, Problem, Reading, Span
from ..exact import line_starts
from .python_edit import insert, remove, spell
from .python_values import COMPUTED, constant, dotted

_INDENTED = re.compile(r"\s*\n?[ \t]+\S")
_MAGIC = re.compile(r"^[ \t]*[%!]", re.MULTILINE)
_POSITIONS = 6
"""Arguments without a name that are read."""
MAX_SOURCE = 1 << 20
"""A syntax tree takes a hundred times the memory of its text; no script is longer than this."""


def read(text: str) -> Reading:
    """Every constant that a Python text assigns, passes or declares as a default."""
    if len(text) > MAX_SOURCE:
        return Reading(problems=(Problem("longer than any script", 0, "note"),))
    try:
        tree, shift = _parse(text)
    except SyntaxError as error:
        return Reading(problems=(_problem(text, error),))
    except (ValueError, RecursionError, MemoryError) as error:
        return Reading(problems=(Problem(f"cannot be parsed: {error}", 0, "note"),))
    reader = _Reader(text, tree, shift)
    reader.walk(tree)
    entries = sorted(reader.entries, key=lambda one: one.at)
    return Reading(tuple(entries), calls=frozenset(reader.calls), sections=reader.sections)


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


def _problem(text: str, error: SyntaxError) -> Problem:
    starts = line_starts(text)
    line = min(max(error.lineno or 1, 1), len(starts))
    return Problem(
        error.msg or "invalid syntax", min(starts[line - 1] + max((error.offset or 1) - 1, 0), len(text))
    )


class _Reader:
    def __init__(self, text: str, tree: ast.Module, shift: int) -> None:
        self.text, self.shift = text, shift
        self.starts = line_starts(text)
        self.bytes: dict[int, list[int]] | None = None if text.isascii() else {}
        self.entries: list[Entry] = []
        self.sections: dict[Path, Span] = {}
        self.calls: set[str] = set()
        self.known = _constants(tree)

    def walk(self, tree: ast.Module) -> None:
        for node in ast.walk(tree):
            if len(self.entries) > MAX_ENTRIES:
                return
            match node:
                case ast.Assign(targets=targets, value=value):
                    for target in targets:
                        self.assign(target, value)
                case ast.AnnAssign(target=target, value=ast.expr() as value):
                    self.assign(target, value)
                case ast.FunctionDef(args=arguments) | ast.AsyncFunctionDef(args=arguments):
                    self.defaults(arguments)
                case ast.Call():
                    self.call(node)

    def assign(self, target: ast.expr, value: ast.expr) -> None:
        if (
            isinstance(target, ast.Tuple)
            and isinstance(value, ast.Tuple)
            and len(target.elts) == len(value.elts)
        ):
            for one, other in zip(target.elts, value.elts, strict=True):
                self.assign(one, other)
            return
        path = dotted(target)
        if path[:2] == ("os", "environ"):
            self.emit(path[2:], value, kind="environment")
        elif path:
            self.emit(path, value, key=self.offset(target.lineno, target.col_offset))

    def defaults(self, arguments: ast.arguments) -> None:
        named = [*arguments.posonlyargs, *arguments.args]
        pairs = list(zip(named[len(named) - len(arguments.defaults) :], arguments.defaults, strict=True))
        pairs += [
            (one, other)
            for one, other in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
            if other
        ]
        for argument, value in pairs:
            key = self.offset(argument.lineno, argument.col_offset)
            self.emit((argument.arg,), value, kind="default", key=key)

    def call(self, node: ast.Call) -> None:
        chain = dotted(node.func)
        name = chain[-1] if chain else node.func.attr if isinstance(node.func, ast.Attribute) else ""
        if not name or name == "dict":
            return
        if name in ("add_argument", "option"):
            self.declared(node)
            return
        self.calls.add(name)
        at = self.offset(node.lineno, node.col_offset)
        owner = chain[-2:-1]
        # An empty pair of brackets is where a first argument goes.
        inside = self.span(node)[1] - 1
        span = None if node.args or node.keywords else (inside, inside)
        self.entries.append(Entry((*owner, name, "()"), True, at, span, style="call", kind="argument"))
        for index, value in enumerate(node.args[:_POSITIONS]):
            self.emit((index,), value, kind="argument", scope=name)
        for keyword in node.keywords:
            if keyword.arg is None:
                self.calls.add(f"{name}**")
            else:
                start = self.offset(keyword.lineno, keyword.col_offset)
                self.emit((keyword.arg,), keyword.value, kind="argument", scope=name, key=start)

    def declared(self, node: ast.Call) -> None:
        """A command-line option as argparse or click declares it, with its default."""
        names = [
            one.value for one in node.args if isinstance(one, ast.Constant) and isinstance(one.value, str)
        ]
        option = max(names, key=len, default="").lstrip("-")
        keywords = {one.arg: one for one in node.keywords}
        if "default" in keywords:
            given = keywords["default"]
            key = self.offset(given.lineno, given.col_offset)
            self.emit((option,), given.value, kind="default", key=key)
        elif "action" in keywords:
            action = constant(keywords["action"].value, {})
            if action in ("store_true", "store_false"):
                at = self.offset(node.lineno, node.col_offset)
                self.entries.append(
                    Entry((option,), action == "store_false", at, style="expr", kind="default")
                )

    def emit(
        self, path: Path, node: ast.expr, *, kind: str = "", scope: str = "", key: int | None = None
    ) -> None:
        """The entries of a value: one for a constant, one for each part of a mapping or list."""
        parts = list(_parts(node))
        if parts:
            for part, value, start in parts:
                inner = None if start is None else self.offset(start.lineno, start.col_offset)
                self.emit((*path, part), value, kind=kind, scope=scope, key=inner)
            if key is not None:
                self.sections[(scope, *path) if scope else path] = (key, self.span(node)[1])
            return
        value, style = self.value(node)
        span = self.span(node)
        if isinstance(node, ast.Name) and style == "expr":
            # The constant is defined elsewhere: there it is changed.
            span = self.span(self.known[node.id])
        whole = None if key is None else (key, self.span(node)[1])
        fixed = style in ("computed", "call")
        self.entries.append(Entry(path, value, span[0], None if fixed else span, whole, style, kind, scope))

    def value(self, node: ast.expr) -> tuple[Any, str]:
        value = constant(node, self.known)
        if value is not COMPUTED:
            start, end = self.span(node)
            if isinstance(node, ast.Constant):
                raw = self.text[start:end]
                # A text in pieces, or with a prefix, is replaced as a whole.
                return value, raw[0] if raw[:1] in ("'", '"') else ""
            return value, "expr"
        match node:
            case ast.Name() | ast.Attribute() if chain := dotted(node):
                return ".".join(chain), "name"
            case ast.Call(func=ast.Name(id="field"), keywords=keywords):
                given = [one.value for one in keywords if one.arg == "default"]
                return (self.value(given[0])[0], "call") if given else (None, "computed")
            case ast.Call(func=function) if chain := dotted(function):
                return ".".join(chain), "call"
            case ast.Dict(keys=[]) | ast.Call(func=ast.Name(id="dict"), args=[], keywords=[]):
                return {}, ""
            case ast.List(elts=[]) | ast.Tuple(elts=[]):
                return [], ""
        return None, "computed"

    def span(self, node: ast.expr) -> Span:
        last = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
        return self.offset(node.lineno, node.col_offset), self.offset(*last)

    def offset(self, line: int, column: int) -> int:
        """The offset of a line and a column in bytes, which is how the syntax tree counts."""
        line = min(max(line - self.shift, 1), len(self.starts))
        start = self.starts[line - 1]
        if self.bytes is None:
            return start + column
        if line not in self.bytes:
            end = self.starts[line] if line < len(self.starts) else len(self.text)
            widths = (len(char.encode("utf-8", "surrogatepass")) for char in self.text[start:end])
            self.bytes[line] = list(accumulate(widths, initial=0))
        return start + bisect_left(self.bytes[line], column)


def _parts(node: ast.expr) -> Iterator[tuple[str | int, ast.expr, ast.expr | ast.keyword | None]]:
    """What a mapping or list holds: key, value, and where the key stands."""
    match node:
        case ast.Dict(keys=keys, values=values):
            for key, value in zip(keys, values, strict=True):
                if isinstance(key, ast.Constant) and isinstance(key.value, str | int):
                    yield str(key.value), value, key
        case ast.Call(func=ast.Name(id="dict"), keywords=keywords):
            for keyword in keywords:
                if keyword.arg:
                    yield keyword.arg, keyword.value, keyword
        case ast.List(elts=values) | ast.Tuple(elts=values):
            for index, value in enumerate(values):
                yield index, value, None


def _constants(tree: ast.Module) -> dict[str, ast.expr]:
    """The names that the module assigns once, and to something that is no list or mapping."""
    found: dict[str, ast.expr] = {}
    twice: set[str] = set()
    for target, value in _assigned(tree.body):
        if target in found:
            twice.add(target)
        found[target] = value
    return {name: value for name, value in found.items() if name not in twice}


def _assigned(body: Iterable[ast.stmt]) -> Iterator[tuple[str, ast.expr]]:
    for statement in body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                yield name, value
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                yield name, value
            case ast.If(body=inner, orelse=other):
                yield from _assigned([*inner, *other])


__all__ = ["insert", "read", "remove", "spell"]
