"""Terms of one loss that are out of balance: one a sum over the batch and another a mean, or one that counts nothing."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ..look.values import tensors_in
from .check import Check
from .summed import SUMS, TERMS

if TYPE_CHECKING:
    import torch

FEWEST = 8
"""Times that the sum counts for more than a mean would, from which on they are out of balance."""

PASSED = ("NegBackward", "ToCopyBackward", "SqueezeBackward", "ViewBackward")
MEAN, SUM = 1, 2
"""Reductions, as the nodes of losses save them."""


class Balance(Check):
    """Weighs the terms of a loss as its graph shows them: the factor of each, and how it was reduced.

    A sum over a batch of N counts N times as much as the mean would. Where it was divided by N, or given a small
    weight, the terms are in balance; a sum over anything but the samples (weights) is none over the batch.
    """

    name = "balance"
    early = 2

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._batch = 0

    def before_forward(self, root: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """How many samples there are."""
        first: Any = next(tensors_in(self.torch.Tensor, (args, kwargs)), None)
        if self.torch.is_grad_enabled() and first is not None and first.dim():
            self._batch = int(first.shape[0])

    def before_backward(self, loss: torch.Tensor) -> None:
        """The terms are complete."""
        if loss.numel() != 1:
            return
        terms = _weighed(loss.grad_fn)
        if len(terms) > 1:
            self.say(
                "loss.terms_without_weight", sum(not weight and _is_computed(node) for node, weight in terms)
            )
        if self._batch >= FEWEST:
            self._compare([(_reduction(node, self._batch), weight) for node, weight in terms if weight])

    def _compare(self, weighed: list[tuple[int, float]]) -> None:
        sums = [weight for how, weight in weighed if how == SUM]
        means = [weight for how, weight in weighed if how == MEAN]
        if len(weighed) > 1 and means:
            least = min(means)
            self.say(
                "loss.sum_beside_mean",
                any(one * self._batch >= FEWEST * least for one in sums),
                note=f"a batch of {self._batch}",
            )


def _weighed(last: Any) -> list[tuple[Any, float]]:
    """The last nodes of what is added up to a loss, each with the factor that it has there."""
    nodes: list[tuple[Any, float]] = [(last, 1.0)]
    found: list[tuple[Any, float]] = []
    while nodes and len(found) + len(nodes) < TERMS:
        node, weight = nodes.pop()
        name = node.name() if node is not None else ""
        parents = (
            [parent for parent, _ in node.next_functions if parent is not None] if node is not None else []
        )
        if name.startswith(SUMS):
            alpha = abs(float(getattr(node, "_saved_alpha", 1) or 1))
            nodes += [(one, weight * (alpha if place else 1.0)) for place, one in enumerate(parents)]
        elif (
            len(parents) == 1
            and (factor := 1.0 if name.startswith(PASSED) else _factor(node, name)) is not None
        ):
            nodes.append((parents[0], weight * factor))
        elif node is not None:
            found.append((node, weight))
    return found


def _is_computed(node: Any) -> bool:
    """Whether a term is more than the sum of a parameter, which times zero is added so that the parameter takes part."""
    return not any(
        "AccumulateGrad" in parent.name() for parent, _ in node.next_functions if parent is not None
    )


def _factor(node: Any, name: str) -> float | None:
    """What one number is multiplied with, or divided by."""
    if not name.startswith(("MulBackward", "DivBackward")):
        return None
    try:
        saved = (getattr(node, "_saved_other", None), getattr(node, "_saved_self", None))
    except RuntimeError:  # changed in place since
        return None
    other = next((one for one in saved if one is not None), None)
    if other is None or getattr(other, "shape", ()) not in ((), (1,)):
        return None  # a tensor of several numbers is no weight
    value = abs(float(other))
    if not math.isfinite(value):
        return None
    if name.startswith("Mul"):
        return value
    return 1.0 / value if value else None


def _reduction(node: Any, batch: int) -> int:
    """Whether all samples were averaged (MEAN) or added up (SUM); 0 where neither is known."""
    name = node.name()
    if name.startswith("MeanBackward"):
        return MEAN
    if name.startswith("SumBackward0"):
        sizes = getattr(node, "_saved_self_sym_sizes", ())
        return SUM if sizes and int(sizes[0]) == batch else 0
    reduction = getattr(node, "_saved_reduction", 0)
    return reduction if reduction in (MEAN, SUM) else 0
