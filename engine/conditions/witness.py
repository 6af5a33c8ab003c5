"""Which facts made a condition come out as it did: what a person should look at."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..inner_dots import matches
from ..regex import compiled
from .evaluate import Lookup, compile_node
from .parse import Node

Witness = tuple[str, int | None]
"""A fact, and which of its texts where it holds several."""


def witnesses(node: Node, lookup: Lookup) -> tuple[Witness, ...]:
    """The known facts that decided the value of a condition, in the order it names them.

    Of `a or b` with a true, only those of a; of `a and b` with a false, only those of a.
    """
    return tuple(dict.fromkeys(_walk(node, lookup)))


def _walk(node: Node, lookup: Lookup) -> Iterator[Witness]:
    kind = node[0]
    if kind == "fact":
        if lookup(node[1]) is not None:
            yield node[1], None
    elif kind == "said":
        yield from _sentences(node[1], lookup)
    elif kind in ("and", "or"):
        yield from _deciding(node, lookup)
    elif kind == "call" and node[1] == "contains":
        yield from _texts(node, lookup)
    else:
        for part in node[1:]:
            if isinstance(part, list):
                yield from _walk(part, lookup)


def _deciding(node: Node, lookup: Lookup) -> Iterator[Witness]:
    deciding = node[0] == "or"
    for part in node[1:]:
        value = compile_node(part)(lookup)
        if value is not None and bool(value) == deciding:
            yield from _walk(part, lookup)
            return
    for part in node[1:]:
        yield from _walk(part, lookup)


def _sentences(pattern: str, lookup: Lookup) -> Iterator[Witness]:
    sentences = lookup("log.prose")
    if isinstance(sentences, tuple):
        for index, sentence in enumerate(sentences):
            if any(matches(compiled(pattern, re.IGNORECASE), sentence)):
                yield "log.prose", index
                return


def _texts(node: Node, lookup: Lookup) -> Iterator[Witness]:
    name = node[2][1] if node[2][0] == "fact" else ""
    texts, part = lookup(name), compile_node(node[3])(lookup)
    if isinstance(texts, tuple) and isinstance(part, str):
        for index, text in enumerate(texts):
            if part.lower() in text.lower():
                yield name, index
                return
    elif texts is not None:
        yield name, None
