"""Class numbers that were scaled to lie between 0 and 1, and then cut to whole numbers: all are 0."""

from __future__ import annotations

from ..operations import Call
from .check import Check
from .runs_of_classes import ENOUGH
from .tensors import readable


class CutLabels(Check):
    """Looks for fractions of 0 to 1 that become whole numbers, of which none is left but 0.

    What turns a picture into a tensor divides by 255, and a mask of class numbers with it. Whether labels are what is cut here
    shows where the loss gets them (labels.py).
    """

    name = "cut labels"
    early = 6
    functions = ("long", "int", "to", "type")

    def called(self, call: Call) -> None:
        """Something becomes another kind of number."""
        given, result = call.argument(0, "input"), call.result
        if (
            readable(self.torch, given)
            and readable(self.torch, result)
            and given.is_floating_point()
            and result.dtype in (self.torch.int64, self.torch.int32, self.torch.uint8)
            and given.numel() >= ENOUGH
            and given.device.type == "cpu"
        ):
            low, high = (float(one) for one in given.aminmax())
            if 0 <= low < high < 1:
                self.say("data.fractions_cut_to_zero", True, call)
