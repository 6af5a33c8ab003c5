"""A rule made ready for one file: where it can match at all, and whether that is already the answer."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias

from traindx.engine.regex import compiled

if TYPE_CHECKING:
    from ast_grep_py import SgNode

MAX_PLACES = 60
"""More places than this are not written into a rule: so many would be slower to compare than to match."""
MOST_TESTED = 150
"""Nodes up to which tests in Python are faster than a search of the file."""
LONGEST_TESTED = 4_000
"""Characters of a node up to which Python tries an expression; the search engine does so in linear time for any length."""

Rule: TypeAlias = Mapping[str, Any]
Test: TypeAlias = "Callable[[SgNode], bool]"


class BadRule(ValueError):
    """A rule that ast-grep does not take. The message says why."""


@dataclass(frozen=True, slots=True, eq=False)
class Ready:
    """A rule made ready for one file."""

    rule: Rule
    """In ast-grep's own words."""
    nodes: Sequence[SgNode] | None = None
    """Where it can match at all; None for anywhere."""
    exact: bool = False
    """Whether it matches all of these."""
    test: Test | None = None
    """Whether it matches a node, where that can be said without a search."""


NEVER = Ready({"kind": "module", "inside": {"kind": "module"}}, (), exact=True)
ALWAYS = Ready({"regex": ""})


def all_of(ready: Iterable[Ready]) -> Ready:
    """All of these rules for one node. What comes after one that never matches is not asked for."""
    parts = []
    for part in ready:
        if part is NEVER:
            return NEVER
        if part is not ALWAYS:
            parts.append(part)
    if len(parts) < 2:
        return parts[0] if parts else ALWAYS
    rule = {"all": [part.rule for part in parts]}
    known = [part.nodes for part in parts if part.nodes is not None]
    if not known:
        return Ready(rule, test=_every([part.test for part in parts]))
    return _among(_common(known), parts, rule)


def _common(known: list[Sequence[SgNode]]) -> Sequence[SgNode]:
    """The nodes that are in each of these, in the order of the shortest."""
    fewest = min(known, key=len)
    others = [frozenset(nodes) for nodes in known if nodes is not fewest]
    return [node for node in fewest if all(node in nodes for nodes in others)]


def _among(nodes: Sequence[SgNode], parts: list[Ready], rule: Rule) -> Ready:
    """All of these rules for these nodes: few are tested here, many are left to the search of the file."""
    tests = [part.test for part in parts if part.test]
    exact = all(part.exact or part.test for part in parts)
    if len(nodes) <= MOST_TESTED:
        nodes = [node for node in nodes if all(test(node) for test in tests)]
    elif tests:
        exact = False
    return Ready(rule, nodes, exact) if nodes else NEVER


def any_of(parts: list[Ready]) -> Ready:
    """Any of these rules for one node."""
    parts = [part for part in parts if part is not NEVER]
    if len(parts) < 2:
        return parts[0] if parts else NEVER
    rule = {"any": [part.rule for part in parts]}
    if all(part.nodes is not None for part in parts):
        nodes = list(dict.fromkeys(node for part in parts for node in part.nodes or ()))
        return Ready(rule, nodes, all(part.exact for part in parts))
    tests = [membership(part) if part.exact or part.test else None for part in parts]
    every = [test for test in tests if test]
    return Ready(
        rule, test=(lambda node: any(test(node) for test in every)) if len(every) == len(parts) else None
    )


def none_of(part: Ready) -> Ready:
    """Not this rule for one node."""
    if part is NEVER:
        return ALWAYS
    test = membership(part) if part.exact or part.test else None
    return Ready({"not": part.rule}, test=(lambda node: not test(node)) if test else None)


def membership(part: Ready) -> Test | None:
    """Whether a rule can match a node: for sure where it is exact or has a test."""
    if part.nodes is None:
        return part.test
    nodes = frozenset(part.nodes)
    return lambda node: node in nodes


def _every(tests: list[Test | None]) -> Test | None:
    known = [test for test in tests if test]
    return (lambda node: all(test(node) for test in known)) if len(known) == len(tests) else None


def exactly(nodes: Sequence[SgNode], rule: Rule) -> Ready:
    """A rule that matches just these nodes, by their places; this one where they are too many for that."""
    if not nodes or len(nodes) > MAX_PLACES:
        return Ready(rule, nodes, exact=True) if nodes else NEVER
    kinds: dict[str, list[Rule]] = {}
    for node in nodes:
        where = node.range()
        ends = {
            name: {"line": end.line, "column": end.column}
            for name, end in (("start", where.start), ("end", where.end))
        }
        kinds.setdefault(node.kind(), []).append({"range": ends})
    return Ready(
        {"any": [{"kind": kind, "any": places} for kind, places in kinds.items()]}, nodes, exact=True
    )


@cache
def expression(pattern: str) -> re.Pattern[str]:
    """An expression of a rule for Python, which reads those of ast-grep alike; the knowledge base refuses others."""
    return compiled(pattern)


def text_test(pattern: str) -> Test:
    """Whether an expression is found in a node's text."""

    def test(node: SgNode) -> bool:
        text = node.text()
        if len(text) > LONGEST_TESTED or text.endswith("\n"):
            return node.matches(regex=pattern)
        return expression(pattern).search(text) is not None

    return test
