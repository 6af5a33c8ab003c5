"""The size and the level of what a model is given in evaluation, beside what it is given in training."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..graphs import grad_fn_of
from ..journal import Journal
from ..look.values import tensors_in
from ..part import Part
from .levels import Levels, level_of, normalised_side
from .tensors import readable

if TYPE_CHECKING:
    import torch

    from ..watcher import Watcher

LEAST = 256
"""An input of fewer numbers, as the observation of an agent, may be small or large by chance."""

MOST = 1 << 18
"""Numbers of an input that are measured, about."""

FEW = 4
"""Calls of each kind that are measured one after the other; from there on ever fewer."""

ENOUGH = (2, 3)
"""Inputs of evaluation, and of training, without which nothing is said."""

MODELS = 8


class _Side:
    """The calls of one model in evaluation, or in training, and the size of some of their inputs."""

    def __init__(self) -> None:
        self.calls = 0
        self.next = 1
        self.sizes: list[torch.Tensor] = []
        self.levels: Levels = []

    def due(self) -> bool:
        """Whether this call is one of those that are measured: they lie all over the run, and are some dozens of any number."""
        self.calls += 1
        if self.calls < self.next:
            return False
        self.next = self.calls + max(1, self.calls // FEW)
        return True

    def range(self) -> tuple[float, float]:
        """The smallest and the largest. An input of nothing but zeros stands for none."""
        sizes = [size for size in map(float, self.sizes) if 0 < size < math.inf]
        return min(sizes, default=0.0), max(sizes, default=0.0)


class Scales(Part):
    """Compares root mean squares of the first input: in train mode with gradients, in eval mode without.

    A sampler begins with noise and ends with pictures, and an agent's world grows as it learns. So all inputs of evaluation must
    be larger, or all smaller, than all of training. The numbers stay on the device until the process ends.
    """

    name = "scales"

    def __init__(self, journal: Journal, options: Mapping[str, Any], watcher: Watcher) -> None:
        self._journal = journal
        self._torch = watcher.torch
        self._is_grad_enabled = watcher.torch.is_grad_enabled
        self._seen: dict[tuple[int, int], tuple[_Side, _Side]] = {}

    def before_forward(self, root: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Measure it, where it is time to."""
        trains = self._is_grad_enabled()
        if trains != root.training:
            return
        first: Any = next(tensors_in(self._torch.Tensor, (args, kwargs)), None)
        if first is None:
            return
        key = id(root), first.dim()
        sides = self._seen.get(key)
        if sides is None:
            if len(self._seen) >= MODELS:
                return
            sides = self._seen[key] = (_Side(), _Side())
        if sides[trains].due() and self._tells(first):
            side = sides[trains]
            side.sizes.append(self._size(first))
            if (level := level_of(self._torch, first)) is not None:
                side.levels.append((len(first), level))

    def ended(self) -> None:
        """Compare them. A device that has failed gives nothing back."""
        seen = [
            sides
            for sides in self._seen.values()
            if all(len(side.sizes) >= enough for side, enough in zip(sides, ENOUGH))
        ]
        with contextlib.suppress(RuntimeError):
            known = [times for one, other in seen if (times := _times(one.range(), other.range()))]
            if known:
                farthest = max(known, key=lambda one: abs(math.log(one)))
                self._journal.fact("data.inputs.eval_over_train", farthest)
            for one, other in seen:
                if (side := normalised_side(self._torch, other.levels, one.levels)) is not None:
                    self._journal.fact("data.inputs.normalised_in", side)

    def _tells(self, tensor: Any) -> bool:
        """Whether it is data, and enough of it."""
        return (
            readable(self._torch, tensor)
            and tensor.is_floating_point()
            and tensor.dim() > 1
            and tensor.numel() >= LEAST
            and grad_fn_of(tensor) is None
            # What is recorded as a graph of the device would be computed with it each time.
            and not (tensor.is_cuda and self._torch.cuda.is_current_stream_capturing())
        )

    def _size(self, tensor: torch.Tensor) -> torch.Tensor:
        with self._torch.no_grad():
            some = tensor.detach()[: max(1, MOST // max(1, tensor[0].numel()))].float()
            norm: torch.Tensor = self._torch.linalg.vector_norm(some) / math.sqrt(some.numel())
        return norm


def _times(evaluation: tuple[float, float], training: tuple[float, float]) -> float:
    """How many times as large the nearest inputs of the two are; 1 where they meet, 0 where nothing was measured."""
    if not evaluation[1] or not training[1]:
        return 0.0
    if evaluation[0] > training[1]:
        return evaluation[0] / training[1]
    return evaluation[1] / training[0] if evaluation[1] < training[0] else 1.0
