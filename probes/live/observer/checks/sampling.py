"""Which steps are looked into, and the telling of the checks in them."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..journal import Journal
from ..operations import Call, Listener, Operations
from ..part import Part
from .check import Check

if TYPE_CHECKING:
    import torch

    from ..model import ModelSeen
    from ..watcher import Watcher

QUICK = range(2, 10)
"""Steps in which the arguments of the loss are read. They cost some percent of a step."""

THOROUGH = (2, 10, 50, 200)
"""Steps in which activations are read too, for up to half a step; later every EVERY steps. Together under 1 %."""

EVERY = 1000


def is_thorough(step: int) -> bool:
    """Whether activations are read in this step."""
    return step in THOROUGH or step % EVERY == 0


class Sampling(Part):
    """Switches the checks on in sampled steps of the optimizer that was seen first.

    Nothing is looked into where anything was compiled by torch.compile: a function mode would compile it anew.
    Nor in evaluation: the fused kernels of nn.TransformerEncoderLayer and nn.MultiheadAttention, used only there,
    give way to any function mode.
    """

    name = "sampling"

    def __init__(self, journal: Journal, options: Mapping[str, Any], watcher: Watcher) -> None:
        self._journal = journal
        self._watcher = watcher
        self._operations = Operations(watcher)
        self._checks: list[Check] = []
        self._step = 0

    def after_step(self, optimizer: torch.optim.Optimizer, step: int) -> None:
        """One round ends; the next may be a sampled one."""
        if not self._is_clock(optimizer):
            return
        self._end()
        if (step + 1 in QUICK or is_thorough(step + 1)) and not self._compiled() and not self._fused():
            self._begin(step + 1)

    def before_forward(self, root: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """An evaluation, or a fused kernel, ends the look."""
        if self._checks and (
            not self._watcher.torch.is_grad_enabled() or (not root.training and self._fused())
        ):
            self._end()

    def failed(self, error: BaseException) -> None:
        """The checks that hear of the error must not find themselves in a look."""
        self._end()

    def ended(self) -> None:
        """The look ends with the process."""
        self._end()

    def _begin(self, step: int) -> None:
        thorough = is_thorough(step)
        heard: dict[str, list[Listener]] = {}
        self._step = step
        self._checks = [
            one for one in self._watcher.parts if isinstance(one, Check) and (thorough or not one.thorough)
        ]
        for check in self._checks:
            self._safely(check, check.look_began, step)
            check.looking = True
            for name in check.functions:
                heard.setdefault(name, []).append(self._listener(check))
        self._operations.start(heard)

    def _end(self) -> None:
        self._operations.stop()
        checks, self._checks = self._checks, []
        for check in checks:
            self._safely(check, check.look_ended, self._step)
            check.looking = False

    def _listener(self, check: Check) -> Listener:
        def tell(call: Call) -> None:
            self._safely(check, check.called, call)

        return tell

    def _safely(self, check: Check, call: Any, argument: Any) -> None:
        """A check that raises is recorded and removed; the others go on."""
        if check not in self._watcher.parts:
            return
        try:
            call(argument)
        except Exception as error:  # noqa: BLE001 - the other checks and the run go on
            self._journal.trouble(check.name, error)
            self._watcher.remove(check)

    def _is_clock(self, optimizer: torch.optim.Optimizer) -> bool:
        return next(iter(self._watcher.models), id(optimizer)) == id(optimizer)

    def _compiled(self) -> bool:
        """Whether dynamo has compiled anything in this process."""
        dynamo = sys.modules.get("torch._dynamo.utils")
        return bool(dynamo is not None and dynamo.counters.get("frames"))

    def _fused(self) -> bool:
        """Whether a module in eval mode has a fused kernel."""
        nn = self._watcher.torch.nn
        kinds = (nn.TransformerEncoderLayer, nn.TransformerEncoder, nn.MultiheadAttention)
        models: list[ModelSeen] = list(self._watcher.models.values())
        return any(
            isinstance(module, kinds) and not module.training
            for model in models
            for root in model.roots
            for module in root.modules()
        )
