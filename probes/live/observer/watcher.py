"""What all parts share, and how the watching of a process begins and ends.

What happens in the loop is seen in forwards.py, losses.py, loaders.py and optimizers.py, and told as in telling.py.

    install(torch, journal, options) -> Watcher      once, when the script has imported torch
"""

from __future__ import annotations

import weakref
from collections.abc import Mapping
from types import ModuleType
from typing import TYPE_CHECKING, Any, Callable

from .guard import guarded
from .journal import Journal
from .parts import parts
from .patching import replace
from .registry import Registry
from .succession import Succession
from .telling import EVENTS, Telling

if TYPE_CHECKING:
    import torch

    from .forwards import Forwards
    from .model import ModelSeen


class Watcher(Telling):
    """Keeps what all parts share.

    torch         the module
    registry      the modules of the process
    models        the models found, by id of their optimizer while that is alive
    models_found  how many there were
    step          the rounds of the loop so far, of the optimizer that has made most
    steps         the steps of each optimizer so far, by its id
    succession    the optimizers that were made anew for the same parameters
    brought       the parameters that a loaded state gave values to before the first step, by their id
    stepping      whether an optimizer steps just now
    now           when the last optimizer began or ended its step, as perf_counter tells it
    seconds       what the last round took
    begun         when the optimizer began that steps, and the sum of `spent` then
    row           what was measured in the round at hand, by the names of the `steps` record
    pending       tensors whose values join the row, as lists by their name, once they can be read (steps.py)
    spent         the seconds of this round in each of its parts
    passes_ended  how often a loader was asked for a batch and had no more
    alarmed       whether a loss or gradient was not finite, so that all gradients should be measured
    scaler        the GradScaler that scales the loss or steps
    skipped       whether it left out the step at hand
    unscaled      the id of the last loss that it scaled, and the loss
    """

    pending: list[tuple[str, torch.Tensor]]
    unscaled: tuple[int, torch.Tensor | None]
    brought: dict[int, weakref.ref[torch.Tensor]]

    def __init__(self, torch: ModuleType, journal: Journal, options: Mapping[str, Any]) -> None:
        super().__init__(torch, journal)
        self.torch = torch
        self.options = options
        self.registry = Registry(torch)
        self.forwards: Forwards | None = None
        self.models: dict[int, ModelSeen] = {}
        self.models_found = 0
        self.step = 0
        self.steps: dict[int, int] = {}
        self.succession = Succession(self)
        self.brought = {}
        self.stepping = False
        self.now = self.seconds = 0.0
        self.begun = (0.0, 0.0)
        self.skipped = False
        self.row: dict[str, Any] = {}
        self.pending = []
        self.spent = {"data": 0.0, "forward": 0.0, "backward": 0.0}
        self.passes_ended = 0
        self.unused = False
        self.alarmed = False
        self.scaler: Any = None
        self.unscaled = (0, None)
        self._undo: list[Callable[[], object]] = [self.registry.close]
        replace(self, torch.nn.Module, "__setstate__", self.registry.wrap_setstate)

    def expect(self, model: torch.nn.Module | None, optimizer: torch.optim.Optimizer | None) -> None:
        """What is trained was made before the watching began. What is not named is found at the first step."""
        if model is not None:
            self.registry.hear_all(model)
        if optimizer is not None and self.forwards is not None:
            self.own("model", self.forwards.expect, optimizer)

    def on_close(self, undo: Callable[[], object]) -> None:
        """How to take back what was installed, when the watching ends before the process does."""
        self._undo.append(undo)

    def flush(self) -> None:
        """What was seen so far is asked for."""
        self.tell("flush")

    def beat(self) -> None:
        """A second has passed, in a thread of ours: the loop may be busy with the parts just now."""
        for call in self._calls["beat"]:
            call()

    def failed(self, error: BaseException) -> None:
        """The script raised, and nobody caught it."""
        self.tell("failed", error)

    def forget(self, watch: bool) -> None:
        """This is a forked child now, and what the parts know is the parent's. `watch` makes new ones."""
        self.busy = False
        self.models.clear()
        self.models_found = 0
        self.row = {}
        self.step = 0
        self.succession = Succession(self)
        for part in list(self.parts):
            self.remove(part)
        for part in parts(self.journal, self.options, self) if watch else ():
            self.add(part)

    def close(self) -> None:
        """The watching ends: the parts write what they still hold, and every hook is taken out."""
        self.busy = False
        self.tell("ended")
        for undo in reversed(self._undo):
            guarded(self.journal, "close", undo)()
        self._undo.clear()
        for event in EVENTS:
            self._calls[event] = []


def install(torch: ModuleType, journal: Journal, options: Mapping[str, Any]) -> Watcher:
    """Watch the training loops of this process from now on. `close` ends it."""
    from .forwards import Forwards
    from .loaders import watch_loaders
    from .losses import watch_losses
    from .optimizers import watch_optimizers

    watcher = Watcher(torch, journal, options)
    watcher.forwards = Forwards(watcher)
    for part in parts(journal, options, watcher):
        watcher.add(part)
    guarded(journal, "optimizers", watch_optimizers)(watcher, watcher.forwards)
    guarded(journal, "losses", watch_losses)(watcher)
    guarded(journal, "loaders", watch_loaders)(watcher)
    return watcher
