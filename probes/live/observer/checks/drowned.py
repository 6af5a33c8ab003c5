"""A term of the loss that another one drowns: what it judges is at the level of guessing, and it hardly counts."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ..graphs import grad_fn_of
from ..operations import Call
from .balance import weighed
from .check import Check
from .tensors import readable

if TYPE_CHECKING:
    import torch

LATE = 100
"""Steps after which a cross-entropy that still guesses has learnt nothing."""

GUESSES = 0.97
"""The share of the logarithm of the number of classes from which on it guesses."""

SMALL = 0.01
"""A term that makes up less than this share of the loss is drowned by the others."""


class Drowned(Check):
    """Compares a cross-entropy with the whole loss that it is a term of, with the factor that it has there.

    Terms of very different size may be meant (a penalty, a divergence), and the small one may be learnt all the same.
    Of a cross-entropy it is known what guessing gives, so that one that is not learnt shows.
    """

    name = "drowned terms"
    functions = ("cross_entropy",)

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._step = 0
        self._means: dict[Any, tuple[float, float]] = {}

    def look_began(self, step: int) -> None:
        """Which step it is."""
        self._step = step
        self._means = {}

    def called(self, call: Call) -> None:
        """A cross-entropy returned: remember what it is, and what guessing would give."""
        scores, node = call.argument(0, "input"), grad_fn_of(call.result)
        mean = call.kwargs.get("reduction", "mean") == "mean" and call.result.dim() == 0
        if self._step >= LATE and mean and node is not None and readable(self.torch, scores):
            classes = scores.shape[1 if scores.dim() > 1 else 0]
            if classes > 1:
                self._means[node] = (float(call.result.detach()), math.log(classes))

    def before_backward(self, loss: torch.Tensor) -> None:
        """What does it count in the loss?"""
        if not self._means or loss.numel() != 1 or loss.grad_fn is None:
            return
        whole = abs(float(loss.detach()))
        terms = [one for one in weighed(loss.grad_fn) if one.node in self._means]
        for node, weight, _ in terms if math.isfinite(whole) and whole else ():
            value, guessing = self._means[node]
            share = weight * value / whole
            drowned = value >= GUESSES * guessing and 0.0 < share < SMALL
            note = f"{value:.3g}, where guessing gives {guessing:.3g}; {share:.2%} of the loss"
            self.say("loss.term_drowned", drowned, note=note if drowned else None)
            if drowned:
                break

    def look_ended(self, step: int) -> None:
        """Nothing is kept alive."""
        self._means = {}
