"""Notices the first non-finite loss or gradient, and sends a look after it.

The step that fails is noticed in its own backward or before its optimizer step, while the weights are still
those that it was computed from: then they are copied, and the look runs that step again beside the next one.
On a GPU nothing may be waited for, so that it is noticed later, and the look sees the next step as it is.
"""

from __future__ import annotations

import math
import weakref
from typing import TYPE_CHECKING, Any, Mapping

from . import batch as batches
from .journal import Journal
from .look.found import Found, write_facts
from .look.graph import source_in_graph
from .look.look import Look
from .look.snapshot import Snapshot, Step, take_snapshot
from .look.values import nonfinite
from .model import held
from .part import Part
from .replay import save_batch

if TYPE_CHECKING:
    import torch

    from .watcher import Watcher

TRIES = 3
"""Steps that are looked at for one failure."""

FAILURES = 3
"""Failures of one run that are looked at."""


class Nonfinite(Part):
    """Watches for NaN and Inf, and looks closer when there is one."""

    name = "nonfinite"

    def __init__(self, journal: Journal, options: Mapping[str, Any], watcher: Watcher) -> None:
        self._journal = journal
        self._options = options
        self._watcher = watcher
        self._torch = watcher.torch
        self._indices = batches.Indices(watcher)
        self._step = Step()
        self._loaded: list[tuple[Any, list[int] | None]] = []
        self._ill = False
        self._failures = 0
        self._tries = 0
        self._snapshot: Snapshot | None = None
        self._optimizer: weakref.ref[Any] = weakref.ref(self)
        self._look: Look | None = None
        self._leaving: Look | None = None

    def batch_loaded(self, batch: Any, seconds: float) -> None:
        """Keep it, and the one before it: a loader may be one ahead of the loop."""
        self._leave()
        self._loaded = [*self._loaded[-1:], (batch, self._indices.of_last())]
        if self._look is not None:
            self._look.batch(batch)

    def before_forward(self, root: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Keep the arguments until the step is over; in a look, put those of the failed step beside them."""
        self._leave()
        if self._look is not None:
            self._look.forward(root, (args, kwargs))
        if root.training:
            self._step.arguments[id(root)] = (args, kwargs)

    def after_forward(self, root: torch.nn.Module, output: Any) -> None:
        """Evaluation is over."""
        if self._look is not None:
            self._look.forward_done()

    def before_backward(self, loss: torch.Tensor) -> None:
        """Where the loss is on the CPU, reading it costs next to nothing."""
        if self._look is not None:
            self._found(self._look.backward(loss))
        if loss.device.type != "cpu" or loss.numel() != 1:
            return
        if math.isfinite(loss.item()):
            self._ill = self._ill and self._look is not None
        elif not self._ill:
            self._failed(source_in_graph(self._torch, loss, self._names()))

    def after_backward(self, loss: torch.Tensor) -> None:
        """What a look saw of the backward pass."""
        if self._look is not None:
            self._found(self._look.backward_done())

    def before_step(self, optimizer: torch.optim.Optimizer) -> None:
        """The gradients are complete, and their norms are there where they are on the CPU."""
        self._leave()
        if self._look is not None:
            self._look.pause()
        if not self._ill and not self._watcher.skipped and self._gradients_are_bad():
            self._failed(None)
        if self._ill and self._snapshot is not None and self._optimizer() is None:
            self._optimizer = weakref.ref(optimizer)

    def after_step(self, optimizer: torch.optim.Optimizer, step: int) -> None:
        """One round of the loop is over: the look at it ends, or that at the next begins."""
        self._leave()
        if self._look is not None and self._optimizer() is optimizer:
            self._end_look()
        elif self._look is not None:
            self._look.resume()
        if self._look is None and self._snapshot is not None and self._optimizer() is optimizer:
            self._begin_look()
        if self._snapshot is None or self._snapshot.step is not self._step:
            self._step.clear()
        else:
            self._step = Step()
        self._step.random_state = self._torch.get_rng_state()

    def failed(self, error: BaseException) -> None:
        """The script gives up: nothing is looked at any more."""
        self.ended()

    def ended(self) -> None:
        """Take the look out."""
        if self._look is not None:
            self._end_look()
        self._leave()

    def _gradients_are_bad(self) -> bool:
        """Whether a norm of a gradient on the CPU is not finite."""
        norms = [value for key, value in self._watcher.pending if key == "norms"]
        return bool(norms) and norms[-1].device.type == "cpu" and not math.isfinite(norms[-1].sum().item())

    def _failed(self, found: Found | None) -> None:
        """The first non-finite value of a failure: say what is known at once, and get ready to look."""
        self._ill = True
        self._failures += 1
        if self._failures > FAILURES or self._look is not None:
            return
        step = self._watcher.step + 1
        self._say_batch(step)
        bad_weights = [name for name, one in self._parameters() if nonfinite(self._torch, one)]
        self._journal.fact("model.weights_nonfinite", bool(bad_weights), step=step, note=", ".join(bad_weights[:8]) or None)
        if found is not None and not bad_weights:
            write_facts(self._journal, found, step)
        if bad_weights or self._is_compiled():
            return
        models = self._watcher.models.values()
        modules = [root for model in models for root in model.roots]
        tensors = [one for model in models for one in held(model.optimizer)]
        self._snapshot = take_snapshot(self._torch, modules, tensors, self._step)
        self._tries = 0
        self._optimizer = weakref.ref(_Gone())

    def _say_batch(self, step: int) -> None:
        """What the batch of this step holds; save it if asked to."""
        arguments = next(reversed(list(self._step.arguments.values())), None)
        loaded = batches.chosen(self._torch, [one for one, _ in self._loaded], arguments)
        self._step.batch = loaded
        indices = next((indices for one, indices in self._loaded if one is loaded), None)
        if loaded is None and arguments is None:
            return
        batches.write_facts(self._torch, self._journal, loaded, arguments, step, indices)
        known = [batches.describe(self._torch, one) for one in batches.entries(self._torch, loaded, arguments)]
        self._journal.record("batch", step=step, tensors=known[:32], samples=indices)
        folder = self._options.get("save_batch")
        if folder:
            path = save_batch(self._torch, folder, loaded if loaded is not None else arguments, step)
            self._journal.record("event", what=f"the batch was saved: {path}" if path else "the batch is too large to save", step=step)

    def _begin_look(self) -> None:
        modules = {key: name for model in self._watcher.models.values() for key, name in model.modules.items()}
        self._tries += 1
        self._look = Look(self._torch, modules, self._names(), self._snapshot, lambda: self._watcher.busy)
        self._look.begin()

    def _end_look(self) -> None:
        look, self._look = self._look, None
        if look is None:
            return
        if look.trouble is not None:
            self._journal.trouble("look", look.trouble)
        self._leaving = look
        self._leave()
        if self._tries >= TRIES:
            self._snapshot = None

    def _leave(self) -> None:
        """Take a look that is over out of torch's stack, as soon as torch lets it."""
        if self._leaving is not None and self._leaving.end():
            self._leaving = None

    def _found(self, found: Found | None) -> None:
        """The look has its answer."""
        if found is None or self._look is None or found.source in ("outside", "meant"):
            return
        look = self._look
        write_facts(self._journal, found, self._watcher.step)
        if look.operations.max_abs:
            place = look.operations.max_place
            self._journal.fact("act.max_abs", look.operations.max_abs, step=self._watcher.step, note=place.module or None)
        self._snapshot = None
        self._end_look()

    def _names(self) -> dict[int, tuple[str, str]]:
        """What the parameters are called, by id."""
        return {id(one): ("parameter", name) for name, one in self._parameters()}

    def _parameters(self) -> list[tuple[str, torch.Tensor]]:
        return [pair for model in self._watcher.models.values() for pair in model.parameters()]

    def _is_compiled(self) -> bool:
        """Whether anything was compiled: under a function mode it would be compiled anew."""
        import sys

        utils = sys.modules.get("torch._dynamo.utils")
        counters = getattr(utils, "counters", None)
        if counters is None or not counters["stats"].get("unique_graphs"):
            return False
        self._journal.record("event", what="no closer look: parts of the run are compiled")
        return True


class _Gone:
    """Something that a weak reference has lost."""
