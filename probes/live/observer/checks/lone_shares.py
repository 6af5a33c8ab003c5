"""A softmax over a single number, which is 1 whatever the network thinks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..graphs import grad_fn_of
from ..operations import Call
from .check import Check
from .tensors import activation_nodes, readable

if TYPE_CHECKING:
    import torch

SOFTMAX = ("softmax", "log_softmax")
LOSSES = ("binary_cross_entropy", "binary_cross_entropy_with_logits", "mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "nll_loss")  # fmt: skip

LOOKS = 2
"""In so many steps it must be so."""


class LoneShares(Check):
    """Follows what a model gives, or a loss is given, back to a softmax over an axis of one number.

    Inside a network it does no harm: attention over one key, a mixture of one expert. What has several to share in other
    steps, as an agent whose choices come and go, has one by chance.
    """

    name = "lone shares"
    early = 4
    functions = (*SOFTMAX, *LOSSES)

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._sizes: list[tuple[Any, int]] = []
        """The node of each softmax of this look, and over how many numbers it runs."""
        self._found = self._several = False
        self._looks = 0

    def look_began(self, step: int) -> None:
        """No softmax yet."""
        self._sizes, self._found = [], False

    def called(self, call: Call) -> None:
        """A softmax, or a loss that may be given what it made."""
        given = call.argument(0, "input")
        if call.name not in SOFTMAX:
            self._follow(given)
        elif readable(self.torch, given) and given.requires_grad and given.dim():
            axis = call.argument(1, "dim")
            if axis is None:  # torch chooses one then
                axis = 0 if given.dim() in (1, 3) else 1
            if isinstance(axis, int):
                self._sizes.append((grad_fn_of(call.result), int(given.shape[axis])))

    def after_forward(self, root: torch.nn.Module, output: Any) -> None:
        """A model gave something."""
        self._follow(output)

    def _follow(self, values: Any) -> None:
        """Does it come straight from a softmax, and over how many numbers?"""
        if not self._sizes or not readable(self.torch, values) or values.numel() < 2:
            return
        for _, made in activation_nodes(values, 1):
            size = next((size for node, size in self._sizes if node is made), 0)
            self._several = self._several or size > 1
            self._found = self._found or size == 1

    def look_ended(self, step: int) -> None:
        """What was found so often is no chance."""
        self._sizes = []
        self._looks += self._found
        if self._found and self._looks >= LOOKS and not self._several:
            self.say("loss.softmax_over_one", True)
        elif self._several:
            self.retract("loss.softmax_over_one")
        self._found = False
