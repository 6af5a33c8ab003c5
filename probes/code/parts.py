"""What of a value is taken: elements, entries, arguments."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from .index import called_name
from .scopes import EACH, Block, constant
from .ways import Origin, Way, arguments_of, is_splat, named_parts

if TYPE_CHECKING:
    from ast_grep_py import SgNode

_WRAPPED = frozenset(("parenthesized_expression", "await", "list_splat", "dictionary_splat", "as_pattern"))
_COMPREHENSIONS = frozenset(("list_comprehension", "generator_expression", "set_comprehension"))


def inside(way: Way, kind: str, *, mixes: bool) -> Iterator[Way | Origin]:
    """The parts of a compound expression that a way takes. One that mixes passes on all, else a computation makes the value."""
    parts = named_parts(way.node)
    if kind == "subscript":
        key = constant(parts[1]) if len(parts) == 2 else None
        yield way.to(parts[0], path=way.path if key is None else (key, *way.path))
    elif kind in ("tuple", "list", "expression_list", "set"):
        yield from elements(way, parts)
    elif kind == "dictionary":
        yield from entries(way, parts)
    elif kind == "conditional_expression" and len(parts) == 3:
        yield from (way.to(part, sure=False) for part in (parts[0], parts[2]))
    elif kind == "boolean_operator":
        yield from (way.to(part, sure=False) for part in parts)
    elif kind in _COMPREHENSIONS:
        yield way.to(parts[0], path=way.path[1:])
    elif kind in ("named_expression", "keyword_argument", "pair") and parts:
        yield way.to(parts[-1])
    elif kind in _WRAPPED and parts:
        yield way.to(parts[0])
    elif mixes:
        yield from (way.to(part, path=()) for part in parts)
    else:
        yield way.end("made")


def elements(way: Way, parts: list[SgNode]) -> Iterator[Way]:
    """The elements of a tuple or list that a way takes: one where its position is known, else all."""
    first = way.path[0] if way.path else EACH
    if (
        isinstance(first, int)
        and -len(parts) <= first < len(parts)
        and not any(is_splat(part) for part in parts)
    ):
        parts = [parts[first]]
    yield from (way.to(part, path=way.path[1:]) for part in parts)


def entries(way: Way, parts: list[SgNode]) -> Iterator[Way]:
    """The values of a dict that a way takes."""
    wanted = way.path[0] if way.path else EACH
    for part in parts:
        key, value = part.field("key"), part.field("value")
        if key is None or value is None:
            yield way.to(part)
        elif wanted == EACH or constant(key) in (None, wanted):
            yield way.to(value, path=way.path[1:])


def zipped(way: Way) -> Way | None:
    """`zip(a, b)` gives elements of a and b, `enumerate(a)` a number and an element of a."""
    plain, _ = arguments_of(way.node)
    which = way.path[1] if len(way.path) > 1 else None
    name = called_name(way.node)
    if name == "enumerate" and which == 1 and plain:
        return way.to(plain[0], path=(EACH, *way.path[2:]))
    if name == "zip" and isinstance(which, int) and which < len(plain):
        return way.to(plain[which], path=(EACH, *way.path[2:]))
    return None


def handed(call: SgNode, function: Block, name: str) -> SgNode | None:
    """The argument that a call hands over for a parameter; None where it does not show."""
    plain, keywords = arguments_of(call)
    if name in keywords:
        return keywords[name]
    bound = function.owner is not None and function.parameters[:1] in (["self"], ["cls"])
    position = function.parameters.index(name) - (1 if bound else 0)
    if position < 0 or position >= len(plain) or any(is_splat(one) for one in plain[: position + 1]):
        return None
    return plain[position]
