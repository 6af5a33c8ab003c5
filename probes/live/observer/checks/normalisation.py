"""How many values batch normalisation averages over."""

from __future__ import annotations

from typing import Any

from ..operations import Call
from .check import Check
from .tensors import readable


class Normalisation(Check):
    """The values per channel of the layer that has the fewest: of pictures, samples times height times width."""

    name = "normalisation"
    early = 1
    functions = ("batch_norm",)

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._fewest = 0

    def called(self, call: Call) -> None:
        """A layer has normalised; in eval mode it averages over nothing."""
        values = call.argument(0, "input")
        if call.argument(5, "training", False) and readable(self.torch, values) and values.dim() > 1:
            count = values.numel() // values.shape[1]
            self._fewest = min(self._fewest or count, count)

    def look_ended(self, step: int) -> None:
        """Say what was the least."""
        if self._fewest:
            self.say("model.batchnorm_values", self._fewest)
        self._fewest = 0
