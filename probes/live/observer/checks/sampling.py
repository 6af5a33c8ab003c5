"""Which steps are looked into, and the telling of the checks in them."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Callable

from ..compiling import anything_compiled
from ..journal import Journal
from ..operations import Listener, Operations
from ..part import Part
from .activations import Activations
from .binary_losses import BinaryLosses
from .budget import EARLY, FEW, Budget, is_thorough
from .check import Check
from .class_losses import ClassLosses
from .cuts import Cuts
from .inputs import Inputs
from .labels import Labels
from .layers import Layers
from .outputs import Outputs
from .ranks import Ranks
from .regression import Regression
from .same_batch import SameBatch
from .syncs import Syncs

if TYPE_CHECKING:
    import torch

    from ..watcher import Watcher

CHECKS: tuple[type[Check], ...] = (
    ClassLosses,
    BinaryLosses,
    Regression,
    Labels,
    SameBatch,
    Ranks,
    Syncs,
    Inputs,
    Outputs,
    Cuts,
    Activations,
    Layers,
)

OTHERS = 9
"""Steps of other optimizers after which the one that was followed is taken to be gone."""

EVENTS = (
    "batch_loaded",
    "before_forward",
    "after_forward",
    "before_backward",
    "before_step",
    "look_began",
    "look_ended",
)
"""What checks are told, in sampled steps only."""


OWN = ("batch_loaded", "before_forward", "after_forward", "before_backward", "before_step")
"""Those of them that come from outside."""


class Sampling(Part):
    """Tells the checks what happens in sampled steps, from one step of an optimizer to its next.

    Nothing is looked into where anything was compiled by torch.compile: a function mode would compile it anew.
    Nor in evaluation: the fused kernels of nn.TransformerEncoderLayer and nn.MultiheadAttention, used only there,
    give way to any function mode.
    """

    name = "sampling"

    def __init__(self, journal: Journal, options: Mapping[str, Any], watcher: Watcher) -> None:
        self._journal = journal
        self._watcher = watcher
        self._operations = Operations(watcher)
        self._checks = [kind(journal, options, watcher) for kind in CHECKS]
        self._told: dict[str, list[tuple[Check, Callable[..., None]]]] = {}
        self._step = self._clock = self._others = self._rounds = self._looks = 0
        self._budget = Budget()

    def batch_loaded(self, batch: Any, seconds: float) -> None:
        """Passed on."""
        self._tell("batch_loaded", batch, seconds)

    def before_forward(self, root: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """An evaluation, or a fused kernel, ends the look."""
        if self._told:
            if not self._watcher.torch.is_grad_enabled() or (not root.training and self._fused()):
                self._end()
            self._tell("before_forward", root, args, kwargs)

    def after_forward(self, root: torch.nn.Module, output: Any) -> None:
        """Passed on."""
        self._tell("after_forward", root, output)

    def before_backward(self, loss: torch.Tensor) -> None:
        """Passed on."""
        self._tell("before_backward", loss)

    def before_step(self, optimizer: torch.optim.Optimizer) -> None:
        """What an optimizer calls is nothing to look at, and there is much of it."""
        if id(optimizer) == self._clock:
            self._operations.stop()
        self._tell("before_step", optimizer)

    def after_step(self, optimizer: torch.optim.Optimizer, step: int) -> None:
        """One round ends; the next may be a sampled one."""
        self._rounds += 1
        if id(optimizer) != self._clock:
            self._others += 1
            if self._clock and self._others < OTHERS:
                return
            self._clock = id(optimizer)
        self._others = 0
        self._budget.step_ended(looked_into=bool(self._told) or step == 1)
        if self._told or step == 1:
            self._end()
        if (
            (step + 1 in EARLY or is_thorough(step + 1))
            and self._looks < FEW + self._rounds // 100
            and self._budget.is_left()
            and not anything_compiled(self._watcher)
            and not self._fused()
        ):
            self._looks += 1
            self._begin(step + 1)

    def failed(self, error: BaseException) -> None:
        """A check may find in the traceback what it looks for."""
        self._end()
        for check in self._checks:
            self._safely(check, check.failed, error)

    def ended(self) -> None:
        """The look ends with the process."""
        self._end()

    def _begin(self, step: int) -> None:
        self._step = step
        self._budget.look_began()
        chosen = [one for one in self._checks if is_thorough(step) or EARLY.index(step) < one.early]
        self._told = {
            event: [
                (one, getattr(one, event))
                for one in chosen
                if getattr(type(one), event) is not getattr(Check, event)
            ]
            for event in EVENTS
        }
        heard: dict[str, list[Listener]] = {}
        for check in chosen:
            for name in check.functions:
                heard.setdefault(name, []).append(self._listener(check))
        self._watcher.wake(self, *OWN)
        self._tell("look_began", step)
        self._operations.start(heard)

    def _end(self) -> None:
        self._operations.stop()
        self._tell("look_ended", self._step)
        self._told = {}
        self._watcher.rest(self, *OWN)

    def _tell(self, event: str, *args: Any) -> None:
        for check, call in self._told.get(event, ()):
            self._safely(check, call, *args)

    def _listener(self, check: Check) -> Listener:
        return lambda call: self._safely(check, check.called, call)

    def _safely(self, check: Check, call: Callable[..., None], *args: Any) -> None:
        """A check that raises is recorded and told nothing more; the others go on."""
        if check not in self._checks:
            return
        if self._budget.is_used_up(check) and call.__name__ != "look_ended":
            return  # what it has gathered it may still say
        start = time.perf_counter()
        try:
            call(*args)
        except Exception as error:  # noqa: BLE001 - the other checks and the run go on
            self._journal.trouble(check.name, error)
            self._checks.remove(check)
        self._budget.add(check, time.perf_counter() - start)

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
