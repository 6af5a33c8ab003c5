"""Text of a condition to a tree of plain lists, which the cache can store as JSON."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from .tokens import ConditionError, tokens_of, unquote

Node: TypeAlias = list[Any]
"""`["fact", name]`, `["const", value]`, `["list", node...]`, `["and"|"or", node...]`, `["not", node]`,
`["cmp"|"version", operator, left, right]`, `["op", operator, left, right]`, `["neg", node]`,
`["call", function, node...]`, `["said", regular expression]`."""

FUNCTIONS = {
    "abs": 1, "ceil": 1, "contains": 2, "floor": 1, "known": 1, "len": 1, "ln": 1, "log2": 1,
    "max": None, "min": None, "round": 1, "said": 1,
}  # fmt: skip
"""The named functions and how many arguments each takes; None is two or more."""

_COMPARISONS = ("==", "!=", "<=", ">=", "<", ">")
_MAX_DEPTH = 50


def parse(text: str, *, proven: bool = False) -> Node:
    """Parse a condition or an expression. The regular expressions in one that is proven are not tried again.

    Raises ConditionError, with the offset, for anything that is not of the language.
    """
    return _Parser(text, proven=proven).whole()


def needs(node: Node) -> frozenset[str]:
    """The facts a parsed condition asks for."""
    return frozenset(_names(node))


def _names(node: Node) -> Iterator[str]:
    if node[0] == "fact":
        yield node[1]
    elif node[0] == "said":
        yield "log.prose"
    else:
        for part in node[1:]:
            if isinstance(part, list):
                yield from _names(part)


class _Parser:
    """Recursive descent, one method a level of precedence."""

    def __init__(self, text: str, *, proven: bool) -> None:
        self.tokens = list(tokens_of(text))
        self.proven = proven
        self.index = 0
        self.depth = 0

    def whole(self) -> Node:
        node = self._or()
        kind, token, offset = self.tokens[self.index]
        if kind != "end":
            hint = "; write == to compare" if token == "=" else ""
            raise ConditionError(f"unexpected `{token}` after a complete condition{hint}", offset, token)
        return node

    def _take(self, *tokens: str) -> str | None:
        kind, token, _ = self.tokens[self.index]
        if kind in ("name", "sign") and token in tokens:
            self.index += 1
            return token
        return None

    def _expect(self, token: str) -> None:
        if self._take(token) is None:
            kind, found, offset = self.tokens[self.index]
            found = "the end" if kind == "end" else f"`{found}`"
            raise ConditionError(f"expected `{token}`, found {found}", offset)

    def _join(self, word: str, below: Callable[[], Node]) -> Node:
        parts = [below()]
        while self._take(word):
            parts.append(below())
        return parts[0] if len(parts) == 1 else [word, *parts]

    def _or(self) -> Node:
        self.depth += 1
        if self.depth > _MAX_DEPTH:
            raise ConditionError("nested too deeply", self.tokens[self.index][2])
        node = self._join("or", self._and)
        self.depth -= 1
        return node

    def _and(self) -> Node:
        return self._join("and", self._not)

    def _not(self) -> Node:
        negations = 0
        while self._take("not"):
            negations += 1
        node = self._comparison()
        return ["not", node] if negations % 2 else node

    def _comparison(self) -> Node:
        left = self._sum()
        if self._take("in"):
            return ["cmp", "in", left, self._sum()]
        if self._take("not"):
            self._expect("in")
            return ["not", ["cmp", "in", left, self._sum()]]
        chain: list[Node] = []
        while (operator := self._take(*_COMPARISONS)) is not None:
            right = self._sum()
            chain.append(["cmp", operator, left, right])
            left = right
        if not chain:
            return left
        return chain[0] if len(chain) == 1 else ["and", *chain]

    def _binary(self, operators: tuple[str, ...], below: Callable[[], Node]) -> Node:
        node = below()
        while (operator := self._take(*operators)) is not None:
            node = ["op", operator, node, below()]
        return node

    def _sum(self) -> Node:
        return self._binary(("+", "-"), self._product)

    def _product(self) -> Node:
        return self._binary(("*", "/"), self._factor)

    def _factor(self) -> Node:
        if self._take("-"):
            inner = self._factor()
            return (
                ["const", -inner[1]]
                if inner[0] == "const" and not isinstance(inner[1], str)
                else ["neg", inner]
            )
        return self._atom()

    def _atom(self) -> Node:
        kind, token, offset = self.tokens[self.index]
        self.index += 1
        if kind == "number":
            return ["const", int(token) if token.isdigit() else float(token)]
        if kind == "string":
            return ["const", unquote(token)]
        if kind == "name" and token not in ("and", "or", "not", "in"):
            if token in ("true", "false"):
                return ["const", token == "true"]
            return self._call(token, offset) if self._take("(") else ["fact", token]
        if token == "(":
            node = self._or()
            self._expect(")")
            return node
        if token == "[":
            return ["list", *self._arguments("]")]
        found = "the end" if kind == "end" else f"`{token}`"
        raise ConditionError(f"expected a fact, a number or a text, found {found}", offset, token)

    def _arguments(self, closing: str) -> list[Node]:
        if self._take(closing):
            return []
        arguments = [self._or()]
        while self._take(","):
            arguments.append(self._or())
        self._expect(closing)
        return arguments

    def _call(self, function: str, offset: int) -> Node:
        arguments = self._arguments(")")
        if function not in FUNCTIONS:
            raise ConditionError(f"there is no function `{function}`", offset, function)
        wanted = FUNCTIONS[function]
        if (wanted is None and len(arguments) < 2) or (wanted is not None and len(arguments) != wanted):
            count = "two or more arguments" if wanted is None else f"{wanted} argument{'s' * (wanted > 1)}"
            raise ConditionError(f"`{function}` takes {count}, not {len(arguments)}", offset, function)
        if function == "said":
            return self._said(arguments[0], offset)
        if function == "known" and arguments[0][0] != "fact":
            raise ConditionError("`known` takes the name of a fact", offset, function)
        return ["call", function, *arguments]

    def _said(self, argument: Node, offset: int) -> Node:
        if argument[0] != "const" or not isinstance(argument[1], str):
            raise ConditionError("`said` takes a regular expression in quotes", offset, "said")
        try:
            if not self.proven:
                re.compile(argument[1])
        except re.error as error:
            raise ConditionError(f"not a regular expression: {error}", offset, "said") from None
        return ["said", argument[1]]


__all__ = ["FUNCTIONS", "ConditionError", "Node", "needs", "parse"]
