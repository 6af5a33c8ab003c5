"""Finds the node of a graph whose backward is the first to give a non-finite gradient from finite ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..graphs import leaves_of, nodes_below
from .operand import maker_of_operand
from .values import nonfinite, statistics

if TYPE_CHECKING:
    import torch

NODES = 50_000
"""How many nodes of a graph are watched."""


@dataclass
class BackwardFound:
    """`node`: its name. `number`: its sequence number. `value`: `nan` or `inf`. `incoming`: the finite gradients.

    `maker`: the operation that gave it an infinite operand, with the number of its node.
    """

    node: str
    number: int
    value: str
    incoming: list[dict[str, Any]]
    maker: tuple[str, int] | None = None


class WatchedGraph:
    """Hooks on the nodes of one graph, which look at the gradients and hand back nothing."""

    def __init__(self, torch: Any, loss: torch.Tensor) -> None:
        self._torch = torch
        self.found: BackwardFound | None = None
        self._handles = [
            self._watch(node) for node in nodes_of(loss) if node.name() != "torch::autograd::AccumulateGrad"
        ]

    def remove(self) -> None:
        """Take the hooks out again."""
        for handle in self._handles:
            handle.remove()

    def _watch(self, node: Any) -> Any:
        name, number = node.name(), node._sequence_nr()

        def look(outgoing: Any, incoming: Any) -> None:
            if self.found is not None:
                return
            bad = self._first_bad(outgoing)
            if bad and not self._first_bad(incoming):
                known = [statistics(self._torch, one) for one in incoming if one is not None]
                self.found = BackwardFound(name, number, bad, known, maker_of_operand(self._torch, node))

        return node.register_hook(look)

    def _first_bad(self, gradients: Any) -> str | None:
        tensors = (one for one in gradients if one is not None)
        return next((bad for bad in (nonfinite(self._torch, one) for one in tensors) if bad), None)


def run_backward(torch: Any, loss: torch.Tensor) -> BackwardFound | None:
    """Run the backward pass of a graph without using it up, and say which node was first to fail.

    The graph of a twin runs on into that of the run, where it was computed from what has no twin. What the run has
    used up itself, or changed in place, cannot be run; then what was seen up to there counts.
    """
    watched = WatchedGraph(torch, loss)
    leaves = list(leaves_of(nodes_of(loss)))
    try:
        if leaves and loss.numel() == 1:
            torch.autograd.grad(loss, leaves, allow_unused=True, retain_graph=True)
    except RuntimeError:
        return watched.found
    finally:
        watched.remove()
    return watched.found


def nodes_of(loss: torch.Tensor) -> list[Any]:
    """The nodes of the graph below this tensor, each once."""
    return nodes_below(loss.grad_fn, NODES)
