"""Batch normalisation: how many values it averages over, and copies whose averages were left behind."""

from __future__ import annotations

from typing import Any

from ..operations import Call
from .check import Check
from .tensors import readable


class Normalisation(Check):
    """The values per channel of the layer that has the fewest: of pictures, samples times height times width.

    A copy of the model that follows its weights (a running mean of them) and not its buffers is evaluated with the
    averages that a new layer has, 0 and 1, which belong to no data.
    """

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
        if not self._fewest:
            return
        self.say("model.batchnorm_values", self._fewest)
        self._fewest = 0
        forwards = self.watcher.forwards
        for copy in forwards.copies.values() if forwards is not None else ():
            module = copy.module()
            if module is not None and not module.training:
                self._left_behind(module)

    def _left_behind(self, module: Any) -> None:
        """Whether each of its layers has weights that were learnt, and averages that no batch has changed."""
        layers = [
            one
            for one in module.modules()
            if "BatchNorm" in type(one).__name__
            and all(
                readable(self.torch, getattr(one, name, None))
                for name in ("weight", "running_mean", "running_var")
            )
        ]
        if layers:
            self.say(
                "model.batchnorm_left_behind",
                all(
                    bool((one.weight != 1).any())
                    and not bool(one.running_mean.any())
                    and not bool((one.running_var != 1).any())
                    for one in layers
                ),
            )
