"""The order of things in a loop: backward, step, clearing of gradients."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..graphs import version_of
from ..journal import Journal
from ..model import held
from .leftovers import LeftOvers
from .turns import Follower

if TYPE_CHECKING:
    import torch

    from ..model import ModelSeen
    from ..watcher import Watcher

STALE = 3
"""Steps in a row without new gradients that are no accident (the first step of LBFGS has its backward inside)."""

THROWN = 20
"""Gradients in a row that were cleared and never used; an attack of PGD makes 10 or so between two steps."""

HABIT = 5
"""Steps in a row of which each uses its last gradients only."""

OPTIMIZERS = 16
"""Optimizers, the youngest, whose weights are looked at where none ever steps."""

NEVER = 100
"""Backward passes without any step; accumulation seldom goes beyond 64."""


class Order(Follower):
    """Steps without new gradients, gradients that no step uses, and gradients cleared just before the step."""

    name = "order"

    def __init__(self, journal: Journal, options: Mapping[str, Any], watcher: Watcher) -> None:
        self._journal = journal
        self._watcher = watcher
        self._torch = watcher.torch
        self._backwards = self._steps = self._thrown = self._since_step = 0
        self._in_use = False
        self._before: dict[int, tuple[int, list[Any]]] = {}
        self._stale: dict[int, int] = {}
        self._emptied: dict[int, int] = {}
        self._cleared: set[int] = set()
        self._still: list[tuple[weakref.ref[Any], Any]] = []
        self._wasted = 0
        self._versions: dict[int, int] = {}
        self._attacks = False
        self._left = LeftOvers()

    def begin_turn(self) -> None:
        """What lies between the turns was not seen."""
        for known in (self._before, self._stale, self._emptied, self._cleared, self._versions):
            known.clear()
        self._thrown = self._wasted = self._since_step = 0
        self._in_use = False
        self._still = []
        self._left.forget()

    def before_forward(self, root: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Whoever wants a gradient of the input (an attack, a saliency map) throws those of the weights away."""
        self._attacks = self._attacks or any(
            getattr(one, "requires_grad", False) for one in (*args, *kwargs.values())
        )

    def before_backward(self, loss: torch.Tensor) -> None:
        """A module may have cleared them as well, or the script itself."""
        if self._in_use and self._left.are_gone():
            for model in self._living()[:1]:
                self.gradients_cleared(model.optimizer)

    def after_backward(self, loss: torch.Tensor) -> None:
        """New gradients."""
        self._backwards += 1
        self._since_step += 1
        self._in_use = True
        self._cleared.clear()
        self._left.take(self._living())
        if not self._steps and self._since_step == THROWN:
            self._still = self._samples()
        if not self._steps and self._since_step == NEVER:
            self._unused()

    def gradients_cleared(self, optimizer: torch.optim.Optimizer) -> None:
        """If no step has used them, they were made for nothing."""
        if self._in_use:
            self._cleared.add(id(optimizer))
            self._attacks = self._attacks or self._moved(optimizer)
            self._thrown += 1
            if self._thrown == 1:
                self._still = self._samples(optimizer)
            if self._thrown == THROWN:
                self._unused()
        self._in_use = False

    def before_step(self, optimizer: torch.optim.Optimizer) -> None:
        """Are there new gradients since this optimizer's last step?"""
        key = id(optimizer)
        if self._left.were_replaced():
            self._thrown = 0  # the script has put them together from those of several passes
        some = optimizer.param_groups[0]["params"][:4]
        marks = [(id(one.grad), one.grad._version) for one in some if one.grad is not None]
        fresh = (self._backwards, marks)
        last = self._before.get(key)
        unchanged = last[1] == marks if last is not None else not marks
        count = last[0] if last is not None else 0
        emptied = key in self._cleared and not marks
        self._stale[key] = self._stale.get(key, 0) + 1 if count == self._backwards and unchanged else 0
        self._emptied[key] = self._emptied.get(key, 0) + 1 if emptied else 0
        self._before[key] = fresh
        if self._stale[key] >= STALE:
            self._journal.fact("grad.step_without_backward", True)
        if self._emptied[key] >= STALE:
            self._journal.fact("grad.cleared_before_step", True)

    def after_step(self, optimizer: torch.optim.Optimizer, step: int) -> None:
        """The gradients were used."""
        self._steps += 1
        self._wasted = self._wasted + 1 if self._thrown and self._in_use else 0
        if self._wasted == HABIT and not self._attacks:
            self._journal.fact("grad.discarded", True)
        self._versions[id(optimizer)] = _version(optimizer)
        self._thrown = self._since_step = 0
        self._in_use = False
        self._still = []
        if self._steps == 2 * STALE:
            for name in (
                "grad.step_without_backward",
                "grad.cleared_before_step",
                "grad.backward_without_step",
            ):
                self._journal.fact(name, False)
            if not self._wasted:
                self._journal.fact("grad.discarded", False)

    def _living(self) -> list[ModelSeen]:
        return [one for one in self._watcher.models.values() if one.is_alive]

    def _moved(self, optimizer: torch.optim.Optimizer) -> bool:
        """Whether the script itself has moved the weights since the last step, as sharpness-aware training does."""
        return self._versions.get(id(optimizer), _version(optimizer)) != _version(optimizer)

    def ended(self) -> None:
        """A short run that never stepped."""
        if not self._steps and self._backwards > THROWN:
            self._unused()

    def _unused(self) -> None:
        """Say so, unless the script moves the weights by itself (it may do so without an optimizer)."""
        alive = [(ref(), values) for ref, values in self._still]
        if alive and all(one is None or self._is_still(one, values) for one, values in alive):
            self._journal.fact("grad.backward_without_step", True)

    def _is_still(self, parameter: Any, values: Any) -> bool:
        # What is NaN and stays NaN has not moved.
        return bool(self._torch.allclose(_part(parameter), values, rtol=0, atol=0, equal_nan=True))

    def _samples(self, optimizer: Any = None) -> list[tuple[weakref.ref[Any], Any]]:
        """Values of some parameters that an optimizer holds, or each optimizer that is alive."""
        optimizers = [optimizer] if optimizer is not None else self._live_optimizers()[:OPTIMIZERS]
        return [
            (weakref.ref(one), _part(one).clone())
            for each in optimizers
            for one in [one for one in held(each) if one.grad is not None or optimizer][:8]
        ]

    def _live_optimizers(self) -> list[Any]:
        objects = gc.get_objects()
        kinds = {kind for kind in set(map(type, objects)) if issubclass(kind, self._torch.optim.Optimizer)}
        return [one for one in objects if type(one) in kinds and hasattr(one, "param_groups")]


def _version(optimizer: torch.optim.Optimizer) -> int:
    """Changes whenever its first weights are written."""
    return sum(version_of(one) for one in held(optimizer)[:4])


def _part(parameter: Any) -> Any:
    """Some of its values."""
    return parameter.detach().reshape(-1)[:64]
