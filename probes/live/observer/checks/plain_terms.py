"""A term of the loss that is a plain number: a loss of two tensors of which neither has a graph."""

from __future__ import annotations

import weakref
from typing import Any

from ..graphs import grad_fn_of
from ..look.values import tensors_in
from ..operations import Call
from .check import Check
from .functions import SUMS
from .summed import parts_of

COMPARES = (
    "mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "cross_entropy", "nll_loss", "kl_div", "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
)  # fmt: skip
"""Losses of two tensors."""

DISTANCES = ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "kl_div")
"""Those of them that are zero where both are the same."""

NOTHING = 1e-6

AGAIN = 2
"""Looks in a row in which a term was zero."""

MEANS = ("mean", "sum")
"""What makes one number of many, as a loss that is written by hand does."""

SCALES = ("mul", "__mul__", "__rmul__", "div", "__truediv__", "neg", "__neg__")
"""What weighs a term."""

DIFFERENCES = ("sub", "__sub__")

MOST = 64
"""Numbers that are followed."""


class PlainTerms(Check):
    """Follows numbers that were computed where gradients are on, and have no graph, up to where they are added to the loss.

    By itself this says little: a part that is frozen for now may be judged as well. It tells where parameters that
    should train compute something that never reaches the loss (cuts.py), as where an update compares the outputs that
    were stored when the data was gathered, and not those of its own forward.
    """

    name = "plain terms"
    early = 2
    functions = (*COMPARES, *MEANS, *SCALES, *SUMS, *DIFFERENCES)

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._zero = 0
        self._begin()

    def _begin(self) -> None:
        self._plain: dict[int, tuple[weakref.ref[Any], str]] = {}
        self._nothing: set[str] = set()
        """Where the distance of two tensors was zero."""
        self._added: dict[Any, str] = {}

    def look_began(self, step: int) -> None:
        """Nothing was computed yet."""
        self._begin()

    def look_ended(self, step: int) -> None:
        """No graph is kept."""
        self._begin()

    def called(self, call: Call) -> None:
        """A number is computed, weighed, or added."""
        result = call.result
        if not isinstance(result, self.torch.Tensor) or result.numel() != 1:
            return
        operands = list(tensors_in(self.torch.Tensor, (call.args, call.kwargs)))
        if grad_fn_of(result) is not None:
            if self._plain and call.name in (*SUMS, *DIFFERENCES):
                known = [where for one in operands if (where := self._where(one))]
                if known and len(operands) > 1:
                    self._added[result.grad_fn] = known[0]
        elif self.torch.is_grad_enabled() and result.is_floating_point() and len(self._plain) < MOST:
            where = self._of_many(call, operands) or next(filter(None, map(self._where, operands)), "")
            if where:
                self._plain[id(result)] = (weakref.ref(result), where)

    def _of_many(self, call: Call, operands: list[Any]) -> str:
        """The line, where this compares many numbers, or takes their mean."""
        many = [one for one in operands if one.numel() > 1]
        if len(many) < (2 if call.name in COMPARES else 1):
            return ""
        where = str(call.place())
        varied = bool((many[0] != many[0].flatten()[0]).any())
        if call.name in DISTANCES and varied and abs(call.result.item()) < NOTHING:
            self._nothing.add(where)
        return where

    def _where(self, tensor: Any) -> str:
        known = self._plain.get(id(tensor))
        return known[1] if known is not None and known[0]() is tensor else ""

    def before_backward(self, loss: Any) -> None:
        """Is it the loss that they were added to?"""
        if self._added:
            where = next((self._added[one] for one in parts_of(loss.grad_fn)[0] if one in self._added), "")
            if where:
                self.say("loss.term_plain", True)
                self.say("loss.term_plain_where", where)
                self._zero = self._zero + 1 if where in self._nothing else 0
                if self._zero:
                    self.say("loss.term_of_itself", self._zero >= AGAIN)
