"""A condition as rules carry it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from ...conditions import Condition, Node, compile_node
from ...facts import Facts

_written = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode
Stored = list[Any]
"""The text, the parsed condition as JSON, the facts it asks for, and what it says where none of them is known."""


def stored_rule(text: str, node: Node, names: Iterable[str]) -> Stored:
    """A parsed condition, and the facts it asks for, as it is kept in the cache."""
    return [text, _written(node), sorted(names), compile_node(node)(lambda _: None)]


class Rule:
    """A compiled condition: its text, the facts it asks for, and how to evaluate it.

    Of thousands of rules a run touches few, so nothing is unpacked before it is needed.
    """

    __slots__ = ("_evaluate", "_node", "_packed", "names", "needs", "silent", "text")

    def __init__(self, text: str, packed: str, names: list[str], silent: Any) -> None:
        self.text = text
        self.names = names
        """The facts it asks for, in order."""
        self.needs = frozenset(names)
        """The same as a set."""
        self.silent = silent
        """What it says where none of these is known."""
        self._packed = packed
        self._node: Node | None = None
        self._evaluate: Condition | None = None

    @property
    def node(self) -> Node:
        """The parsed condition."""
        if self._node is None:
            self._node = json.loads(self._packed)
        return self._node

    def __call__(self, lookup: Any) -> Any:
        """True, false or a value; None where the facts do not suffice."""
        if self._evaluate is None:
            self._evaluate = compile_node(self.node)
        return self._evaluate(lookup)

    def of(self, facts: Facts) -> Any:
        """The same, of these facts. Where none that it asks for is known, the answer is known beforehand."""
        return self.silent if facts.known.isdisjoint(self.needs) else self(facts.value)


def rule_from(stored: Stored | None) -> Rule | None:
    """A rule from its stored form."""
    return None if stored is None else Rule(*stored)
