"""Terms of one loss that are out of balance: one a sum over the batch and another a mean, or one that counts nothing."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

from ..look.values import tensors_in
from .check import Check
from .pace import EARLY
from .summed import SUMS, TERMS

if TYPE_CHECKING:
    import torch

FEWEST = 8
"""Times that the sum counts for more than a mean would, from which on they are out of balance."""

PASSED = ("NegBackward", "ToCopyBackward", "SqueezeBackward", "ViewBackward")
WEIGHTED = ("MulBackward", "WhereBackward", "MaskedFillBackward")
MEAN, SUM = 1, 2
"""Reductions, as the nodes of losses save them."""


class Balance(Check):
    """Weighs the terms of a loss as its graph shows them: the factor of each, and how it was reduced.

    A sum over a batch of N counts N times as much as the mean would. Where it, and not the whole loss, was divided
    by N or more, it is a mean, and so may be a sum of products, with a mask or with weights that add up to 1; a sum
    over anything but the samples (the weights of a layer) is none over the batch.

    A loss whose number of terms differs already among the first steps (one for each frame of a sample, one in every
    third step) is made so, and its curve still has a shape. One that gains a term later has begun anew.
    """

    name = "balance"
    early = len(EARLY)

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._batch = 0
        self._counts: list[int] = []
        """The terms that count in each loss of this look."""
        self._usual: int | None = None
        self._varies = False

    def look_began(self, step: int) -> None:
        """No loss yet."""
        self._counts = []

    def look_ended(self, step: int) -> None:
        """Where each look has one loss, they compare."""
        if len(self._counts) == 1:
            self._usual = self._usual or self._counts[0]
            if self._counts[0] != self._usual and step in EARLY:
                self._varies = True
            elif self._counts[0] != self._usual and not self._varies:
                self.say("loss.terms_change", True)

    def before_forward(self, root: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """How many samples there are."""
        first: Any = next(tensors_in(self.torch.Tensor, (args, kwargs)), None)
        if self.torch.is_grad_enabled() and first is not None and first.dim():
            self._batch = int(first.shape[0])

    def before_backward(self, loss: torch.Tensor) -> None:
        """The terms are complete."""
        if loss.numel() != 1 or loss.grad_fn is None:
            return
        terms = weighed(loss.grad_fn)
        self._counts.append(sum(bool(one.weight) for one in terms))
        self.say("loss.terms", self._counts[-1])
        if len(terms) > 1:
            self.say(
                "loss.terms_without_weight", sum(not one.weight and _is_computed(one.node) for one in terms)
            )
        if self._batch >= FEWEST:
            self._compare([one for one in terms if one.weight])

    def _compare(self, terms: list[_Term]) -> None:
        reduced = [_reduced(term, self._batch) for term in terms]
        sums = [weight for how, weight in reduced if how == SUM]
        means = [weight for how, weight in reduced if how == MEAN]
        if len(terms) > 1 and means:
            self.say(
                "loss.sum_beside_mean",
                any(one * self._batch >= FEWEST * max(means) for one in sums),
                note=f"a batch of {self._batch}",
            )


class _Term(NamedTuple):
    """The last node of a term, the factor that the term has in the loss, and the least of those that are its own."""

    node: Any
    weight: float
    least: float


def weighed(last: Any) -> list[_Term]:
    """The last nodes of what is added up to a loss, each with the factor that it has there."""
    whole, weight, _ = _without_factors(last, 1.0)
    waiting = [_Term(whole, weight, 1.0)]
    found: list[_Term] = []
    while waiting and len(found) + len(waiting) < TERMS:
        node, weight, least = waiting.pop()
        if not node.name().startswith(SUMS):
            found.append(_Term(node, weight, least))
            continue
        alpha = abs(float(getattr(node, "_saved_alpha", 1) or 1))
        for place, (parent, _) in enumerate(node.next_functions):
            if parent is not None:
                inner, factor, own = _without_factors(parent, alpha if place else 1.0)
                waiting.append(_Term(inner, weight * factor, min(least, own)))
    return found


def _without_factors(node: Any, factor: float) -> tuple[Any, float, float]:
    """The first node below that is more than a factor, the product of the factors before it, and the least of them."""
    least = factor
    while len(parents := [parent for parent, _ in node.next_functions if parent is not None]) == 1:
        name = node.name()
        another = 1.0 if name.startswith(PASSED) else _factor(node, name)
        if another is None:
            break
        node, factor, least = parents[0], factor * another, min(least, another)
    return node, factor, least


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


def _reduced(term: _Term, batch: int) -> tuple[int, float]:
    """Whether all samples were averaged (MEAN) or added up (SUM), 0 where neither is known; and the factor of that."""
    node, weight, least = term
    name = node.name()
    reduction = MEAN if name.startswith("MeanBackward") else getattr(node, "_saved_reduction", 0)
    if name.startswith("SumBackward0"):
        sizes = getattr(node, "_saved_self_sym_sizes", ())
        inner, factor, own = _without_factors(node.next_functions[0][0], 1.0)
        weight, least = weight * factor, min(least, own)
        reduction = SUM if sizes and int(sizes[0]) == batch and not _is_weighted(inner) else 0
    if reduction == SUM and least <= 1 / batch:
        return MEAN, weight * batch
    return (reduction if reduction in (MEAN, SUM) else 0), weight


def _is_weighted(node: Any) -> bool:
    """Whether it multiplies two tensors, or leaves out some values, as a mask does. A square does neither."""
    parents = [parent for parent, _ in node.next_functions]
    square = len(parents) == 2 and parents[0] is parents[1]
    return node.name().startswith(WEIGHTED) and not square
