"""Updates that rounding takes away: numbers of BF16 weights that have a gradient, and stand after the step where they stood before."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch

SAMPLES = 6
"""Steps of each half of a run that it is judged by."""

OWN_MEANS = "torch.optim"
"""Optimizers of others may round at random, or keep what was lost."""


class LostUpdates:
    """The share of the sampled numbers that did not move, though they have a gradient.

    A warm-up begins with small steps, and a run that has converged ends with them: the better half of the run counts.
    """

    def __init__(self) -> None:
        self._shares: list[float] = []

    def measure(
        self,
        torch: Any,
        optimizer: torch.optim.Optimizer,
        sample: list[tuple[torch.Tensor, torch.Tensor, torch.Tensor]],
    ) -> list[torch.Tensor]:
        """Of some numbers of a parameter before, after, and of its gradient: how many have one, and how many of those stayed. Each on its device."""
        if not type(optimizer).__module__.startswith(OWN_MEANS):
            return []
        halves = [one for one in sample if one[0].dtype == torch.bfloat16]
        return [
            torch.stack([(gradient != 0).sum(), ((before == after) & (gradient != 0)).sum()])
            for before, after, gradient in halves
        ]

    def read(self, counts: list[float]) -> None:
        """What came of one step, of all parameters in turn."""
        driven, still = sum(counts[::2]), sum(counts[1::2])
        if driven:
            self._shares.append(still / driven)

    def share(self) -> float | None:
        """The usual share in the half of the run where it is smaller; None before enough was seen."""
        middle = len(self._shares) // 2
        if middle < SAMPLES:
            return None
        halves = sorted(self._shares[:middle]), sorted(self._shares[middle:])
        return min(one[len(one) // 2] for one in halves)
