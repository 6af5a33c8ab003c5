"""Several backward passes for one step: is the loss divided by their number?"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..journal import Journal
from ..part import Part
from .leftovers import LeftOvers, Shrunk

if TYPE_CHECKING:
    import torch

    from ..watcher import Watcher

STEADY = 3
"""Steps with the same number of backward passes after which it is the loop's habit."""

LAST = 20
"""Steps after which the habit is known and nothing more is counted."""

FRAMES = 60
"""How far up the stack a call is followed."""

TERMS = 8
"""A sum of so many numbers may be one of terms, and what is summed in it averages."""

REDUCTION_SUM = 2
"""What a node of a loss of torch keeps for `reduction="sum"` (torch.nn._reduction.get_enum)."""

SUMS = (
    "MeanBackward",
    "SumBackward",
    "AddBackward",
    "SubBackward",
    "ToCopyBackward",
    "SqueezeBackward",
    "ViewBackward",
)


class Accumulation(Part):
    """Compares the passes of a step with what the graph divides its losses by (accumulation by hand).

    Only where each backward has its own forward and is called from the same lines as the others, as in a loop over
    batches, and there is one optimizer: a GAN backs up through real and fake, its critic steps many times before its
    generator does, and several losses of one forward are no accumulation. Nor is it where a module or the script clears between
    them, or puts other gradients in their place: samples that are clipped one by one, tasks that pull in different directions.
    """

    name = "accumulation"

    def __init__(self, journal: Journal, options: Mapping[str, Any], watcher: Watcher) -> None:
        self._journal = journal
        self._watcher = watcher
        self._passes = self._forwards = self._total = self._steady = 0
        self._last = self._before = 0
        self._factors: list[set[float] | None] = []
        self._callers: set[tuple[Any, ...]] = set()
        self._left = LeftOvers()
        self._replaced = False
        self._shrunk = Shrunk()
        self._kept = 1.0

    def before_forward(self, root: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """One forward more."""
        self._forwards += self._watcher.torch.is_grad_enabled()

    def before_backward(self, loss: torch.Tensor) -> None:
        """One pass more. What its loss was divided by stands in the graph."""
        if self._passes and self._left.are_gone():
            self._begin()
            self._forwards = 1
        self._passes += 1
        if self._watcher.step < LAST and len(self._factors) < 128:
            self._factors.append(divisors(loss))
            self._callers.add(callers())

    def after_backward(self, loss: torch.Tensor) -> None:
        """What it left."""
        models = [one for one in self._watcher.models.values() if one.is_alive]
        self._left.take(models)
        if self._passes > 1:
            self._shrunk.take(models)

    def gradients_cleared(self, optimizer: torch.optim.Optimizer) -> None:
        """What came before does not add up with what follows: the closure of LBFGS runs many times in a step."""
        self._begin()
        self._left.forget()

    def before_step(self, optimizer: torch.optim.Optimizer) -> None:
        """What follows within the step belongs to a search along a line, which asks for the loss again."""
        self._before = self._passes
        self._replaced = self._left.were_replaced()
        self._kept = self._shrunk.share_kept()

    def after_step(self, optimizer: torch.optim.Optimizer, step: int) -> None:
        """A round is complete."""
        searched = self._passes > self._before
        passes, forwards, factors = self._passes, self._forwards, self._factors
        in_a_loop = len(self._callers) <= 1
        self._begin()
        if step > LAST:
            self._watcher.remove(self)
        if self._watcher.models_found != 1:
            return
        self._total += passes
        self._steady = self._steady + 1 if passes == self._last else 0
        self._last = passes
        if step in (10, LAST):
            self._journal.fact("loss.backward_calls_per_step", round(self._total / step, 2))
        if searched or self._replaced or self._steady < STEADY or (passes > 1 and forwards != passes):
            return
        if passes <= 1:
            self._journal.fact("loss.accumulated_unscaled", False)
        elif in_a_loop and None not in factors and len(factors) == passes:
            divided = any(abs(one - passes) < 1e-3 * passes for each in factors if each for one in each)
            divided = divided or abs(self._kept * passes - 1) < 1e-3
            if not any(factors) or divided:
                self._journal.fact("loss.accumulated_unscaled", not divided)

    def _begin(self) -> None:
        self._passes, self._forwards, self._factors = 0, 0, []
        self._callers.clear()
        self._shrunk.forget()


def callers() -> tuple[Any, ...]:
    """The lines through which a backward pass was called, the innermost first."""
    found: list[Any] = []
    frame = sys._getframe(1)
    while frame is not None and len(found) < 2 * FRAMES:
        found += [frame.f_code, frame.f_lineno]
        frame = frame.f_back  # type: ignore[assignment]
    return tuple(found)


def divisors(loss: torch.Tensor) -> set[float] | None:
    """The constants that the loss was divided by, or None where it was divided by what is not constant, or is a sum.

    `loss / 4`, `loss * 0.25` and the sum of such terms give 4. The factor of a GradScaler counts for nothing. What is summed
    over samples, and not averaged, adds up rightly as it is.
    """
    found: set[float] = set()
    nodes: list[tuple[Any, bool]] = [(loss.grad_fn, False)]
    for _ in range(24):
        if not nodes:
            break
        node, averaged = nodes.pop()
        name = node.name() if node is not None else ""
        if name.startswith(("DivBackward", "MulBackward")):
            factor = constant(node._saved_other)
            if factor is None and name.startswith("Div"):
                return None
            if factor:
                found.add(factor if name.startswith("Div") else 1 / factor)
        elif not found and not averaged and _is_sum(node, name):
            return None
        elif not name.startswith(SUMS):
            continue
        averaged = averaged or name.startswith("MeanBackward")
        nodes += [(parent, averaged) for parent, _ in node.next_functions]
    return {value for value in found if value > 1}


def _is_sum(node: Any, name: str) -> bool:
    """Whether an operation adds up many numbers: a sum, or a loss of torch with `reduction="sum"`."""
    if name.startswith("SumBackward"):
        sizes = getattr(node, "_saved_self_sym_sizes", ())
        return math.prod(int(one) for one in sizes) > TERMS
    return getattr(node, "_saved_reduction", None) == REDUCTION_SUM


def constant(factor: Any) -> float | None:
    """The number that a node saved, where it is one that is not learnt, and can be read at once."""
    if isinstance(factor, (int, float)):
        return float(factor)
    if factor is None or factor.numel() != 1 or factor.requires_grad or factor.device.type != "cpu":
        return None
    return float(factor)
