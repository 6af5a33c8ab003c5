"""Axes that were to be moved, and were only given other sizes."""

from __future__ import annotations

from typing import Any

from ..graphs import grad_fn_of
from ..look.places import Place
from ..operations import Call
from .check import Check
from .tensors import readable

RESHAPES = ("reshape", "view")
CONVOLUTIONS = ("conv1d", "conv2d", "conv3d")
PASSING = ("float", "to", "type", "contiguous", "clone", "half", "bfloat16", "div", "mul", "sub", "add")
"""What leaves every number where it stands."""
STACKS = ("stack",)
"""What makes a batch of samples."""


class Axes(Check):
    """Looks for data whose axes change places by `reshape` or `view`, on its way into a convolution.

    Pictures of (height, width, channels) need `permute`. A reshape to (channels, height, width) gives the same sizes and raises
    nothing, but cuts the row of numbers elsewhere: neighbours are no longer neighbours. An axis of one may stand anywhere.
    """

    name = "axes"
    early = 3
    functions = (*RESHAPES, *CONVOLUTIONS, *PASSING, *STACKS)

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._cut: dict[int, tuple[Any, Place, str]] = {}

    def look_began(self, step: int) -> None:
        """Nothing was reshaped yet."""
        self._cut = {}

    def called(self, call: Call) -> None:
        """A tensor is reshaped, goes on as it is, or reaches a convolution."""
        given = call.argument(0, "input")
        if call.name in RESHAPES:
            if self._swaps(given, call.result):
                sizes = f"{tuple(given.shape)} to {tuple(call.result.shape)}"
                self._cut[id(call.result)] = (call.result, call.place(), sizes)
        elif call.name in STACKS:
            samples = call.argument(0, "tensors")
            first = samples[0] if isinstance(samples, (list, tuple)) and samples else None
            if (known := self._cut.get(id(first))) is not None:
                self._cut[id(call.result)] = (call.result, *known[1:])
        elif (known := self._cut.get(id(given))) is not None:
            _, place, sizes = known
            if call.name in CONVOLUTIONS:
                self.say("data.axes_swapped_by_reshape", True, place=place, note=sizes)
            elif getattr(call.result, "shape", None) == given.shape:
                self._cut[id(call.result)] = (call.result, place, sizes)

    def look_ended(self, step: int) -> None:
        """Nothing is kept between looks."""
        self._cut = {}

    def _swaps(self, given: Any, result: Any) -> bool:
        """Whether a batch, or one sample, keeps its sizes, in another order."""
        if not readable(self.torch, given) or grad_fn_of(given) is not None:
            return False
        before, after = tuple(given.shape), tuple(getattr(result, "shape", ()))
        if len(before) != len(after) or len(before) < 3:
            return False
        old, new = ([size for size in sizes if size > 1] for sizes in (before, after))
        return old != new and sorted(old) == sorted(new)
