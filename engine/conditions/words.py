"""A condition in words: what of it is not decided, as a clause that goes on after `if`."""

from __future__ import annotations

from collections.abc import Callable

from ..regex import regex
from .evaluate import Lookup, compile_node
from .parse import Node

Means = Callable[[str], str]
"""What a fact means, as its declaration says: a sentence for one that is true or false, else a noun."""

_SIGNS = {
    "==": "is", "!=": "is not", "<": "is below", "<=": "is at most", ">": "is above", ">=": "is at least",
}  # fmt: skip
_LONG = 2
"""Of more alternatives than this the rest is left out: a reader needs the kind of thing, not each name of it."""
_ORDINARY = regex(r"[A-Z][a-z]*(?: |$)")
"""The first word of a sentence that is no name: `Adam's` and `NCCL` are."""
_NOUN_ENDS = regex(r"[:;.,]")


def in_words(node: Node, lookup: Lookup, means: Means) -> str:
    """What of a condition is not decided by what is known, in words."""
    return _words(_open(node, lookup), means)


def _open(node: Node, lookup: Lookup) -> Node:
    """A condition without the parts that are decided already. One that is undecided keeps at least one."""
    if node[0] not in ("and", "or"):
        return node
    parts = [_open(part, lookup) for part in node[1:] if compile_node(part)(lookup) is None]
    return parts[0] if len(parts) == 1 else [node[0], *parts] if parts else node


def _words(node: Node, means: Means) -> str:
    kind = node[0]
    if kind in ("and", "or"):
        clauses = list(dict.fromkeys(_words(part, means) for part in node[1:]))
        kept = clauses[:_LONG] if kind == "or" else clauses
        return f" {kind} ".join(kept) + (" or the like" if len(kept) < len(clauses) else "")
    if kind == "not":
        return f"it is not so that {_words(node[1], means)}"
    if kind in ("cmp", "version"):
        return _comparison(node, means)
    if kind == "fact":
        return lowered(means(node[1]))
    if kind == "said":
        return "it is as described"
    if kind == "call" and node[1] == "contains":
        return f"{_noun(node[2], means)} contains {_noun(node[3], means)}"
    if kind == "call" and node[1] == "known":
        return f"{_noun(node[2], means)} is known"
    return _noun(node, means)


def _comparison(node: Node, means: Means) -> str:
    _, sign, left, right = node
    if right[0] == "const" and isinstance(right[1], bool) and sign in ("==", "!="):
        says = _words(left, means)
        return says if right[1] is (sign == "==") else f"it is not so that {says}"
    if sign == "in":
        choices = right[1:] if right[0] == "list" else [right]
        return f"{_noun(left, means)} is {' or '.join(_noun(one, means) for one in choices)}"
    return f"{_noun(left, means)} {_SIGNS[sign]} {_noun(right, means)}"


def _noun(node: Node, means: Means) -> str:
    if node[0] == "const":
        return f"{node[1]:g}" if isinstance(node[1], float) else str(node[1])
    if node[0] == "fact":
        return _NOUN_ENDS.split(lowered(means(node[1])))[0]
    if node[0] == "op":
        return f"{_noun(node[2], means)} {node[1]} {_noun(node[3], means)}"
    return ", ".join(_noun(part, means) for part in node[1:] if isinstance(part, list))


def lowered(sentence: str) -> str:
    """A sentence as part of another: without its full stop, and small at its start where that is no name."""
    bare = sentence.strip().removesuffix(".")
    return bare[:1].lower() + bare[1:] if _ORDINARY.match(bare) else bare
