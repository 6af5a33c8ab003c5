"""Padding masks of attention: one that hides all of a sample, most often because it says what to keep."""

from __future__ import annotations

from ..look.masks import has_hidden_row
from ..operations import Call
from .check import Check
from .tensors import readable


class Padding(Check):
    """A sample all of whose keys are hidden. Attention gives zeros or NaN for it, as the kernel has it.

    Where a mask says what to keep and is taken for what to leave out, the samples without padding are such.
    """

    name = "padding"
    early = 2
    functions = ("multi_head_attention_forward",)

    def called(self, call: Call) -> None:
        """Attention returned."""
        mask = call.argument(14, "key_padding_mask")
        if mask is not None and readable(self.torch, mask):
            self.say("act.fully_masked_row", has_hidden_row(mask, hidden=True), call)
