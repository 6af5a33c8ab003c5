"""Two views of each sample, of which a model is given one twice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..look.values import tensors_in
from ..operations import EVERY, Call
from .check import Check
from .tensors import readable

if TYPE_CHECKING:
    import torch

LOOKS = 3
"""Sampled steps in which it must be so."""

MOST = 8
"""Tensors of a batch that are followed."""

MOVES = (
    "to",
    "cuda",
    "cpu",
    "float",
    "half",
    "bfloat16",
    "type",
    "contiguous",
    "clone",
    "detach",
    "requires_grad_",
)
"""What hands on all numbers of a tensor and computes nothing with them."""

JOINS = ("cat", "concat", "concatenate", "stack", "vstack")


class Views(Check):
    """Follows the tensors of one shape that a batch brings: is one handed over twice, and another one not at all?

    A loss that draws two views together is at its best at once where both are the same picture. A text that goes through dropout
    twice is meant; but then nothing lies beside it that nobody reads.
    """

    name = "views"
    early = 6
    functions = (EVERY,)

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._views: list[Any] = []
        self._moved: list[tuple[Any, int]] = []
        self._given: dict[int, int] = {}
        self._read: set[int] = set()
        self._looks = 0

    def look_began(self, step: int) -> None:
        """No batch has come yet."""
        self._views, self._moved, self._given, self._read = [], [], {}, set()

    def batch_loaded(self, batch: Any, seconds: float) -> None:
        """Which of its tensors are samples of one kind, and not the same ones?"""
        if self._views:
            return
        found = [one for one in tensors_in(self.torch.Tensor, batch) if self._is_sample(one)][:MOST]
        alike = [one for one in found if one.shape == found[0].shape and one.dtype == found[0].dtype]
        if len(alike) > 1 and not any(bool((one == other).all()) for one, other in zip(alike, alike[1:])):
            self._views = alike

    def before_forward(self, root: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Which of them is a network given, in training?"""
        if self._views and root.training and self.torch.is_grad_enabled():
            for place in {self._place(one) for one in tensors_in(self.torch.Tensor, (args, kwargs))}:
                self._given[place] = self._given.get(place, 0) + 1

    def called(self, call: Call) -> None:
        """Which of them does an operation read?"""
        if not self._views:
            return
        operands = [self._place(one) for one in tensors_in(self.torch.Tensor, (call.args, call.kwargs))]
        places = [one for one in operands if one >= 0]
        if not places:
            return
        if call.name in MOVES and isinstance(call.result, self.torch.Tensor):
            if len(self._moved) < 4 * MOST:
                self._moved.append((call.result, places[0]))
            return
        self._read.update(places)
        if call.name in JOINS:
            for place in {one for one in places if places.count(one) > 1}:
                self._given[place] = self._given.get(place, 0) + 2

    def look_ended(self, step: int) -> None:
        """Was one given twice, and another one never read? Where the check saw a part of the step only, it cannot tell."""
        read = self._read | {place for place in self._given if place >= 0}
        twice = any(count > 1 for place, count in self._given.items() if place >= 0)
        if self._views and read and not self.cut_short:
            if len(read) == len(self._views):
                self._looks = 0
                self.say("data.view_used_twice", False)
            elif twice:
                self._looks += 1
                if self._looks >= LOOKS:
                    self.say("data.view_used_twice", True)
        self.look_began(step)

    def _is_sample(self, one: Any) -> bool:
        return bool(readable(self.torch, one) and one.dim() > 2 and one.is_floating_point() and len(one) > 1)

    def _place(self, tensor: Any) -> int:
        """Which of the views it is, or another form of it; -1 where it is none."""
        for place, view in enumerate(self._views):
            if tensor is view:
                return place
        return next((place for moved, place in self._moved if moved is tensor), -1)
