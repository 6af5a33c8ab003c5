"""Weights or gradients that are handed over number by number in every step, to be written down or drawn."""

from __future__ import annotations

import contextlib
import time
from typing import TYPE_CHECKING, Any

from ..model import held
from ..operations import Call
from .check import Check
from .tensors import readable

if TYPE_CHECKING:
    import torch

    from ..look.places import Place

LOOKS = 3
"""Looks in a row in which that was done."""

FEWEST = 1000
"""Weights of a network from which on writing them down is work, and no line of a table."""

LEAST = 0.002
"""Seconds of a step below which that is worth no change."""

MOST = 0.5
"""From this share of all weights on a network is written down, and no layer of it watched."""


class Recorded(Check):
    """Counts the numbers of weights and gradients that leave torch (`tolist`, `numpy`, a copy to the host), or go into a histogram, in
    a sampled step, and the time from the first of them until the loop goes on: what is done with them takes longer than the reading.
    """

    name = "recorded"
    early = 4
    functions = ("tolist", "numpy", "cpu", "histc", "histogram")

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._began = self._since = self._spent = 0.0
        self._read: dict[int, int] = {}
        """By where the numbers lie: how many were read."""
        self._memory: set[int] = set()
        self._all = 0
        self._place: Place | None = None
        self._shares: list[float] = []

    def look_began(self, step: int) -> None:
        """Nothing was read yet."""
        self._began = time.perf_counter()
        self._since = self._spent = 0.0
        self._read.clear()
        self._memory.clear()

    def called(self, call: Call) -> None:
        """Something was read."""
        tensor: Any = call.args[0] if call.args else None
        if not readable(self.torch, tensor):
            return
        if not self._memory:
            self._gather()
        if tensor.untyped_storage().data_ptr() in self._memory:
            self._read[tensor.data_ptr()] = max(tensor.numel(), self._read.get(tensor.data_ptr(), 0))
            self._since = self._since or time.perf_counter()
            self._place = call.place()

    def batch_loaded(self, batch: Any, seconds: float) -> None:
        """The loop goes on, and waited for data first."""
        self._goes_on(seconds)

    def before_forward(self, root: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """The loop goes on."""
        self._goes_on()

    def before_backward(self, loss: torch.Tensor) -> None:
        """The loop goes on."""
        self._goes_on()

    def before_step(self, optimizer: torch.optim.Optimizer) -> None:
        """The loop goes on."""
        self._goes_on()

    def look_ended(self, step: int) -> None:
        """Were most of the weights read, and how much of the step went by with that?"""
        self._goes_on()
        if self.cut_short:
            return
        if self._all < FEWEST or sum(self._read.values()) < MOST * self._all or self._spent < LEAST:
            self._shares.clear()
            return
        self._shares.append(self._spent / (time.perf_counter() - self._began))
        if len(self._shares) >= LOOKS:
            shares = sorted(self._shares)
            self.say("log.speed.weights_read_share", shares[len(shares) // 2], place=self._place)
            self.say("log.speed.weights_read_at", str(self._place))

    def _goes_on(self, waited: float = 0.0) -> None:
        if self._since:
            self._spent += max(0.0, time.perf_counter() - self._since - waited)
            self._since = 0.0

    def _gather(self) -> None:
        """Where weights and gradients lie."""
        self._all = 0
        for model in self.watcher.models.values():
            with contextlib.suppress(ReferenceError):
                for one in held(model.optimizer):
                    self._all += one.numel()
                    parts: tuple[Any, ...] = (one, one.grad)
                    for each in parts:
                        if readable(self.torch, each):
                            self._memory.add(each.untyped_storage().data_ptr())
