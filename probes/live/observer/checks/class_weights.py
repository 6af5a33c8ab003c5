"""Weights of classes that follow how often a class comes, where they are to make up for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..operations import Call
from .check import Check
from .tensors import readable

if TYPE_CHECKING:
    import torch

IGNORED = -100
"""What cross_entropy takes for no label by itself."""

LABELS = 100_000
"""Labels that are counted of one call."""

CLASSES = 1000
"""With more classes hardly any comes often enough to be compared."""

LEAST = 8
"""Labels of a class, from which on its share is known well enough."""

CALLS = 4
"""Batches that were counted, so that no single one decides."""

APART = 2.0
"""Times that one class comes more often than another, from which on they are set beside each other."""

FALLS = 2.0
"""Times that the commonest class weighs more than the rarest, from which on that is no rounding."""


class ClassWeights(Check):
    """Whether the commoner of two classes always weighs more, as where shares were taken for weights.

    What weighs nothing is left out on purpose (padding, void), and one weight that is lowered among equal ones, as that of
    the background, is a choice: so more than one step between the classes must follow their shares, or there are but two classes.
    """

    name = "class weights"
    early = CALLS
    functions = ("cross_entropy", "nll_loss")

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._counts: dict[int, torch.Tensor] = {}
        """How often each class came, by how many classes there are."""
        self._calls: dict[int, int] = {}

    def called(self, call: Call) -> None:
        """A loss over classes returned."""
        weight, target = call.argument(2, "weight"), call.argument(1, "target")
        if not readable(self.torch, weight) or not readable(self.torch, target) or target.is_floating_point():
            return
        classes = len(weight) if weight.dim() == 1 else 0
        if not 2 <= classes <= CLASSES:
            return
        labels = target.detach().reshape(-1)[:LABELS]
        labels = labels[
            (labels != call.argument(4, "ignore_index", IGNORED)) & (labels >= 0) & (labels < classes)
        ]
        counts = self.torch.bincount(labels, minlength=classes).cpu()
        self._counts[classes] = counts = self._counts.get(classes, 0) + counts
        self._calls[classes] = self._calls.get(classes, 0) + 1
        if self._calls[classes] >= CALLS:
            turned = _follows(counts.tolist(), weight.detach().float().cpu().tolist())
            if turned is not None:
                self.say("loss.class_weights_inverted", turned, call)


def _follows(counts: list[int], weights: list[float]) -> bool | None:
    """Whether of any two classes the commoner weighs more. None where too few are known, or none is rare."""
    known = sorted((count, weight) for count, weight in zip(counts, weights) if count >= LEAST and weight > 0)
    if len(known) < min(3, len(weights)) or known[-1][0] < APART * known[0][0]:
        return None
    if known[-1][1] < FALLS * known[0][1]:
        return False
    if len(known) > 2 and len({weight for _, weight in known}) < 3:
        return False
    return all(
        rarer[1] < commoner[1]
        for at, rarer in enumerate(known)
        for commoner in known[at + 1 :]
        if commoner[0] >= APART * rarer[0]
    )
