"""Do the names and types of a condition make sense? Asked once, when a rule is loaded."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from .parse import ConditionError, Node

Types = Callable[[str], str | None]
"""Gives the declared type of a fact, or None where it is not declared."""

_NUMBERS = ("int", "float")
_NUMERIC_CALLS = ("abs", "ceil", "floor", "ln", "log2", "max", "min", "round")


def check(node: Node, types: Types, limits: Mapping[str, float], *, expect: str = "bool") -> Node:
    """Check a parsed condition and put the thresholds in.

    Gives the tree with `limit.` names replaced by their numbers and comparisons of versions
    marked. `expect` is `bool` for a condition, `number` for a computed value, `any` for either.
    Raises ConditionError with the word at fault.
    """
    checked, kind = _Checker(types, limits).visit(node)
    if expect == "bool" and kind not in ("bool", "any"):
        raise ConditionError(f"a condition is true or false; this is a {kind}")
    if expect == "number" and kind not in (*_NUMBERS, "any"):
        raise ConditionError(f"a number is wanted here; this is a {kind}")
    return checked


class _Checker:
    def __init__(self, types: Types, limits: Mapping[str, float]) -> None:
        self.types, self.limits = types, limits

    def visit(self, node: Node) -> tuple[Node, str]:
        """The checked tree and its type: bool, int, float, str, version, list or any."""
        match node[0]:
            case "const":
                return node, type(node[1]).__name__
            case "fact":
                return self._fact(node)
            case "said":
                return node, "bool"
            case "list":
                return ["list", *(self.visit(part)[0] for part in node[1:])], "list"
            case "not" if _is_silence(node[1]):
                raise ConditionError(
                    "`not said(...)` is never true, as silence is no denial; weigh what is said against it in a line of its own"
                )
            case "and" | "or" | "not":
                return [
                    node[0],
                    *(self._of_type(part, ("bool",), f"`{node[0]}`") for part in node[1:]),
                ], "bool"
            case "cmp":
                return self._compare(node)
            case "op" | "neg":
                start = 2 if node[0] == "op" else 1
                parts = [self._of_type(part, _NUMBERS, "arithmetic") for part in node[start:]]
                return [*node[:start], *parts], "float"
            case _:
                return self._call(node)

    def _fact(self, node: Node) -> tuple[Node, str]:
        name = node[1]
        if name.startswith("limit."):
            if name[6:] not in self.limits:
                raise ConditionError(f"there is no threshold `{name}`", wrong=name)
            return ["const", self.limits[name[6:]]], "float"
        kind = self.types(name)
        if kind is None:
            raise ConditionError(f"there is no fact `{name}`", wrong=name)
        return node, kind

    def _of_type(self, node: Node, wanted: tuple[str, ...], where: str) -> Node:
        checked, kind = self.visit(node)
        if kind not in (*wanted, "any"):
            name = node[1] if node[0] == "fact" else "this"
            raise ConditionError(
                f"{where} needs {' or '.join(wanted)}, and {name} is {kind}", wrong=str(name)
            )
        return checked

    def _compare(self, node: Node) -> tuple[Node, str]:
        _, sign, left, right = node
        (one, first), (other, second) = self.visit(left), self.visit(right)
        if "version" in (first, second) and sign != "in":
            return ["version", sign, one, other], "bool"
        if sign == "in":
            if second not in ("list", "str", "any"):
                raise ConditionError(f"`in` looks into a list or a text, not into {second}")
        elif "any" not in (first, second):
            same = first == second or (first in _NUMBERS and second in _NUMBERS)
            if not same:
                raise ConditionError(f"`{sign}` compares {first} with {second}", wrong=_word(left, right))
            if sign not in ("==", "!=") and first not in _NUMBERS:
                raise ConditionError(f"`{sign}` orders numbers, not {first}", wrong=_word(left, right))
        return ["cmp", sign, one, other], "bool"

    def _call(self, node: Node) -> tuple[Node, str]:
        function = node[1]
        if function == "known":
            return ["call", function, self.visit(node[2])[0]], "bool"
        if function == "contains":
            parts = [
                self._of_type(node[2], ("str", "list"), "`contains`"),
                self._of_type(node[3], ("str",), "`contains`"),
            ]
            return ["call", function, *parts], "bool"
        if function == "len":
            return ["call", function, self._of_type(node[2], ("str", "list"), "`len`")], "int"
        parts = [self._of_type(part, _NUMBERS, f"`{function}`") for part in node[2:]]
        return ["call", function, *parts], "int" if function in ("ceil", "floor", "round") else "float"


def _is_silence(node: Node) -> bool:
    """Whether the opposite of this would need somebody not to have said something."""
    return node[0] == "said" or (node[0] == "or" and any(map(_is_silence, node[1:])))


def _word(*nodes: Node) -> str:
    return next((node[1] for node in nodes if node[0] == "fact"), "")
