"""A condition as rules carry it."""

from __future__ import annotations

from typing import Any

from ...conditions import Condition, Node, compile_node, needs


class Rule:
    """A compiled condition: its text, the facts it needs, and how to evaluate it."""

    __slots__ = ("_evaluate", "_needs", "node", "text")

    def __init__(self, text: str, node: Node) -> None:
        self.text = text
        self.node = node
        self._evaluate: Condition | None = None
        self._needs: frozenset[str] | None = None

    @property
    def needs(self) -> frozenset[str]:
        """The facts it asks for."""
        if self._needs is None:
            self._needs = needs(self.node)
        return self._needs

    def __call__(self, lookup: Any) -> Any:
        """True, false or a value; None where the facts do not suffice."""
        if self._evaluate is None:
            self._evaluate = compile_node(self.node)
        return self._evaluate(lookup)


def rule_from(stored: list[Any] | None) -> Rule | None:
    """A rule from its stored form `[text, node]`."""
    return None if stored is None else Rule(stored[0], stored[1])
