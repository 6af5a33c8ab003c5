"""How one node stands to another, made ready for one file: from where one of them can be to where the other can."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .ready import NEVER, Ready, Rule, Test, membership

if TYPE_CHECKING:
    from ast_grep_py import SgNode

RELATIONS = {one: one for one in ("has", "inside", "precedes", "follows")} | {
    "contains": "has",
    "within": "inside",
}
"""Our names of relations, and those of ast-grep. `contains` and `within` look at any depth."""
WHERE = ("field", "stopBy")
"""What a relation says beside the rule for the other node."""
MOST_FOLLOWED = 200
"""Nodes up to which it is followed in Python where they lead; beyond, the search engine is faster."""


def related(relation: str, where: Mapping[str, Any], other: Ready) -> Ready:
    """Nodes that stand so to another one. `where` is what the relation says beside the rule for that one."""
    if other is NEVER:
        return NEVER
    deep = {"stopBy": "end"} if relation in ("contains", "within") else {}
    rule: Rule = {RELATIONS[relation]: {**deep, **where, **other.rule}}
    if where.keys() - {"field"} or (where and relation != "has"):
        return Ready(rule)
    if relation in ("has", "contains") and other.nodes is not None and len(other.nodes) <= MOST_FOLLOWED:
        nodes = _above(other.nodes) if relation == "contains" else _over(other.nodes, where.get("field"))
        return Ready(rule, nodes, other.exact) if nodes else NEVER
    return Ready(rule, test=_test(relation, where.get("field"), other))


def _above(nodes: Sequence[SgNode]) -> Sequence[SgNode]:
    """All nodes that hold one of these at any depth."""
    found: dict[SgNode, None] = {}
    for node in nodes:
        above = node.parent()
        while above is not None and above not in found:
            found[above] = None
            above = above.parent()
    return list(found)


def _over(nodes: Iterable[SgNode], field: str | None) -> Sequence[SgNode]:
    """The nodes that have one of these as a part, or as the part of this name."""
    pairs = [(parent, node) for node in nodes if (parent := node.parent()) is not None]
    return list(
        dict.fromkeys(parent for parent, node in pairs if field is None or parent.field(field) == node)
    )


def _test(relation: str, field: str | None, other: Ready) -> Test | None:
    """Whether a node stands so to one of the others, where that can be said without a search."""
    if not (other.exact or other.test):
        return None
    among = membership(other)
    if among is None:
        return None
    match relation:
        case "has" if field is not None:
            return lambda node: (part := node.field(field)) is not None and among(part)
        case "has":
            return lambda node: any(map(among, node.children()))
        case "inside":
            return lambda node: (parent := node.parent()) is not None and among(parent)
        case "within" if other.nodes is not None:
            return lambda node: any(map(among, node.ancestors()))
        case _:
            return None
