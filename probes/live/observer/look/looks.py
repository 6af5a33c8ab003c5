"""The looks of one run: when one begins, what it is told, and when it is taken out again."""

from __future__ import annotations

import weakref
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..compiling import anything_compiled
from ..model import held
from .found import Found, write_facts
from .look import Look
from .snapshot import Snapshot, Step, take_snapshot

if TYPE_CHECKING:
    import torch

    from ..watcher import Watcher

TRIES = 3
"""Steps that are looked at for one failure."""

UNUSUAL = 3
"""Steps of one run that are looked at as they are."""


class Looks:
    """At most one look at a time. It begins after a step of an optimizer, and ends at the next step of that one."""

    def __init__(self, watcher: Watcher) -> None:
        self._watcher = watcher
        self._torch = watcher.torch
        self._journal = watcher.journal
        self._step = 0
        self._failing: Step | None = None
        self._snapshot: Snapshot | None = None
        self._armed = False
        self._tries = 0
        self._unusual = 0
        self._optimizer: weakref.ref[Any] | None = None
        self._look: Look | None = None
        self._leaving: list[Look] = []

    @property
    def looking(self) -> bool:
        """Whether a look is on."""
        return self._look is not None

    @property
    def idle(self) -> bool:
        """Whether nothing is looked at, nor will be."""
        waiting = self._look or self._leaving or self._failing or self._snapshot
        return not waiting and not self._armed

    def after_failure(self, failing: Step, step: int) -> None:
        """This step has failed: run it once more beside the next one."""
        self._step = step
        if not self._is_compiled():
            self._failing = failing

    def at_the_next(self, step: int) -> None:
        """This step was unusual, or its failure was noticed too late: look at the next one as it is."""
        self._armed = self._allowed(step)

    def at_once(self, step: int) -> None:
        """Look from here on: no step of an optimizer comes."""
        if self._allowed(step):
            self._optimizer = None
            self._begin(None)

    def batch(self, batch: Any) -> None:
        """A loader gave a batch."""
        self.leave()
        if self._look is not None:
            self._look.batch(batch)

    def forward(self, module: torch.nn.Module, arguments: Any) -> None:
        """A model is called."""
        self.leave()
        if self._look is not None:
            self._look.forward(module, arguments)

    def forward_done(self) -> None:
        """It has returned."""
        if self._look is not None:
            self._look.forward_done()

    def backward(self, loss: torch.Tensor) -> None:
        """Backward is about to be called."""
        if self._look is not None:
            self._found(self._look.backward(loss))

    def backward_done(self) -> None:
        """It has returned."""
        if self._look is not None:
            self._found(self._look.backward_done())

    def without_backward(self) -> None:
        """No backward comes: take the last non-finite number for the loss."""
        if self._look is not None:
            self._found(self._look.of_last_scalar())

    def before_step(self, optimizer: torch.optim.Optimizer) -> None:
        """Copy the weights if this step has failed. At the first step the model is not known earlier."""
        self.leave()
        if self._look is not None:
            self._look.pause()
        if self._failing is None:
            return
        models = self._watcher.models.values()
        modules = [root for model in models for root in model.roots]
        tensors = [one for model in models for one in held(model.optimizer)]
        self._snapshot = take_snapshot(self._torch, modules, tensors, self._failing)
        self._failing, self._tries = None, 0
        self._optimizer = weakref.ref(optimizer)

    def after_step(self, optimizer: torch.optim.Optimizer) -> None:
        """One round of the loop is over."""
        self.leave()
        of_this_one = self._optimizer is None or self._optimizer() in (None, optimizer)
        if self._look is not None and not of_this_one:
            self._look.resume()
            return
        self.end()
        if of_this_one and (self._armed or self._snapshot is not None):
            self._tries += 1
            self._armed = False
            self._optimizer = weakref.ref(optimizer)
            self._begin(self._snapshot)
            if self._tries >= TRIES:
                self._snapshot = None

    def end(self) -> None:
        """The look is over, if there is one. Say what it measured on its way."""
        look, self._look = self._look, None
        if look is not None:
            seen = look.operations
            if seen.trouble is not None:
                self._journal.trouble("look", seen.trouble)
            if seen.max_abs:
                self._journal.fact(
                    "act.max_abs", seen.max_abs, step=self._step, note=seen.max_place.module or None
                )
            self._leaving.append(look)
        self.leave()

    def leave(self) -> None:
        """Take looks that are over out of torch's stack, as soon as torch lets them."""
        if self._leaving:
            self._leaving = [look for look in self._leaving if not look.end()]

    def names(self) -> Mapping[int, tuple[str, str]]:
        """What the parameters are called, by id."""
        pairs = (pair for model in self._watcher.models.values() for pair in model.parameters())
        return {id(one): ("parameter", name) for name, one in pairs}

    def _allowed(self, step: int) -> bool:
        self._unusual += 1
        if self._unusual > UNUSUAL or self._look is not None or self._is_compiled():
            return False
        self._step = step
        return True

    def _begin(self, snapshot: Snapshot | None) -> None:
        models = self._watcher.models.values()
        modules = {key: name for model in models for key, name in model.modules.items()}
        self._look = Look(self._torch, modules, self.names(), snapshot, lambda: self._watcher.busy)
        self._look.begin()

    def _found(self, found: Found | None) -> None:
        """The look has its answer."""
        if found is not None and found.source == "operation":
            write_facts(self._journal, found, self._step)
            self._snapshot = None
            self.end()

    def _is_compiled(self) -> bool:
        """Whether anything was compiled: under a function mode it would be compiled anew."""
        if not anything_compiled(self._watcher):
            return False
        self._journal.record("event", what="no closer look: parts of the run are compiled")
        return True
