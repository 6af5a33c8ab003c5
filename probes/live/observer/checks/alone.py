"""Values that are normalised each by itself: less its own mean, every one of them is zero."""

from __future__ import annotations

import math

from ..operations import Call
from .check import Check
from .tensors import readable


class Alone(Check):
    """Finds a layer, group or instance norm whose mean is taken over a single value, so that it gives its bias for every input.

    A last layer of one unit with a norm behind it, or as many groups as channels where a picture has come down to one pixel.
    """

    name = "alone"
    early = 1
    functions = ("layer_norm", "group_norm", "instance_norm")

    def called(self, call: Call) -> None:
        """A norm returned."""
        values = call.argument(0, "input")
        if not readable(self.torch, values) or not call.result.requires_grad:
            return
        if call.name == "layer_norm":
            count = math.prod(int(one) for one in call.argument(1, "normalized_shape"))
        elif values.dim() > 1:
            groups = call.argument(1, "num_groups") if call.name == "group_norm" else values.shape[1]
            count = values.shape[1] // int(groups) * math.prod(values.shape[2:])
        else:
            return
        if count == 1:
            place = call.place()
            self.say("act.normalised_alone", place.module or str(place), place=place)
