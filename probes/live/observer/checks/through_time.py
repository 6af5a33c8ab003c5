"""How much of the gradient is left at the first step of a loop over time, or behind a long row of layers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..operations import Call
from .check import Check
from .tensors import readable

if TYPE_CHECKING:
    import torch

LONG = 20
"""Results of one activation and one shape in a forward that make a loop over time steps (limit.recurrence_long), or as many layers."""

TITLES = 8
"""Activations that are followed."""

_Title = tuple[str, tuple[int, ...]]
"""The function, and the shape of its results."""


class ThroughTime(Check):
    """Sets the gradient that reaches the first result of such an activation beside that of the last one.

    The steps share their weights, so that the gradients of these tell nothing of it. Where each step has a loss of its own, the first ones
    have gradients, too; where a state is cut, nothing is compared. Of several activations the one that keeps most counts.
    """

    name = "through time"
    functions = (
        "relu",
        "tanh",
        "sigmoid",
        "gelu",
        "elu",
        "selu",
        "silu",
        "leaky_relu",
        "softplus",
        "hardtanh",
    )

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._results: dict[_Title, tuple[int, Any, Any]] = {}
        """How many results there were, the node of the first, and of the last."""
        self._handles: list[Any] = []
        self._norms: dict[tuple[_Title, bool], Any] = {}

    def look_began(self, step: int) -> None:
        """Nothing is known."""
        self._forget()

    def before_forward(self, root: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """From here on they are counted anew."""
        self._results.clear()

    def called(self, call: Call) -> None:
        """An activation returned."""
        if not readable(self.torch, call.result) or call.result.grad_fn is None:
            return
        title = (call.name, tuple(call.result.shape))  # to ask for the line costs more than a small step
        if title in self._results:
            times, first, _ = self._results[title]
            self._results[title] = (times + 1, first, call.result.grad_fn)
        elif len(self._results) < TITLES:
            self._results[title] = (1, call.result.grad_fn, None)

    def before_backward(self, loss: torch.Tensor) -> None:
        """Listen at the first and the last of the long ones."""
        for title, (times, first, last) in self._results.items():
            if times >= LONG:
                self._handles += [self._listen(first, (title, True)), self._listen(last, (title, False))]
        self._results.clear()

    def after_backward(self, loss: torch.Tensor) -> None:
        """What came?"""
        ratios = [
            float(norm / last)
            for (title, is_first), norm in self._norms.items()
            if is_first and (last := self._norms.get((title, False))) is not None and float(last) > 0
        ]
        self._forget()
        if ratios:
            self.say("grad.through_time", max(ratios))

    def look_ended(self, step: int) -> None:
        """Nothing is kept."""
        self._forget()

    def _listen(self, node: Any, key: tuple[_Title, bool]) -> Any:
        def came(_: Any, grads: Any) -> None:
            if grads and grads[0] is not None:
                self._norms[key] = self.torch.linalg.vector_norm(grads[0].detach().float())

        return node.register_hook(came)

    def _forget(self) -> None:
        for one in self._handles:
            one.remove()
        self._handles.clear()
        self._norms.clear()
        self._results.clear()
