"""A recurrent state that is cut from its graph before every time step, where only the last step reaches the loss."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..graphs import grad_fn_of, nodes_below
from ..look.values import tensors_in
from ..operations import Call
from .check import Check
from .tensors import readable

if TYPE_CHECKING:
    import torch

RECURRENT = ("lstm", "gru", "rnn_tanh", "rnn_relu", "lstm_cell", "gru_cell", "rnn_tanh_cell", "rnn_relu_cell")

FEW, MOST, NODES = 3, 256, 4000
"""Time steps below which nothing is said and above which none is followed, and nodes of the graph of a loss."""


class _Steps:
    """The calls of one layer since the last backward pass, each with the nodes of what it gave."""

    def __init__(self) -> None:
        self.states: list[Any] = []
        self.nodes: list[set[Any]] = []
        self.joined = False


class CutStates(Check):
    """Compares the state that a recurrent layer is given with the one that it gave last.

    The same numbers without a graph were cut. Where that is so at every time step, and the loss is computed from the last
    of them alone, the layer learns nothing of what came before. A state that is cut once for each stretch of a long sequence, or
    that of an agent that acts, is given to one call for each backward pass, or each of its steps has a loss of its own.
    """

    name = "cut states"
    early = 3
    functions = RECURRENT

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._steps: dict[int, _Steps] = {}

    def look_began(self, step: int) -> None:
        """No time step was taken yet."""
        self._steps = {}

    look_ended = look_began

    def called(self, call: Call) -> None:
        """One time step, if it is part of a graph."""
        key = self._key(call)
        given = [one for one in tensors_in(self.torch.Tensor, call.args[1:2]) if readable(self.torch, one)]
        nodes = {node for one in tensors_in(self.torch.Tensor, call.result) if (node := grad_fn_of(one))}
        if key is None or not given or not nodes:
            return
        steps = self._steps.setdefault(key, _Steps())
        if len(steps.nodes) >= MOST:
            return
        if steps.nodes and not steps.joined:
            steps.joined = not self._was_cut(given[0], steps.states)
        steps.states = [
            one.detach()
            for one in tensors_in(self.torch.Tensor, call.result)
            if one.shape[-1:] == given[0].shape[-1:]
        ]
        steps.nodes.append(nodes)

    def before_backward(self, loss: torch.Tensor) -> None:
        """Which of the steps does it come from?"""
        followed, self._steps = self._steps, {}
        for steps in followed.values():
            if len(steps.nodes) < FEW or len(steps.nodes) >= MOST:
                continue
            if steps.joined:
                self.say("grad.state_cut", False)
                continue
            below = set(nodes_below(loss.grad_fn, NODES))
            reached = [bool(nodes & below) for nodes in steps.nodes]
            if reached[-1] and not any(reached[:-1]):
                self.say("grad.state_cut", True, note=f"{len(reached)} time steps, and a gradient for one")

    def _key(self, call: Call) -> int | None:
        """The layer, by its first weight."""
        weight = next(tensors_in(self.torch.Tensor, call.args[2:3]), None)
        return None if weight is None else id(weight)

    def _was_cut(self, state: Any, before: list[Any]) -> bool:
        """Whether it is what was given last, and knows no more where it comes from."""
        if state.requires_grad:
            return False
        same = (one for one in before if one.shape == state.shape and one.device == state.device)
        return any(bool(self.torch.equal(one, state)) for one in same)
