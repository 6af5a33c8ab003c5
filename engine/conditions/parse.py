"""Text of a condition to a tree of plain lists, which the cache can store as JSON."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from .tokens import END, ConditionError, is_name, is_number, is_text, offset_of, tokens_of, unquote

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
_RELATIONS = frozenset((*_COMPARISONS, "in", "not"))
_BINDS = {"+": 1, "-": 1, "*": 2, "/": 2}
"""How tightly each sign binds what stands around it."""
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
        self.text = text
        self.tokens = [*tokens_of(text), END]
        self.proven = proven
        self.index = 0
        self.depth = 0

    def whole(self) -> Node:
        node = self._or()
        if token := self._next:
            raise self._error(f"unexpected `{token}` after a complete condition", self.index)
        return node

    @property
    def _next(self) -> str:
        """The token that comes next: a text has its quotes, so that none is taken for a word or a sign."""
        return self.tokens[self.index]

    def _error(self, message: str, number: int) -> ConditionError:
        """A mistake at the token of this number."""
        return ConditionError(message, offset_of(self.text, number), self.tokens[number])

    @property
    def _found(self) -> str:
        return f"`{self._next}`" if self._next else "the end"

    def _take(self, *tokens: str) -> str | None:
        token = self._next
        if token in tokens:
            self.index += 1
            return token
        return None

    def _expect(self, token: str) -> None:
        if self._take(token) is None:
            place = offset_of(self.text, self.index)
            raise ConditionError(f"expected `{token}`, found {self._found}", place)

    def _join(self, word: str, below: Callable[[], Node]) -> Node:
        parts = [below()]
        while self._take(word):
            parts.append(below())
        return parts[0] if len(parts) == 1 else [word, *parts]

    def _or(self) -> Node:
        self.depth += 1
        if self.depth > _MAX_DEPTH:
            raise ConditionError("nested too deeply", offset_of(self.text, self.index))
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
        if self._next not in _RELATIONS:
            return left
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
        return chain[0] if len(chain) == 1 else ["and", *chain]

    def _sum(self, least: int = 1) -> Node:
        """Signs that bind as tightly as this, or more so."""
        node = self._factor()
        while (binds := _BINDS.get(self._next, 0)) >= least:
            operator = self._take(*_BINDS)
            node = ["op", operator, node, self._sum(binds + 1)]
        return node

    def _factor(self) -> Node:
        if self._take("-"):
            inner = self._factor()
            is_number = inner[0] == "const" and not isinstance(inner[1], str)
            return ["const", -inner[1]] if is_number else ["neg", inner]
        return self._atom()

    def _atom(self) -> Node:
        token, number = self._next, self.index
        if is_number(token):
            self.index += 1
            return ["const", int(token) if token.isdigit() else float(token)]
        if is_text(token):
            self.index += 1
            return ["const", unquote(token)]
        if is_name(token):
            self.index += 1
            if token in ("true", "false"):
                return ["const", token == "true"]
            return self._call(token, number) if self._take("(") else ["fact", token]
        if self._take("("):
            node = self._or()
            self._expect(")")
            return node
        if self._take("["):
            return ["list", *self._arguments("]")]
        raise self._error(f"expected a fact, a number or a text, found {self._found}", number)

    def _arguments(self, closing: str) -> list[Node]:
        if self._take(closing):
            return []
        arguments = [self._or()]
        while self._take(","):
            arguments.append(self._or())
        self._expect(closing)
        return arguments

    def _call(self, function: str, number: int) -> Node:
        arguments = self._arguments(")")
        if function not in FUNCTIONS:
            raise self._error(f"there is no function `{function}`", number)
        wanted = FUNCTIONS[function]
        if (wanted is None and len(arguments) < 2) or (wanted is not None and len(arguments) != wanted):
            count = "two or more arguments" if wanted is None else f"{wanted} argument{'s' * (wanted > 1)}"
            raise self._error(f"`{function}` takes {count}, not {len(arguments)}", number)
        if function == "said":
            return self._said(arguments[0], number)
        if function == "known" and arguments[0][0] != "fact":
            raise self._error("`known` takes the name of a fact", number)
        return ["call", function, *arguments]

    def _said(self, argument: Node, number: int) -> Node:
        if argument[0] != "const" or not isinstance(argument[1], str):
            raise self._error("`said` takes a regular expression in quotes", number)
        try:
            if not self.proven:
                re.compile(argument[1])
        except re.error as error:
            raise self._error(f"not a regular expression: {error}", number) from None
        return ["said", argument[1]]


__all__ = ["FUNCTIONS", "ConditionError", "Node", "needs", "parse"]
