"""A parsed condition to a closure over a lookup of facts. None is unknown, everywhere."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable
from typing import Any, TypeAlias

from ..facts import Value
from ..inner_dots import matches
from ..regex import compiled
from .parse import Node
from .values import compare_versions, contains, equal, inside, is_number

Lookup: TypeAlias = Callable[[str], Value | None]
"""Gives the value of a fact, or None where it is unknown."""
Condition: TypeAlias = Callable[[Lookup], Any]
"""Gives true, false, a number or a text; None where it cannot tell."""

_ORDER: dict[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
_ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv,
}  # fmt: skip
_CALLS: dict[str, Callable[..., Any]] = {
    "abs": abs, "ceil": math.ceil, "floor": math.floor, "len": len, "ln": math.log,
    "log2": math.log2, "max": max, "min": min, "round": round,
}  # fmt: skip


def compile_node(node: Node) -> Condition:
    """Compile a parsed condition.

    The result never raises: a type that does not fit, a division by zero or a comparison
    with NaN gives None, unknown.
    """
    return _COMPILERS[node[0]](node)


def _fact(node: Node) -> Condition:
    name = node[1]
    return lambda lookup: lookup(name)


def _const(node: Node) -> Condition:
    value = node[1]
    return lambda lookup: value


def _list(node: Node) -> Condition:
    parts = [compile_node(part) for part in node[1:]]
    return lambda lookup: [part(lookup) for part in parts]


def _and(node: Node) -> Condition:
    parts = [compile_node(part) for part in node[1:]]

    def both(lookup: Lookup) -> bool | None:
        unknown = False
        for part in parts:
            value = part(lookup)
            if value is None:
                unknown = True
            elif not value:
                return False
        return None if unknown else True

    return both


def _or(node: Node) -> Condition:
    parts = [compile_node(part) for part in node[1:]]

    def either(lookup: Lookup) -> bool | None:
        unknown = False
        for part in parts:
            value = part(lookup)
            if value is None:
                unknown = True
            elif value:
                return True
        return None if unknown else False

    return either


def _not(node: Node) -> Condition:
    inner = compile_node(node[1])

    def negated(lookup: Lookup) -> bool | None:
        value = inner(lookup)
        return None if value is None else not value

    return negated


def _compare(node: Node) -> Condition:
    sign, left, right = node[1], compile_node(node[2]), compile_node(node[3])

    def compared(lookup: Lookup) -> bool | None:
        one, other = left(lookup), right(lookup)
        if one is None or other is None:
            return None
        if sign == "in":
            return inside(one, other)
        if sign == "==":
            return equal(one, other)
        if sign == "!=":
            return not equal(one, other)
        if is_number(one) and is_number(other):
            return None if math.isnan(one) or math.isnan(other) else bool(_ORDER[sign](one, other))
        return None

    return compared


def _version(node: Node) -> Condition:
    sign, left, right = node[1], compile_node(node[2]), compile_node(node[3])

    def compared(lookup: Lookup) -> bool | None:
        one, other = left(lookup), right(lookup)
        if not isinstance(one, str) or not isinstance(other, str):
            return None
        order = compare_versions(one, other)
        if sign in ("==", "!="):
            return bool((order == 0) == (sign == "=="))
        return bool(_ORDER[sign](order, 0))

    return compared


def _operate(node: Node) -> Condition:
    apply, left, right = _ARITHMETIC[node[1]], compile_node(node[2]), compile_node(node[3])

    def result(lookup: Lookup) -> Any:
        one, other = left(lookup), right(lookup)
        if not is_number(one) or not is_number(other):
            return None
        try:
            return apply(one, other)
        except (ArithmeticError, ValueError):
            return None

    return result


def _negative(node: Node) -> Condition:
    inner = compile_node(node[1])

    def result(lookup: Lookup) -> Any:
        value = inner(lookup)
        return -value if is_number(value) else None

    return result


def _call(node: Node) -> Condition:
    function, parts = node[1], [compile_node(part) for part in node[2:]]
    if function == "known":
        return lambda lookup: parts[0](lookup) is not None
    if function == "contains":
        return lambda lookup: contains(*(part(lookup) for part in parts))
    apply = _CALLS[function]

    def result(lookup: Lookup) -> Any:
        values = [part(lookup) for part in parts]
        if None in values:
            return None
        try:
            return apply(*values)
        except (ArithmeticError, TypeError, ValueError):
            return None

    return result


def _said(node: Node) -> Condition:
    pattern: re.Pattern[str] | None = None

    def found(lookup: Lookup) -> bool | None:
        nonlocal pattern
        sentences = lookup("log.prose")
        if not isinstance(sentences, tuple):
            return None
        if pattern is None:
            pattern = compiled(node[1], re.IGNORECASE)
        # Silence says nothing: what a person did not mention stays unknown.
        return True if any(found for one in sentences for found in matches(pattern, one)) else None

    return found


_COMPILERS: dict[str, Callable[[Node], Condition]] = {
    "and": _and, "call": _call, "cmp": _compare, "const": _const, "fact": _fact, "list": _list,
    "neg": _negative, "not": _not, "op": _operate, "or": _or, "said": _said, "version": _version,
}  # fmt: skip
