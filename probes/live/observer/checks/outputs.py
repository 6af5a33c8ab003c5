"""Does the output depend on the input?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..look.values import tensors_in
from .check import Check
from .tensors import readable

if TYPE_CHECKING:
    import torch

SAME = 1e-6
"""A spread over the samples below this share of the largest output is rounding."""

ROWS, COLUMNS = 32, 4096
"""How many samples are compared, and how many values of each."""

FIRST = 10
"""The step from which on it counts: heads that start at zero have moved by then."""


class Outputs(Check):
    """Compares the outputs of a batch with each other, where the inputs of that batch differ."""

    name = "outputs"

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._samples = 0
        self._times = 0
        self._step = 0

    def look_began(self, step: int) -> None:
        """Which step it is."""
        self._step = step

    def before_forward(self, root: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Do the samples differ?"""
        self._samples = 0
        first: Any = next(tensors_in(self.torch.Tensor, (args, kwargs)), None)
        if readable(self.torch, first) and first.dim() > 0 and len(first) > 1:
            rows = _some(first)
            self._samples = len(first) if bool((rows != rows[:1]).any()) else 0

    def after_forward(self, root: torch.nn.Module, output: Any) -> None:
        """Do the outputs?"""
        if not self._samples:
            return
        for tensor in tensors_in(self.torch.Tensor, output):
            if (
                readable(self.torch, tensor)
                and tensor.is_floating_point()
                and tensor.dim()
                and len(tensor) == self._samples
            ):
                self._compare(_some(tensor).float())
                return

    def _compare(self, rows: Any) -> None:
        if not bool(self.torch.isfinite(rows).all()):
            return
        spread, size = (rows - rows[:1]).abs().max(), rows.abs().max()
        if bool(spread > SAME * size):
            self._times = 0
            self.retract("act.same_output")  # a head that started at zero has left it
            self.say("act.same_output", False)
        elif self._step >= FIRST:
            self._times += 1
            if self._times > 1:
                self.say("act.same_output", True)


def _some(tensor: Any) -> Any:
    """Values from all over the first samples, of shape (samples, values)."""
    rows = tensor.detach()[:ROWS].flatten(1) if tensor.dim() > 1 else tensor.detach()[:ROWS, None]
    return rows[:, :: max(1, rows.shape[1] // COLUMNS)]
