"""Targets that move: a copy of the trained network is asked in each step, and its weights follow."""

from __future__ import annotations

from itertools import islice
from typing import Any

from ..model import held
from .check import Check
from .tensors import readable

WEIGHTS = 3
"""Parameters of a copy of which one value is read."""

USUAL = 0.5
"""How often a copy is asked in a step, at least, where it gives the targets: one for evaluation is asked now and then."""


class Moving(Check):
    """The target network of Q-learning, the teacher of BYOL or of a mean teacher: the loss is measured against itself.

    Its level then says as little of the progress as that of a GAN: it rises whenever the targets grow. A teacher that
    stays as it is, as in distillation, gives targets like any others.
    """

    name = "moving targets"

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._before: dict[int, tuple[int, int, list[float]]] = {}

    def look_ended(self, step: int) -> None:
        """Which of the copies was asked since the last look, and is another by now?"""
        forwards = self.watcher.forwards
        trained = {id(one) for model in self.watcher.models.values() for one in held(model.optimizer)}
        for key, copy in forwards.copies.items() if forwards is not None else ():
            module, now = copy.module(), self.watcher.step
            if module is None or any(id(one) in trained for one in module.parameters()):
                continue
            began, calls, weights = self._before.get(key, (now, copy.calls, []))
            values = self._values(module)
            asked = copy.calls - calls >= USUAL * (now - began) > 0
            if asked and weights and values != weights:
                self.say("loss.target_moves", True)
            self._before[key] = (now, copy.calls, values)

    def _values(self, module: Any) -> list[float]:
        weights = (one for one in module.parameters() if one.numel() and readable(self.torch, one))
        return [float(one.detach()[(0,) * one.dim()]) for one in islice(weights, WEIGHTS)]
