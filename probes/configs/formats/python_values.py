"""The value of a Python expression that is a constant. Nothing is ever executed."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from traindx.engine.conditions.values import is_number

COMPUTED: Any = object()
"""What an expression has that only running the script would tell."""
_DEPTH = 20
_LARGEST = 1e30
_OPERATORS: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
}  # fmt: skip
_CASTS: Mapping[str, type] = {"float": float, "int": int, "str": str, "bool": bool}


def constant(node: ast.expr, known: Mapping[str, ast.expr], depth: int = 0) -> Any:
    """The number, text, switch or None that an expression stands for, else COMPUTED.

    `known` holds the constants of the module. Arithmetic on numbers is done; `1 << 10` and
    `2 ** 16` too, within bounds.
    """
    if depth > _DEPTH:
        return COMPUTED
    match node:
        case ast.Constant(value=bool() | int() | float() | str() | None as value):
            return value
        case ast.Name(id=name) if name in known:
            return constant(known[name], known, depth + 1)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            value = constant(operand, known, depth + 1)
            return -value if is_number(value) else COMPUTED
        case ast.BinOp(left=left, op=sign, right=right):
            return _operate(sign, constant(left, known, depth + 1), constant(right, known, depth + 1))
        case ast.Call(func=ast.Name(id=name), args=[argument], keywords=[]) if name in _CASTS:
            return _cast(_CASTS[name], constant(argument, known, depth + 1))
    return COMPUTED


def value_and_style(node: ast.expr, raw: str, known: Mapping[str, ast.expr]) -> tuple[Any, str]:
    """The value of an expression that is written as `raw`, and its style: how it is written, and so how it may be changed."""
    value = constant(node, known)
    if value is not COMPUTED:
        if isinstance(node, ast.Constant):
            # A text in pieces, or with a prefix, is replaced as a whole.
            return value, raw[0] if raw[:1] in ("'", '"') else ""
        return value, "expr"
    match node:
        case ast.Name() | ast.Attribute() if chain := dotted(node):
            return ".".join(chain), "name"
        case ast.Call(func=ast.Name(id="field"), keywords=keywords):
            given = [one.value for one in keywords if one.arg == "default"]
            return (value_and_style(given[0], "", known)[0], "call") if given else (None, "computed")
        case ast.Dict(keys=[]) | ast.Call(func=ast.Name(id="dict"), args=[], keywords=[]):
            return {}, ""
        case ast.Call(func=function) if chain := dotted(function):
            return ".".join(chain), "call"
        case ast.List(elts=[]) | ast.Tuple(elts=[]):
            return [], ""
    return None, "computed"


def _operate(sign: ast.operator, left: Any, right: Any) -> Any:
    if not (is_number(left) and is_number(right)):
        return COMPUTED
    try:
        if isinstance(sign, ast.Pow) and abs(left) <= 1e6 and abs(right) <= 100:
            value = left**right
        elif (
            isinstance(sign, ast.LShift)
            and isinstance(left, int)
            and isinstance(right, int)
            and 0 <= right <= 64
        ):
            value = left << right
        else:
            value = _OPERATORS[type(sign)](left, right)
    except (ArithmeticError, KeyError, TypeError, ValueError):
        return COMPUTED
    return value if isinstance(value, int | float) and abs(value) < _LARGEST else COMPUTED


def _cast(kind: type, value: Any) -> Any:
    try:
        return COMPUTED if value is COMPUTED or value is None else kind(value)
    except (ValueError, OverflowError):
        return COMPUTED


def dotted(node: ast.expr) -> tuple[str, ...]:
    """`a.b["c"]` as its parts; empty for what is no chain of names."""
    parts: list[str] = []
    while len(parts) <= _DEPTH:
        match node:
            case ast.Name(id=name):
                return tuple(reversed([*parts, name]))
            case ast.Attribute(value=inner, attr=name):
                parts.append(name)
                node = inner
            case ast.Subscript(value=inner, slice=ast.Constant(value=str() as name)):
                parts.append(name)
                node = inner
            case _:
                break
    return ()


def parts(node: ast.expr) -> Iterator[tuple[str | int, ast.expr, ast.expr | ast.keyword | None]]:
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


def constants(tree: ast.Module) -> dict[str, ast.expr]:
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
