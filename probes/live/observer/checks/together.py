"""A loss that only draws outputs of one network together: the same output for everything is its best."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ..graphs import grad_fn_of, leaves_of, nodes_below
from ..operations import Call
from .accumulation import constant
from .check import Check
from .tensors import ROWS, readable

if TYPE_CHECKING:
    import torch

KEPT = re.compile(r"(Mean|Sum|ToCopy|Squeeze|Unsqueeze|View|Stack|Cat|Select|Expand|Clone)Backward")
"""Nodes through which a term goes on its way to the loss, with its sign."""

KEEPS_APART = re.compile(r"Cholesky|Inv|Solve|Svd|Eig|Qr|Sort|MaxBackward")
"""Nodes of a network that whitens what it gives, or picks among samples: it cannot give the same for all."""

NODES, FEWEST, NEAR = 4000, 4, 1e-2
"""Nodes of a graph that are visited, samples of a batch, and how near to 1 the length of a normalised row is."""


class Together(Check):
    """Follows cosines to the loss, and the two outputs that each compares back to the weights.

    Without pairs that are pushed apart, a siamese network collapses as soon as gradients flow into both of its outputs;
    so one of them is cut from its graph, or comes from a running mean of the network (arXiv 2011.10566, section 4.1).
    """

    name = "together"
    early = 3
    functions = ("cosine_similarity", "mul", "__mul__")

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._cosines: dict[Any, tuple[Any, Any, Any]] = {}
        self._alone: list[Any] = []
        self._others = False

    def look_began(self, step: int) -> None:
        """No cosine was taken yet."""
        self._cosines, self._alone, self._others = {}, [], False

    def called(self, call: Call) -> None:
        """Is it a cosine of two outputs, both with a graph?"""
        left, right = call.argument(0, "x1"), call.argument(1, "x2")
        for one in (left, right):
            if not readable(self.torch, one) or one.dim() != 2 or len(one) < FEWEST or one.shape[1] < 2:
                return
        if left.shape != right.shape or left is right or len(self._cosines) > ROWS:
            return
        if call.name != "cosine_similarity" and not (_is_normal(left) and _is_normal(right)):
            return
        first, second = grad_fn_of(left), grad_fn_of(right)
        if first is not None and second is not None:
            self._cosines[grad_fn_of(call.result)] = (first, second, call.place())
        elif first is not None or second is not None:
            self.say("loss.nothing_holds_apart", False)

    def before_backward(self, loss: torch.Tensor) -> None:
        """Is this loss made of nothing but such cosines, each of which is to grow?"""
        ends = list(_ends(grad_fn_of(loss), self._cosines)) if self._cosines else []
        if not ends or not all(node in self._cosines and sign < 0 for node, sign in ends):
            self._others = True
            return
        first, second, place = self._cosines[ends[0][0]]
        below = [nodes_below(one, NODES) for one in (first, second)]
        weights = [{id(leaf) for leaf in leaves_of(nodes)} for nodes in below]
        if weights[0] & weights[1] and not any(
            KEEPS_APART.search(one.name()) for nodes in below for one in nodes
        ):
            self._alone.append(place)
        else:
            self._others = True

    def look_ended(self, step: int) -> None:
        """Nothing else was learnt in this round?"""
        if self._alone and not self._others:
            self.say("loss.nothing_holds_apart", True, place=self._alone[0])
        self._cosines, self._alone = {}, []


def _ends(last: Any, known: Any) -> Iterator[tuple[Any, int]]:
    """The nodes that a loss is added up of, each with its sign (0 where that is not known)."""
    waiting = [(last, 1)]
    for _ in range(64):
        if not waiting:
            return
        node, sign = waiting.pop()
        terms = _terms(node, sign) if node is not None and node not in known else None
        if terms is None:
            yield node, sign
        else:
            waiting += terms


def _terms(node: Any, sign: int) -> list[tuple[Any, int]] | None:
    """The nodes that make up a sum, a product with a constant or a mean, with their signs; None for any other node."""
    name = node.name()
    parents = [parent for parent, _ in node.next_functions]
    with_graph = [one for one in parents if one is not None]
    if name.startswith(("AddBackward", "SubBackward")):
        signs = [sign, -sign if name.startswith("Sub") else sign]
        return [(one, signs[place]) for place, one in enumerate(parents) if one is not None]
    if name.startswith(("NegBackward", "RsubBackward")):
        return [(one, -sign) for one in with_graph]
    if name.startswith(("MulBackward", "DivBackward")) and len(with_graph) == 1:
        factor = constant(node._saved_other)
        return [(with_graph[0], 0 if factor is None else sign if factor > 0 else -sign)]
    if KEPT.match(name) and with_graph:
        return [(one, sign) for one in with_graph]
    return None


def _is_normal(rows: Any) -> bool:
    """Whether each row has the length 1."""
    return bool(((rows.detach()[:ROWS].float().norm(dim=1) - 1).abs() < NEAR).all())
