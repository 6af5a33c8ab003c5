"""The last state of a recurrent layer, read behind the padding of its sequences."""

from __future__ import annotations

from typing import Any

from ..operations import Call
from .check import Check
from .tensors import readable

RECURRENT = ("lstm", "gru", "rnn_tanh", "rnn_relu")

TAKES = ("__getitem__", "squeeze", "select")


class LastState(Check):
    """Counts the padding between the last token of each sample and the state that is read.

    Padded on the right and not packed, a recurrent layer goes on over the padding, and forgets. Padding is one id with which
    half of the samples or more end, again and again. What is packed, padded on the left, or read at the last token of each
    sample is not concerned, nor is what is read at every place.
    """

    name = "last state"
    early = 2
    functions = ("embedding", *RECURRENT, *TAKES)

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._ids: Any = None
        self._output: Any = None
        self._state: Any = None
        self._first = False
        self._behind = 0

    def look_began(self, step: int) -> None:
        """Nothing was read yet."""
        self._ids = self._output = self._state = None

    look_ended = look_began

    def called(self, call: Call) -> None:
        """Tokens are looked up, a layer runs over them, or something is taken of what it gave."""
        if call.name == "embedding":
            ids = next((one for one in call.args[:2] if self._are_ids(one)), None)
            self._ids = ids if ids is not None else self._ids
        elif call.name in RECURRENT:
            self._ran(call)
        elif self._output is not None and call.args:
            if call.args[0] is self._output:
                if call.name == "__getitem__" and self._is_last(call.args[1]):
                    self.say("data.padding_before_last_state", self._behind, call)
            elif call.args[0] is self._state:
                self.say("data.padding_before_last_state", self._behind, call)

    def _are_ids(self, tensor: Any) -> bool:
        return readable(self.torch, tensor) and not tensor.is_floating_point() and tensor.dim() == 2

    def _ran(self, call: Call) -> None:
        """What it gave, and how much padding its samples end in. Packed ones come with the sizes of their batches."""
        self._output = None
        given, result = call.args[0] if call.args else None, call.result
        if self._ids is None or not isinstance(given, self.torch.Tensor) or given.dim() != 3:
            return
        if isinstance(call.args[1], self.torch.Tensor) and call.args[1].dim() == 1:
            return
        self._first = call.args[-1] is True
        rows = self._ids.detach().cpu()
        if tuple(given.shape[:2]) != tuple(rows.shape):
            rows = rows.T
        if tuple(given.shape[:2]) != tuple(rows.shape) or not isinstance(result, (tuple, list)):
            return
        rows = rows if self._first else rows.T
        ends = rows[:, -1]
        pad = ends.mode().values
        # How many places from the end on hold the padding, sample by sample.
        tails = (rows.flip(1) == pad).long().cumprod(1).sum(1)
        most = bool((ends == pad).float().mean() >= 0.5) and bool((tails < rows.shape[1]).any())
        self._behind = int(tails.median()) if most else 0
        self._output, self._state = result[0], result[1]

    def _is_last(self, index: Any) -> bool:
        """Whether it takes the last place of all samples."""
        places = index if isinstance(index, tuple) else (index,)
        axis = 1 if self._first else 0
        return len(places) > axis and isinstance(places[axis], int) and places[axis] == -1
