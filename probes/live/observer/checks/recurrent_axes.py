"""Recurrent layers that run over the samples of a batch, where they should run over the places of a sequence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..look.places import Place
from ..look.values import tensors_in
from ..operations import Call
from .check import Check
from .next_tokens import LOSSES as OF_CLASSES
from .next_tokens import are_next
from .recurrent import RECURRENT, ran_over
from .tensors import readable

if TYPE_CHECKING:
    import torch

TAKES = ("__getitem__", "select")

LOSSES = (
    *OF_CLASSES,
    "binary_cross_entropy_with_logits",
    "binary_cross_entropy",
    "mse_loss",
    "l1_loss",
    "smooth_l1_loss",
    "huber_loss",
)


class RecurrentAxes(Check):
    """Asks along which axis of its input a recurrent layer ran, and along which it should have.

    Without batch_first=True such a layer takes (sequence, batch, width). Given (batch, sequence, width) it raises nothing: its state
    goes from sample to sample. Two things tell. Labels are the tokens of the next place along the other axis. Or the last one of
    what the layer took for samples is read for all, and the loss is over what it took for places: nobody reads the last sample
    of a batch. Where several layers run over different axes, or over what is no axis of the input, nothing is said.
    """

    name = "recurrent axes"
    early = 2
    functions = (*RECURRENT, *TAKES, *LOSSES)

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._given: Any = None
        self._ran: set[tuple[int, int]] = set()
        """Places and samples of each layer."""
        self._outputs: list[tuple[Any, bool]] = []
        """What the layers gave, and whether the samples came first there."""
        self._over: Place | None = None
        self._last_of_all = False
        """Whether the last sample, as the layer took it, was read for all places."""

    def look_began(self, step: int) -> None:
        """Nothing ran yet."""
        self._forget(None)

    look_ended = look_began

    def before_backward(self, loss: torch.Tensor) -> None:
        """All was computed; what is held longer looks like a part of a set to those who ask what is alive."""
        self._forget(None)

    def before_forward(self, root: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """What the model is given."""
        self._forget(next(tensors_in(self.torch.Tensor, (args, kwargs)), None))

    def called(self, call: Call) -> None:
        """A layer runs, something is taken of what it gave, or a loss is computed."""
        if self._given is None or self._given.dim() < 2:
            return
        if call.name in RECURRENT:
            self._run(call)
        elif call.name in TAKES:
            self._take(call)
        elif len(self._ran) == 1:
            self._judge(call, *next(iter(self._ran)))

    def _forget(self, given: Any) -> None:
        self._given, self._ran, self._outputs = given, set(), []
        self._over, self._last_of_all = None, False

    def _run(self, call: Call) -> None:
        ran = ran_over(self.torch, call)
        if ran is None:
            self._ran.add((0, 0))
            return
        self._ran.add((ran.places, ran.samples))
        self._over = self._over or call.place()
        if getattr(ran.output, "ndim", 0) == 3:
            self._outputs.append((ran.output, ran.output.shape[0] == ran.samples))

    def _take(self, call: Call) -> None:
        """The last one along an axis."""
        for output, samples_first in self._outputs:
            if call.args and call.args[0] is output:
                axis = 0 if samples_first else 1
                self._last_of_all |= _takes_last(call, axis, output.shape[axis])

    def _judge(self, call: Call, places: int, samples: int) -> None:
        """A loss is computed of what came out."""
        axis = self._ran_along(places, samples)
        if axis is None:
            return
        scores = call.argument(0, "input")
        if self._last_of_all and axis == 0 and _one_for_each(scores, places, but=samples):
            self.say("model.recurrence_over_batch", True, place=self._over)
        elif call.name in OF_CLASSES and self._given.dim() == 2 and self._are_tokens():
            along = self._given.T if axis == 0 else self._given
            if are_next(self.torch, call, along):
                self.say("model.recurrence_over_batch", False)
            elif are_next(self.torch, call, along.T):
                self.say("model.recurrence_over_batch", True, place=self._over)

    def _ran_along(self, places: int, samples: int) -> int | None:
        """The axis of the input that the layer took for places. The last token of each sample may not have been handed on."""
        first, second = self._given.shape[:2]
        if min(places, samples) < 2 or abs(first - second) < 2:
            return None
        for axis, (over, beside) in enumerate(((first, second), (second, first))):
            if over - places in (0, 1) and beside - samples in (0, 1):
                return axis
        return None

    def _are_tokens(self) -> bool:
        return readable(self.torch, self._given) and self._given.dtype in (self.torch.int64, self.torch.int32)


def _takes_last(call: Call, axis: int, size: int) -> bool:
    """Whether only the last one along this axis is taken."""
    last = (-1, size - 1)
    if call.name == "select":
        return bool(call.argument(1, "dim") in (axis, axis - 3) and call.argument(2, "index") in last)
    index = call.args[1] if isinstance(call.args[1], tuple) else (call.args[1],)
    return len(index) > axis and type(index[axis]) is int and index[axis] in last


def _one_for_each(scores: Any, places: int, but: int) -> bool:
    """Whether a loss has one row for each of these, and no axis of the others."""
    shape = tuple(getattr(scores, "shape", ()))
    return 1 <= len(shape) <= 2 and shape[0] == places and but not in shape[1:]
