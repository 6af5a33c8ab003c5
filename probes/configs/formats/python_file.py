"""Python: settings files, dataclasses, argparse defaults and the calls that configure a run, read from the syntax tree."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from ..document import MAX_ENTRIES, Entry, Path, Problem, Reading, Span
from .python_edit import insert, remove, section, spell
from .python_source import Source, problem
from .python_values import constant, constants, dotted, parts, value_and_style

_POSITIONS = 6
"""Arguments without a name that are read."""
MAX_SOURCE = 1 << 20
"""A syntax tree takes a hundred times the memory of its text; no script is longer than this."""


def read(text: str) -> Reading:
    """Every constant that a Python text assigns, passes or declares as a default."""
    if len(text) > MAX_SOURCE:
        return Reading(problems=(Problem("longer than any script", 0, "note"),))
    try:
        source = Source(text)
    except SyntaxError as error:
        return Reading(problems=(problem(text, error),))
    except (ValueError, RecursionError, MemoryError) as error:
        return Reading(problems=(Problem(f"cannot be parsed: {error}", 0, "note"),))
    reader = _Reader(source)
    reader.walk(source.tree)
    entries = sorted((one for one in reader.entries if not reader.counts(one)), key=lambda one: one.at)
    return Reading(
        tuple(entries), tuple(reader.problems), calls=frozenset(reader.calls), sections=reader.sections
    )


class _Reader:
    def __init__(self, source: Source) -> None:
        self.text, self.span, self.offset = source.text, source.span, source.offset
        self.entries: list[Entry] = []
        self.sections: dict[Path, Span] = {}
        self.calls: set[str] = set()
        self.problems: list[Problem] = []
        self.known = constants(source.tree)
        self.targets: dict[ast.expr, str] = {}
        """What a callable gives -> the variable that it is kept in."""
        self.added_to: set[Path] = set()

    def walk(self, tree: ast.Module) -> None:
        for node in ast.walk(tree):
            if len(self.entries) > MAX_ENTRIES:
                return
            match node:
                case ast.Assign(targets=targets, value=value):
                    for target in targets:
                        self.assign(target, value)
                case ast.AugAssign(target=target, op=ast.Add()):
                    self.added_to.add(dotted(target))
                case ast.AnnAssign(target=target, value=ast.expr() as value):
                    self.assign(target, value)
                case ast.FunctionDef(args=arguments) | ast.AsyncFunctionDef(args=arguments):
                    self.defaults(arguments)
                case ast.Call(keywords=keywords):
                    self.call(node)
                    self.once([(one.arg, one) for one in keywords], "syntax", "keyword argument repeated: {}")
                case ast.Dict(keys=keys):
                    texts = [(one.value, one) for one in keys if isinstance(one, ast.Constant)]
                    self.once(texts, "duplicate", "the key `{}` stands twice")

    def once(self, named: Sequence[tuple[Any, ast.expr | ast.keyword]], kind: str, message: str) -> None:
        """Note what stands twice, of which the parser says nothing."""
        seen: set[Any] = set()
        for name, node in named:
            if name in seen and isinstance(name, str):
                at = self.offset(node.lineno, node.col_offset)
                self.problems.append(Problem(message.format(name), at, kind))
            seen.add(name)

    def assign(self, target: ast.expr, value: ast.expr) -> None:
        match (target, value):
            case ast.Tuple(elts=names), ast.Tuple(elts=values) if len(names) == len(values):
                for one, other in zip(names, values, strict=True):
                    self.assign(one, other)
                return
        path = dotted(target)
        match value:
            case ast.BinOp(left=ast.Name() | ast.Attribute() as left, op=ast.Add()) if path == dotted(left):
                self.added_to.add(path)
        if path and isinstance(value, ast.Call):
            # Of `val = make(...).batch(8).prefetch(2)` every call is for `val`.
            held: ast.expr = value
            while isinstance(held, ast.Call):
                self.targets[held] = path[-1]
                held = held.func.value if isinstance(held.func, ast.Attribute) else held.func
        if path[:2] == ("os", "environ"):
            self.emit(path[2:], value, kind="environment")
        elif path:
            self.emit(path, value, key=self.offset(target.lineno, target.col_offset))

    def counts(self, entry: Entry) -> bool:
        """Whether it is a count or a sum that starts at nothing: no setting, whatever its name."""
        return not entry.kind and entry.value == 0 and entry.path in self.added_to

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
        if name.startswith("DEFINE_"):
            self.flag(node)
            return
        self.calls.add(name)
        at = self.offset(node.lineno, node.col_offset)
        owner = chain[-2:-1]
        # An empty pair of brackets is where a first argument goes.
        inside = self.span(node)[1] - 1
        span = None if node.args or node.keywords else (inside, inside)
        self.entries.append(Entry((*owner, name, "()"), True, at, span, style="call", kind="argument"))
        for index, value in enumerate(node.args[:_POSITIONS]):
            self.emit((index,), value, kind="argument", scope=name, target=self.targets.get(node, ""))
        for keyword in node.keywords:
            if keyword.arg is None:
                self.calls.add(f"{name}**")
            else:
                start = self.offset(keyword.lineno, keyword.col_offset)
                self.emit(
                    (keyword.arg,), keyword.value, kind="argument", scope=name, key=start,
                    target=self.targets.get(node, ""),
                )  # fmt: skip

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

    def flag(self, node: ast.Call) -> None:
        """A flag as absl and TensorFlow declare it: its name, then its default."""
        match node.args:
            case [ast.Constant(value=str(option)), default, *_]:
                self.emit((option,), default, kind="default")

    def emit(
        self,
        path: Path,
        node: ast.expr,
        *,
        kind: str = "",
        scope: str = "",
        key: int | None = None,
        target: str = "",
    ) -> None:
        """The entries of a value: one for a constant, one for each part of a mapping or list."""
        held = list(parts(node))
        if held:
            for part, value, start in held:
                inner = None if start is None else self.offset(start.lineno, start.col_offset)
                self.emit((*path, part), value, kind=kind, scope=scope, key=inner, target=target)
            if key is not None:
                self.sections[(scope, *path) if scope else path] = (key, self.span(node)[1])
            return
        span = self.span(node)
        value, style = value_and_style(node, self.text[slice(*span)], self.known)
        if isinstance(node, ast.Name) and style == "expr":
            # The constant is defined elsewhere: there it is changed.
            span = self.span(self.known[node.id])
        whole = None if key is None else (key, self.span(node)[1])
        written = None if style in ("computed", "call") else span
        self.entries.append(Entry(path, value, span[0], written, whole, style, kind, scope, target))


__all__ = ["insert", "read", "remove", "section", "spell"]
