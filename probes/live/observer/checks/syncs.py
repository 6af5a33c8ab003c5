"""Lines that make the loop wait for the device in every step."""

from __future__ import annotations

import sys
from collections import Counter
from typing import Any

from ..operations import Call
from .check import Check

STEPS = 4
"""Sampled steps in a row with a wait."""


class Syncs(Check):
    """Counts readings of CUDA tensors in sampled steps: `.item()`, `float(x)`, `if x`, `print(x)`, `.cpu()`.

    On the CPU there is nothing to wait for. What torch itself reads (a GradScaler) is not counted.
    """

    name = "syncs"
    early = 6
    functions = (
        "item", "__bool__", "__float__", "__int__", "__index__", "__repr__", "__format__", "cpu", "tolist", "numpy",
        "nonzero", "masked_select", "unique",
    )  # fmt: skip

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._lines: Counter[str] = Counter()
        self._now = self._row = self._total = self._looks = 0

    def called(self, call: Call) -> None:
        """A reading returned."""
        tensor = call.args[0] if call.args else None
        if getattr(tensor, "is_cuda", False) and not _of_scaler():
            self._now += 1
            self._lines[str(call.place())] += 1

    def look_ended(self, step: int) -> None:
        """One sampled step more."""
        if not self.torch.cuda.is_available() or not self.torch.cuda.is_initialized():
            return
        self._looks += 1
        self._total += self._now
        self._row = self._row + 1 if self._now else 0
        self._now = 0
        if self._looks >= STEPS:
            self.say("process.syncs_per_step", round(self._total / self._looks, 1))
            self.say("log.speed.sync_each_step", self._row >= STEPS)
            if self._row >= STEPS:
                self.say("log.speed.sync_line", self._lines.most_common(1)[0][0])


def _of_scaler() -> bool:
    frame: Any = sys._getframe(2)
    while frame is not None:
        if frame.f_code.co_filename.endswith("grad_scaler.py"):
            return True
        frame = frame.f_back
    return False
