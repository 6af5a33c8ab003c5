"""Answers of a network of which dropout leaves some out, handed to a loss."""

from __future__ import annotations

from typing import Any

from ..operations import Call
from .check import Check
from .tensors import readable

DROPPING = ("dropout", "alpha_dropout", "feature_dropout", "dropout1d", "dropout2d", "dropout3d")
CLASSES = (
    "cross_entropy",
    "nll_loss",
    "log_softmax",
    "binary_cross_entropy_with_logits",
    "binary_cross_entropy",
)
NUMBERS = ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss")

FEW = 16
"""Numbers that a network is asked for directly, at most."""

FACT = "loss.scores_dropped_out"


class DroppedScores(Check):
    """Whether what a loss judges comes straight out of dropout: there a score that is left out is 0, whatever the network said.

    Dropout belongs before a layer that can make up for what is left out.
    """

    name = "dropped scores"
    early = 2
    functions = (*DROPPING, *CLASSES, *NUMBERS)

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._dropped: Any = None

    def look_began(self, step: int) -> None:
        """Nothing was dropped yet."""
        self._dropped = None

    def look_ended(self, step: int) -> None:
        """Let go of it."""
        self._dropped = None

    def called(self, call: Call) -> None:
        """Something was dropped, or judged."""
        if call.name in DROPPING:
            drops = call.argument(2, "training", True) and call.argument(1, "p", 0.5) > 0
            self._dropped = call.result if drops and readable(self.torch, call.result) else None
            return
        scores, dropped = call.argument(0, "input"), self._dropped
        if not readable(self.torch, scores) or not scores.requires_grad or self._said.get(FACT):
            return
        # Many numbers a sample are features, which one network may learn from another as they are.
        if call.name in CLASSES or (scores.dim() and scores.shape[-1] <= FEW):
            same = dropped is not None and dropped.data_ptr() == scores.data_ptr()
            self.say(FACT, same and dropped.numel() == scores.numel(), call)
