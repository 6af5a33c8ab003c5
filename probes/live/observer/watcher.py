"""Tells the parts what happens in the training loop.

It is seen in forwards.py, losses.py, loaders.py and optimizers.py.

    install(torch, journal, options) -> Watcher      once, when the script has imported torch
"""

from __future__ import annotations

from collections.abc import Mapping
from types import ModuleType
from typing import TYPE_CHECKING, Any, Callable

from .compiling import compiler_switch, run_as_it_is
from .guard import guarded
from .journal import Journal
from .part import Part
from .parts import parts
from .registry import Registry

if TYPE_CHECKING:
    import torch

    from .forwards import Forwards
    from .model import ModelSeen

EVENTS = tuple(name for name, value in vars(Part).items() if callable(value))
"""What a part can be told: the methods of Part."""


class Watcher:
    """Tells each part what it asked for, guarded, and keeps what all parts share.

    torch         the module
    registry      the modules of the process
    models        the models found, by id of their optimizer while that is alive
    models_found  how many there were
    step          the rounds of the loop so far, of the optimizer that has made most
    row           what was measured in the round at hand, by the names of the `steps` record
    pending       tensors whose values join the row, as lists by their name, once they can be read (steps.py)
    spent         the seconds of this round in each of its parts
    alarmed       whether a loss or gradient was not finite, so that all gradients should be measured
    scaler        the GradScaler that steps
    skipped       whether it left out the step at hand
    unscaled      the id of the last loss that it scaled, and the loss
    busy          whether it is the observer that computes
    """

    pending: list[tuple[str, torch.Tensor]]
    unscaled: tuple[int, torch.Tensor | None]

    def __init__(self, torch: ModuleType, journal: Journal, options: Mapping[str, Any]) -> None:
        self.torch = torch
        self.journal = journal
        self.options = options
        self.registry = Registry(torch)
        self.forwards: Forwards | None = None
        self.models: dict[int, ModelSeen] = {}
        self.models_found = 0
        self.step = 0
        self.skipped = False
        self.row: dict[str, Any] = {}
        self.pending = []
        self.spent = {"data": 0.0, "forward": 0.0, "backward": 0.0}
        self.unused = False
        self.alarmed = False
        self.scaler: Any = None
        self.unscaled = (0, None)
        self.parts: list[Part] = []
        self._calls: dict[str, list[Callable[..., None]]] = {event: [] for event in EVENTS}
        self.busy = False
        self._compiler = compiler_switch(torch)
        self._undo: list[Callable[[], object]] = [self.registry.close]

    def add(self, part: Part) -> None:
        """From now on this part is told what it overrides."""
        self.parts.append(part)
        for event in EVENTS:
            if getattr(type(part), event) is not getattr(Part, event):
                self._calls[event] = [*self._calls[event], getattr(part, event)]

    def remove(self, part: Part) -> None:
        """This part is told nothing more."""
        self.parts = [one for one in self.parts if one is not part]
        for event, calls in self._calls.items():
            self._calls[event] = [one for one in calls if one.__self__ is not part]  # type: ignore[attr-defined]

    def rest(self, part: Part, *events: str) -> None:
        """Tell this part nothing of these events until it wakes: what has nothing to do costs nothing."""
        for event in events:
            calls = self._calls[event]
            self._calls[event] = [one for one in calls if one.__self__ is not part]  # type: ignore[attr-defined]

    def wake(self, part: Part, *events: str) -> None:
        """Tell this part of these events again, in its turn, unless it was removed."""
        for event in events:
            told = {id(part), *(id(one.__self__) for one in self._calls[event])}  # type: ignore[attr-defined]
            self._calls[event] = [getattr(one, event) for one in self.parts if id(one) in told]

    def wants(self, event: str) -> bool:
        """Whether any part overrides this."""
        return bool(self._calls[event])

    def tell(self, event: str, *args: Any) -> None:
        """Something happened in the run. What the parts themselves do (a replayed forward) is not told."""
        calls = self._calls[event]
        if self.busy or not calls:
            return
        self.busy = True
        compiler = self._compiler(None)
        try:
            for call in calls:
                call(*args)
        except Exception as error:  # noqa: BLE001 - no fault of ours may end the run
            self._go_on_without(call, error, calls, args)
        finally:
            self._compiler(compiler)
            self.busy = False

    def own(self, name: str, call: Callable[..., object], *args: Any) -> None:
        """Run something of the observer's own, guarded, as `tell` runs the parts."""
        if self.busy:
            return
        self.busy = True
        compiler = self._compiler(None)
        try:
            call(*args)
        except Exception as error:  # noqa: BLE001 - no fault of ours may end the run
            self.journal.trouble(name, error)
        finally:
            self._compiler(compiler)
            self.busy = False

    def pass_on(self, event: str, *args: Any) -> None:
        """A part tells the other parts."""
        calls = self._calls[event]
        try:
            for call in calls:
                call(*args)
        except Exception as error:  # noqa: BLE001 - no fault of ours may end the run
            self._go_on_without(call, error, calls, args)

    def _go_on_without(
        self,
        failed: Callable[..., None],
        error: Exception,
        calls: list[Callable[..., None]],
        args: tuple[Any, ...],
    ) -> None:
        """A part that raises is recorded and removed; those behind it are told all the same."""
        part: Part = failed.__self__  # type: ignore[attr-defined]
        self.journal.trouble(part.name, error)
        self.remove(part)
        for call in calls[calls.index(failed) + 1 :]:
            try:
                call(*args)
            except Exception as another:  # noqa: BLE001, PERF203 - each may fail by itself
                self._go_on_without(call, another, [call], args)

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
    for entry in (Watcher.tell, Watcher.own):
        run_as_it_is(torch, entry)
    for part in parts(journal, options, watcher):
        watcher.add(part)
    guarded(journal, "optimizers", watch_optimizers)(watcher, watcher.forwards)
    guarded(journal, "losses", watch_losses)(watcher)
    guarded(journal, "loaders", watch_loaders)(watcher)
    return watcher
