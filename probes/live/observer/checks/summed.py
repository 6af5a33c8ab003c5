"""What is added up to a loss, as its graph shows."""

from __future__ import annotations

from typing import Any, Callable

from ..graphs import nodes_below

SUMS = ("AddBackward", "SubBackward")
PASSED = ("MulBackward", "DivBackward", "NegBackward", "ToCopyBackward", "SqueezeBackward", "ViewBackward", "SumBackward",
          "MeanBackward", "StackBackward", "CatBackward")  # fmt: skip
"""What a sum of terms goes through on its way to the loss."""

TERMS, NODES = 16, 5000
"""Terms of a loss, and nodes of a graph, that are followed."""


def terms_of(last: Any) -> list[Any]:
    """The last nodes of what is added up to a loss."""
    return parts_of(last)[1]


def parts_of(last: Any) -> tuple[list[Any], list[Any]]:
    """The nodes that add up a loss, and the last nodes of what they add up."""
    nodes: list[Any] = [last]
    found: list[Any] = []
    sums: list[Any] = []
    while nodes and len(found) + len(nodes) < TERMS:
        node = nodes.pop()
        name = node.name() if node is not None else ""
        parents = (
            [parent for parent, _ in node.next_functions if parent is not None] if node is not None else []
        )
        several = name.startswith((*SUMS, "StackBackward", "CatBackward"))
        if several or (name.startswith(PASSED) and len(parents) == 1):
            nodes += parents
            sums += [node] * several
        elif node is not None:
            found.append(node)
    return sums, [*found, *nodes]


def nodes_of(last: Any, beyond: Callable[[Any], bool] = lambda node: True) -> list[Any]:
    """The nodes of a graph, NODES of them at most, from the loss on; `beyond` says past which of them it goes on."""
    return nodes_below(last, NODES, beyond)
