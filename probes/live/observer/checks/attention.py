"""Attention that runs over the samples of a batch, where it should run over the places of a sequence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..look.places import Place
from ..look.values import tensors_in
from ..operations import Call
from .check import Check

if TYPE_CHECKING:
    import torch

ATTENTION = "multi_head_attention_forward"
"""What nn.MultiheadAttention, and the layers made of it, call in training. It takes the sequence first."""

LOSSES = (
    "cross_entropy",
    "nll_loss",
    "binary_cross_entropy_with_logits",
    "mse_loss",
    "l1_loss",
    "smooth_l1_loss",
)


class Attention(Check):
    """Compares the first axis of what attends with the samples of the input, and of what the loss is given.

    Without batch_first=True such a layer takes (sequence, batch, width). Given (batch, sequence, width) it raises
    nothing: each sample then looks at the others of its batch. An input that stands sequence first does not end in
    a loss over as many samples as it has places; only a loss with more axes than samples and classes may be one over
    places, and tells nothing. A second axis of one is attention between samples that is meant.
    """

    name = "attention"
    early = 2
    functions = (ATTENTION, *LOSSES)

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._batch = 0
        self._attends = False
        self._over: Place | None = None

    def look_began(self, step: int) -> None:
        """Nothing attended yet."""
        self._batch, self._attends, self._over = 0, False, None

    def before_forward(self, root: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """How many samples there are, if the batch comes first."""
        first: Any = next(tensors_in(self.torch.Tensor, (args, kwargs)), None)
        if first is not None and first.dim():
            self._batch = int(first.shape[0])

    def called(self, call: Call) -> None:
        """A layer attends, or a loss is computed of what came out."""
        first = call.argument(0, "query" if call.name == ATTENTION else "input")
        if not isinstance(first, self.torch.Tensor) or not first.dim() or not self._batch:
            return
        if call.name != ATTENTION:
            if self._attends and first.dim() <= 2 and first.shape[0] == self._batch:
                self.say("model.attention_over_batch", self._over is not None, place=self._over)
        elif first.dim() == 3:
            self._attends = True
            if first.shape[0] == self._batch and first.shape[1] not in (1, self._batch):
                self._over = self._over or call.place()
