"""Runs in which no optimizer of torch steps: the script moves its weights itself, or should."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..journal import Journal
from ..part import Part
from ..reached import leaves
from .tensors import readable

if TYPE_CHECKING:
    import torch

    from ..watcher import Watcher

ENOUGH = 20
"""Gradients from which on a run trains: of fewer, a model is examined."""

EVERY = 10
"""Weights are looked at in one of so many computations of gradients."""

TENSORS, VALUES = 4, 64
"""Tensors, and numbers of each, by which weights are known."""

SEVERAL = 2
"""A picture that is changed until a model takes it for another is one tensor; a model has several."""

LEVELS = 8
"""Transformations of torch.func that may lie around a tensor."""


class ByHand(Part):
    """Counts gradients until an optimizer steps; where none ever does, says so, and whether what they are taken of moves.

    An optimizer that is written by hand, and training with torch.func, are seen by no other part: where gradients are
    known to be computed, the numbers that the script prints are those of a training.
    """

    name = "by hand"

    def __init__(self, journal: Journal, options: Mapping[str, Any], watcher: Watcher) -> None:
        self._journal, self._watcher, self._torch = journal, watcher, watcher.torch
        self._count = 0
        self._first: list[list[float]] | None = None
        self._moved: set[int] = set()
        self._unlike = False

    def before_backward(self, loss: torch.Tensor) -> None:
        """Gradients of the leaves of its graph."""
        self._count += 1
        if self._count % EVERY == 1 and len(self._moved) < SEVERAL:
            self._compare(leaves(loss))

    def gradients_asked(self, inputs: Sequence[torch.Tensor]) -> None:
        """Gradients of these."""
        self._count += 1
        if self._count % EVERY == 1 and len(self._moved) < SEVERAL:
            self._compare(self._plain(one) for one in inputs)

    def after_step(self, optimizer: torch.optim.Optimizer, step: int) -> None:
        """The other parts see all of it."""
        self._watcher.remove(self)
        self._count = 0

    def ended(self) -> None:
        """Did the script train? Where one thing alone moves, it examines a model that is trained."""
        if self._count < ENOUGH or self._watcher.step or self._unlike or not self._first:
            return
        if len(self._first) < SEVERAL or len(self._moved) == 1:
            return
        self._journal.fact("log.gradients_by_hand", self._count)
        if self._moved:
            self._journal.fact("model.weights_change", True)
        else:
            self._journal.fact("model.weights_stay_by_hand", True)

    def _plain(self, tensor: Any) -> Any:
        """The tensor below the transformations of torch.func."""
        functorch = getattr(self._torch._C, "_functorch", None)
        for _ in range(LEVELS):
            if functorch is None or not functorch.is_functorch_wrapped_tensor(tensor):
                break
            tensor = functorch.get_unwrapped(tensor)
        return tensor

    def _compare(self, tensors: Iterable[Any]) -> None:
        """Are the numbers those of the first time? What has another size is not the same thing."""
        some = [
            one for one in itertools.islice(tensors, TENSORS) if one.is_cpu and readable(self._torch, one)
        ]
        numbers = [one.detach().reshape(-1)[:VALUES].tolist() for one in some if one.is_floating_point()]
        if not numbers:
            return
        if self._first is None:
            self._first = numbers
        elif list(map(len, numbers)) != list(map(len, self._first)):
            self._unlike = True
        else:
            pairs = enumerate(zip(numbers, self._first))
            self._moved.update(place for place, (new, old) in pairs if new != old)
