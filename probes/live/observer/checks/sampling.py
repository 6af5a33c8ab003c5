"""Looks into sampled steps: when a look begins, what it is told, when it ends."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..compiling import anything_compiled
from ..journal import Journal
from ..operations import Listener, Operations
from ..part import Part
from .pace import Pace
from .told import ToldChecks

if TYPE_CHECKING:
    import torch

    from ..model import ModelSeen
    from ..watcher import Watcher

FEW = 24
"""Looks that every run may have, however many optimizers it makes; then one in a hundred steps."""

OTHERS = 9
"""Steps of other optimizers after which the one that was followed is taken to be gone."""

OWN = ("batch_loaded", "before_forward", "after_forward", "before_backward", "after_backward", "before_step")
"""What checks are told of the loop, in sampled steps only."""

PARTS = 2
"""How often a look begins in one round: the agent that is trained before it acts is trained again after that."""


class Sampling(Part):
    """Tells the checks what happens in sampled steps (pace.py), from one step of an optimizer to its next.

    Nothing is looked into where anything was compiled by torch.compile: a function mode would compile it anew.
    Nor in evaluation: the fused kernels of nn.TransformerEncoderLayer and nn.MultiheadAttention, used only there,
    give way to any function mode. What a network is asked between a training forward and its backward pass is no evaluation
    but a target: it is left alone, and the look goes on behind it.
    """

    name = "sampling"

    def __init__(self, journal: Journal, options: Mapping[str, Any], watcher: Watcher) -> None:
        self._watcher = watcher
        self._operations = Operations(watcher)
        self._checks = ToldChecks(journal, options, watcher)
        self._step = self._clock = self._others = self._rounds = self._looks = 0
        self._pace = Pace()
        self._began = self._usual = 0.0
        self._trained = self._put_off = False
        """Whether this step has called the model in training yet, and whether its look is to begin with that."""
        self._heard: dict[str, list[Listener]] = {}
        self._begun = 0
        self._open = self._aside = False
        """Whether a training forward waits for its backward pass, and whether a target is computed meanwhile."""

    def batch_loaded(self, batch: Any, seconds: float) -> None:
        """Passed on."""
        self._checks.tell("batch_loaded", batch, seconds)

    def before_forward(self, root: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """An evaluation, or a fused kernel, ends the look. One that comes before the training of the step puts it off."""
        trains = self._watcher.torch.is_grad_enabled()
        if self._checks.listening:
            self._aside = self._open and not trains
            if self._aside:
                self._operations.stop()
                return
            if not trains or (not root.training and self._fused()):
                self._end()
                if not trains and (not self._trained or self._begun < PARTS):
                    # An agent acts before it learns.
                    self._put_off = True
                    self._watcher.wake(self, "before_forward")
        elif self._put_off and trains and not (not root.training and self._fused()):
            self._begin(self._step)
        self._trained = self._trained or trains
        self._open = trains
        self._checks.tell("before_forward", root, args, kwargs)

    def after_forward(self, root: torch.nn.Module, output: Any) -> None:
        """Passed on. Behind a target the look goes on."""
        if self._aside:
            self._aside = False
            self._checks.tell("computed_aside", output)
            self._operations.start(self._heard)
            return
        self._checks.tell("after_forward", root, output)

    def before_backward(self, loss: torch.Tensor) -> None:
        """Passed on."""
        self._open = False
        self._checks.tell("before_backward", loss)

    def after_backward(self, loss: torch.Tensor) -> None:
        """Passed on."""
        self._checks.tell("after_backward", loss)

    def model_found(self, model: ModelSeen) -> None:
        """Another optimizer may be the one to follow."""
        self._watcher.wake(self, "after_step")

    def before_step(self, optimizer: torch.optim.Optimizer) -> None:
        """What an optimizer calls is nothing to look at, and there is much of it."""
        if id(optimizer) == self._clock:
            self._operations.stop()
        self._checks.tell("before_step", optimizer)

    def after_step(self, optimizer: torch.optim.Optimizer, step: int) -> None:
        """One round ends; the next may be a sampled one."""
        self._rounds = max(self._rounds + 1, step)
        if id(optimizer) != self._clock:
            self._others += 1
            if self._clock and self._others < OTHERS:
                return
            self._clock = id(optimizer)
            self._pace.restart(step)
        self._others = 0
        if self._checks.listening:
            # The thread's own time: what else the machine does costs this run nothing.
            cost = time.thread_time() - self._began - self._usual
            self._pace.took(max(0.0, cost), self._watcher.now)
            self._end()
        elif step == 1 or self._put_off:
            self._end()
        if (
            step + 1 >= self._pace.next
            and self._pace.is_due(step + 1, self._watcher.now)
            and self._looks < FEW + self._rounds // 100
            and not anything_compiled(self._watcher)
            and not self._fused()
        ):
            self._looks += 1
            self._begun = 0
            self._begin(step + 1)
        elif self._pace.next > step + 1 and self._watcher.models_found == 1:
            self._watcher.rest_until(self._pace.next - 1, self, "after_step")

    def failed(self, error: BaseException) -> None:
        """A check may find in the traceback what it looks for."""
        self._end()
        self._checks.failed(error)

    def ended(self) -> None:
        """The look ends with the process."""
        self._end()

    def _begin(self, step: int) -> None:
        self._step = step
        self._trained = self._put_off = self._open = self._aside = False
        self._begun += 1
        self._began, self._usual = time.thread_time(), self._watcher.seconds
        self._heard = self._checks.begin(step, self._usual)
        self._watcher.wake(self, *OWN)
        self._checks.tell("look_began", step)
        self._operations.start(self._heard)

    def _end(self) -> None:
        self._operations.stop()
        self._checks.tell("look_ended", self._step)
        self._checks.end()
        self._put_off = False
        self._watcher.rest(self, *OWN)

    def _fused(self) -> bool:
        """Whether a module in eval mode has a fused kernel."""
        nn = self._watcher.torch.nn
        kinds = (nn.TransformerEncoderLayer, nn.TransformerEncoder, nn.MultiheadAttention)
        return any(
            isinstance(module, kinds) and not module.training
            for model in self._watcher.models.values()
            for root in model.roots
            for module in root.modules()
        )
