"""A term of the loss that has no graph: what it was computed from was cut, so that it is a number and teaches nothing."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

from ..look.values import tensors_in
from ..operations import Call
from .check import Check
from .summed import parts_of

if TYPE_CHECKING:
    import torch

CUTS = ("detach", "__get__")
"""What gives a tensor without a graph from one with it; `__get__` is that of `.data`."""

LAYERS = (
    "linear",
    "conv1d",
    "conv2d",
    "conv3d",
    "embedding",
    "layer_norm",
    "batch_norm",
    "relu",
    "lstm",
    "gru",
)
"""What computes something new where gradients are switched off."""

HANDED_ON = (
    "clone", "to", "float", "contiguous", "reshape", "view", "flatten", "unsqueeze", "squeeze", "permute", "transpose",
    "__getitem__", "cat", "stack", "matmul", "__matmul__", "mm", "bmm", "einsum", "normalize", "interpolate", "softmax",
    "log_softmax", "sigmoid", "clamp", "mul", "__mul__", "__rmul__", "div", "__truediv__", "sub", "__sub__", "__rsub__",
    "rsub", "neg", "__neg__", "pow", "__pow__", "square", "abs", "sqrt", "exp", "log", "log1p", "mean", "sum", "norm",
    "vector_norm", "avg_pool2d", "adaptive_avg_pool2d", "max_pool2d", "cosine_similarity", "pairwise_distance",
    "l1_loss", "mse_loss", "smooth_l1_loss", "huber_loss", "cross_entropy", "nll_loss", "kl_div",
    "binary_cross_entropy", "binary_cross_entropy_with_logits",
)  # fmt: skip
"""What is computed from it and has no graph either. The largest of several is no term: it keeps a sum in range."""

SUMS = ("add", "__add__", "__radd__", "__iadd__", "add_")

MOST = 256
"""Tensors that are followed."""


class CutTerms(Check):
    """Follows what is cut from its graph up to where it is added to a term that has one, and on to the loss.

    Constants come from no graph. A number that was cut itself (`x - x.detach()`, a weight, a running mean) is
    meant so, as is a target, since what is computed from it and from a prediction has a graph again. What is
    subtracted may be a baseline.
    """

    name = "cut terms"
    early = 2
    functions = (*CUTS, *LAYERS, *HANDED_ON, *SUMS)

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._cut: dict[int, tuple[weakref.ref[Any], str]] = {}
        self._added: dict[Any, str] = {}

    def look_began(self, step: int) -> None:
        """Nothing was cut yet."""
        self._cut, self._added = {}, {}

    def called(self, call: Call) -> None:
        """A tensor is cut, handed on, or added."""
        result = call.result
        if not isinstance(result, self.torch.Tensor):
            return
        if call.name in SUMS and result.grad_fn is not None:
            self._add(call)
        elif result.requires_grad or not result.is_floating_point() or len(self._cut) >= MOST:
            return
        elif call.name in CUTS or not self.torch.is_grad_enabled():
            if any(one.grad_fn is not None and one.numel() > 1 for one in _operands(self.torch, call)):
                self._follow(result, str(call.place()))
        elif self._cut:
            known = (self._where(one) for one in _operands(self.torch, call))
            where = next((one for one in known if one is not None), None)
            if where is not None:
                self._follow(result, where)

    def _follow(self, tensor: Any, where: str) -> None:
        """It is not kept alive: behind a checkpoint (torch.utils.checkpoint) that would be the memory it saves."""
        self._cut[id(tensor)] = (weakref.ref(tensor), where)

    def _where(self, tensor: Any) -> str | None:
        """The line at which it was cut, if it is one of those that are followed."""
        known = self._cut.get(id(tensor))
        return known[1] if known is not None and known[0]() is tensor else None

    def _add(self, call: Call) -> None:
        """One number that was cut, and one with a graph."""
        operands = _operands(self.torch, call)
        if self._cut and len(operands) == 2 and all(one.numel() == 1 for one in operands):
            for one in operands:
                where = self._where(one) if one.grad_fn is None else None
                if where is not None:
                    self._added[call.result.grad_fn] = where

    def before_backward(self, loss: torch.Tensor) -> None:
        """Is it the loss that was added up?"""
        lost = (
            [self._added[one] for one in parts_of(loss.grad_fn)[0] if one in self._added]
            if self._added
            else []
        )
        if lost:
            self.say("loss.term_lost", True)
            self.say("loss.term_lost_where", lost[0])

    def look_ended(self, step: int) -> None:
        """Nothing is followed any more."""
        self._cut, self._added = {}, {}


def _operands(torch: Any, call: Call) -> list[Any]:
    return list(tensors_in(torch.Tensor, call.args))
