"""A term of the loss that has no graph: what it was computed from was cut, so that it is a number and teaches nothing."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any, NamedTuple

from ..graphs import grad_fn_of
from ..look.values import tensors_in
from ..operations import Call
from .check import Check
from .summed import nodes_of, parts_of

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

MAKES = (*LAYERS, "matmul", "__matmul__", "mm", "bmm", "einsum")
"""What makes something of its own of a tensor."""

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


class _Cut(NamedTuple):
    """The line at which a tensor was cut from its graph, and the number of the node that had made it.

    None where it has become something else since.
    """

    where: str
    source: int | None


class CutTerms(Check):
    """Follows what is cut from its graph up to where it is added to a term that has one, and on to the loss.

    Constants come from no graph. A number that was cut itself (`x - x.detach()`, a weight, a running mean) is
    meant so, as is a target, since what is computed from it and from a prediction has a graph again. What is
    subtracted may be a baseline. And what was cut may be compared with a codebook that no gradient moves, where the
    same values reach the loss by another term; through a layer they would have become something of its own.
    """

    name = "cut terms"
    early = 2
    functions = (*CUTS, *LAYERS, *HANDED_ON, *SUMS)

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._cut: dict[int, tuple[weakref.ref[Any], _Cut]] = {}
        self._added: dict[Any, _Cut] = {}

    def look_began(self, step: int) -> None:
        """Nothing was cut yet."""
        self._cut, self._added = {}, {}

    def called(self, call: Call) -> None:
        """A tensor is cut, handed on, or added."""
        result = call.result
        if not isinstance(result, self.torch.Tensor):
            return
        if call.name in SUMS and grad_fn_of(result) is not None:
            self._add(call)
        elif result.requires_grad or not result.is_floating_point() or len(self._cut) >= MOST:
            return
        elif call.name in CUTS or not self.torch.is_grad_enabled():
            nodes = [grad_fn_of(one) for one in _operands(self.torch, call) if one.numel() > 1]
            node = next((one for one in nodes if one is not None), None)
            if node is not None:
                whole = call.name in CUTS and self.torch.is_grad_enabled()
                self._follow(result, _Cut(str(call.place()), node._sequence_nr() if whole else None))
        elif self._cut:
            known = (self._cut_of(one) for one in _operands(self.torch, call))
            cut = next((one for one in known if one is not None), None)
            if cut is not None:
                self._follow(result, _Cut(cut.where, None) if call.name in MAKES else cut)

    def _follow(self, tensor: Any, cut: _Cut) -> None:
        """It is not kept alive: behind a checkpoint (torch.utils.checkpoint) that would be the memory it saves."""
        self._cut[id(tensor)] = (weakref.ref(tensor), cut)

    def _cut_of(self, tensor: Any) -> _Cut | None:
        """How it was cut, if it is one of those that are followed."""
        known = self._cut.get(id(tensor))
        return known[1] if known is not None and known[0]() is tensor else None

    def _add(self, call: Call) -> None:
        """One number that was cut, and one with a graph."""
        operands = _operands(self.torch, call)
        if self._cut and len(operands) == 2 and all(one.numel() == 1 for one in operands):
            for one in operands:
                cut = self._cut_of(one) if grad_fn_of(one) is None else None
                if cut is not None:
                    self._added[call.result.grad_fn] = cut

    def before_backward(self, loss: torch.Tensor) -> None:
        """Is it the loss that was added up?"""
        if not self._added:
            return
        cuts = [self._added[one] for one in parts_of(loss.grad_fn)[0] if one in self._added]
        within = {node._sequence_nr() for node in nodes_of(loss.grad_fn)} if cuts else set()
        lost = [one.where for one in cuts if one.source not in within]
        if lost:
            self.say("loss.term_lost", True)
            self.say("loss.term_lost_where", lost[0])

    def look_ended(self, step: int) -> None:
        """Nothing is followed any more."""
        self._cut, self._added = {}, {}


def _operands(torch: Any, call: Call) -> list[Any]:
    return list(tensors_in(torch.Tensor, call.args))
