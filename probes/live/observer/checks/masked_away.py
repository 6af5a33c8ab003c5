"""Masks that leave nothing of what a loss is made of."""

from __future__ import annotations

from collections import Counter
from typing import Any

from ..look.places import Place
from ..operations import Call
from .check import Check
from .tensors import readable

TIMES = ("mul", "__mul__", "__rmul__", "mul_", "__imul__")

LOOKS = 3
"""Sampled steps in which a mask must be empty each time, and not by chance in one."""

FEW = 8
"""Masks of fewer values may well be empty."""


class MaskedAway(Check):
    """Looks for masks of zeros only, by which something with a graph is multiplied, value by value.

    What comes out is zero in each step, and so is every gradient that passes there: as where answers are cut off with
    the end of long samples, and the mask of what belongs to the answer is empty.
    """

    name = "masked away"
    early = 4
    functions = TIMES

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._empty: Counter[str] = Counter()
        self._full: set[str] = set()
        self._here: dict[str, Place | None] = {}

    def look_began(self, step: int) -> None:
        """Nothing was multiplied yet."""
        self._here = {}

    def called(self, call: Call) -> None:
        """Something was multiplied."""
        if len(call.args) < 2 or not self.torch.is_grad_enabled():
            return
        for values, mask in (call.args[:2], call.args[1::-1]):
            if (
                isinstance(values, self.torch.Tensor)
                and values.requires_grad
                and readable(self.torch, mask)
                and not mask.requires_grad
                and mask.dim() > 1
                and mask.shape == values.shape
                and mask.numel() >= FEW
            ):
                place = call.place()
                if bool(mask.detach().any()):
                    self._full.add(str(place))
                else:
                    self._here[str(place)] = place

    def look_ended(self, step: int) -> None:
        """A place whose mask was full at any time is none."""
        self._empty.update(self._here.keys())
        known = [key for key in self._here if self._empty[key] >= LOOKS and key not in self._full]
        if known:
            self.say("loss.mask_empty", True, place=self._here[known[0]])
        elif self._full:
            self.say("loss.mask_empty", False)
        self._here = {}
