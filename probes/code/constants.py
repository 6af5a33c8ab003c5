"""What is known before the program runs: keys that are looked up, and branches that are taken."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeAlias

from .scopes import Block, Key, constant
from .ways import Frame, Way, named_parts

if TYPE_CHECKING:
    from ast_grep_py import SgNode

    from .callees import Callees
    from .program import Program

_LOOKED_UP = frozenset(("identifier", "attribute", "subscript"))

KeyOf: TypeAlias = Callable[["SgNode"], Key | None]
"""The literal that an expression of a function stands for in one call of it."""


@dataclass(slots=True, eq=False)
class Literals:
    """Finds what literal an expression is sure to be, each once."""

    program: Program
    callees: Callees
    _found: dict[tuple[SgNode, Frame | None], Key | None] = field(default_factory=dict)

    def of(self, way: Way) -> Key | None:
        """The literal that an expression stands for; None where it is none, or nobody can say."""
        known = constant(way.node)
        if known is not None or way.node.kind() not in _LOOKED_UP:
            return known
        key = (way.node, way.frame)
        if key not in self._found:
            from .origins import Tracer

            tracer = Tracer(self.program, self.callees, literals=True)
            origins = list(tracer.follow(replace(way, sure=True)))
            self._found[key] = constant(origins[0].node) if len(origins) == 1 and origins[0].sure else None
        return self._found[key]


def looked_up(way: Way, literal: Callable[[Way], Key | None]) -> Way | None:
    """Where a key that is no literal itself leads, where it is sure to be one: `LOSSES[name]`."""
    parts = named_parts(way.node)
    if len(parts) != 2 or constant(parts[1]) is not None or parts[1].kind() not in _LOOKED_UP:
        return None
    key = literal(way.to(parts[1], path=()))
    return None if key is None else way.to(parts[0], path=(key, *way.path))


def returns_of(function: Block, key_of: KeyOf) -> Iterator[tuple[SgNode, bool]]:
    """What a call of a function may give back, and whether it is sure to; a bare `None` is left out.

    A branch that is sure not to be taken gives nothing back, and one that is leaves nothing to what follows.
    """
    values = [(node, block) for node, block in function.returns if node.kind() != "none"]
    taken = [(node, _is_taken(block, function, key_of)) for node, block in values]
    open_ = [(node, sure) for node, sure in taken if sure is not False]
    for number, (node, sure) in enumerate(open_):
        yield node, bool(sure) and number == 0
        if sure:
            return


def _is_taken(block: Block, function: Block, key_of: KeyOf) -> bool | None:
    """Whether a block of a function runs; None where that shows only when it does."""
    result: bool | None = True
    for one in block.upwards():
        if one is function:
            return result
        if one.kind != "branch":
            continue
        for condition, wanted in _conditions(one.node):
            holds = _holds(condition, key_of)
            if holds is not None and holds is not wanted:
                return False
            if holds is None:
                result = None
        if one.node.parent() is None or not _is_of_if(one.node):
            result = None
    return result


def _is_of_if(body: SgNode) -> bool:
    around = body.parent()
    return around is not None and around.kind() in ("if_statement", "elif_clause", "else_clause")


def _conditions(body: SgNode) -> Iterator[tuple[SgNode, bool]]:
    """The conditions that decide on a branch, and what each must be for it to be taken."""
    around = body.parent()
    whole = around.parent() if around is not None and around.kind() != "if_statement" else around
    if around is None or whole is None or whole.kind() != "if_statement":
        return
    own = around.field("condition") if around.kind() != "else_clause" else None
    if own is not None:
        yield own, True
    for clause in (whole, *whole.children()):
        if clause == around:
            return
        if clause.kind() in ("if_statement", "elif_clause") and (condition := clause.field("condition")):
            yield condition, False


def _holds(condition: SgNode, key_of: KeyOf) -> bool | None:
    """Whether `a == b`, `a != b` or `a in (b, c)` holds between literals."""
    if condition.kind() == "parenthesized_expression" and (inner := named_parts(condition)):
        return _holds(inner[0], key_of)
    parts = named_parts(condition)
    if condition.kind() != "comparison_operator" or len(parts) != 2:
        return None
    left = key_of(parts[0])
    sign = next((one.text() for one in condition.children() if not one.is_named()), "")
    if left is None:
        return None
    if sign in ("==", "!="):
        right = key_of(parts[1])
        return None if right is None else (left == right) == (sign == "==")
    if sign in ("in", "not in") and parts[1].kind() in ("tuple", "list", "set"):
        among = [constant(one) for one in named_parts(parts[1])]
        return None if None in among else (left in among) == (sign == "in")
    return None
