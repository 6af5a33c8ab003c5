"""Walks through the graphs of tensors, nearest nodes first, and bounded."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Callable

if TYPE_CHECKING:
    import torch


def grad_fn_of(tensor: Any) -> Any:
    """The last node of its graph, or None; also of a tensor that was never meant to be asked.

    A view that was made together with others, of what was changed in place since, raises where it is asked.
    """
    try:
        return tensor.grad_fn
    except RuntimeError:
        return None


def version_of(tensor: torch.Tensor) -> int:
    """Changes whenever it is written; -1 where that is not counted, as of what was made in inference mode."""
    try:
        return tensor._version
    except RuntimeError:
        return -1


def was_computed(tensor: torch.Tensor) -> bool:
    """Whether it has a graph that is more than a view of a leaf: the columns of an input that wants a gradient are given."""
    return grad_fn_of(tensor._base if tensor._is_view() else tensor) is not None


def nodes_below(last: Any, most: int, beyond: Callable[[Any], bool] = lambda node: True) -> list[Any]:
    """The nodes of a graph from `last` on (none where that is None): `most` that compute something, and their leaves.

    `beyond` says past which of them it goes on.
    """
    found: list[Any] = [] if last is None else [last]
    seen = set(found)
    left = most - len(found)
    for node in found:
        for parent, _ in node.next_functions if beyond(node) else ():
            if parent is None or parent in seen:
                continue
            computes = not _is_leaf(parent)
            if left > 0 or not computes:
                left -= computes
                seen.add(parent)
                found.append(parent)
    return found


def leaves_of(nodes: list[Any]) -> Iterator[torch.Tensor]:
    """The leaf tensors that want a gradient, to which these nodes lead."""
    return (node.variable for node in nodes if _is_leaf(node))


def _is_leaf(node: Any) -> bool:
    return type(node).__name__ == "AccumulateGrad"


def mark_of(node: Any) -> tuple[str, int]:
    """What tells a node of a graph from all others of its thread, without holding it."""
    if node is None or not hasattr(node, "_sequence_nr"):
        return "", -1
    return node.name(), int(node._sequence_nr())
