"""Notices the first non-finite loss or gradient, and sends a look after it.

The step that fails is noticed in its own backward or before its optimizer step, while the weights are still
those that it was computed from: then they are copied, and the look runs that step again beside the next one.
On a GPU nothing may be waited for, so that it is noticed later, and the look sees the next step as it is.
So it does where gradients are far beyond their usual size, and where the script leaves out the backward pass.
"""

from __future__ import annotations

import dataclasses
import math
import statistics
import weakref
from collections import deque
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from . import batch as batches
from .compiling import anything_compiled
from .journal import Journal
from .look.found import Found, write_facts
from .look.graph import source_in_graph
from .look.look import Look
from .look.snapshot import Snapshot, Step, take_snapshot
from .look.stopped import loss_in_frames, named_by_source
from .look.values import nonfinite
from .model import held
from .part import Part
from .replay import save_batch

if TYPE_CHECKING:
    import torch

    from .model import ModelSeen
    from .watcher import Watcher

TRIES = 3
"""Steps that are looked at for one failure."""

FAILURES = 3
"""Failures of one run that are looked at, and steps of one run that are looked at for being unusual."""

EXPLODING = 1e3
"""A gradient norm above which a step is looked at, if it is JUMP times the usual one. Source: the playbooks."""

JUMP = 20.0

LEFT_OUT = 3
"""So many times the usual number of calls without a backward pass are unusual."""

SMALL = 4096
"""Elements of a parameter whose gradient is read after each backward pass."""

TENSORS = 32
"""Tensors of a batch that are described."""


@dataclasses.dataclass
class Loaded:
    """A batch, the samples in it where the sampler told, and the last step that was over when it came."""

    batch: Any
    indices: list[int] | None
    step: int


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
        self._loaded: list[Loaded] = []
        self._lowest: torch.Tensor | None = None
        self._norms: deque[float] = deque(maxlen=50)
        self._ill = False
        self._failed_step = 0
        self._failures = 0
        self._looks = 0
        self._calls = 0
        self._usual_calls = 0
        self._tries = 0
        self._failing: Step | None = None
        self._snapshot: Snapshot | None = None
        self._armed = False
        self._optimizer: weakref.ref[Any] | None = None
        self._look: Look | None = None
        self._leaving: list[Look] = []

    def model_found(self, model: ModelSeen) -> None:
        """Choose the parameter whose gradient is read after each backward pass."""
        if self._lowest is None:
            small = (
                one
                for one in held(model.optimizer)
                if one.requires_grad and one.numel() <= SMALL and one.device.type == "cpu"
            )
            self._lowest = next(small, None)

    def batch_loaded(self, batch: Any, seconds: float) -> None:
        """Keep it, and the one before it: a loader may be one ahead of the loop."""
        self._leave()
        self._loaded = [*self._loaded[-1:], Loaded(batch, self._indices.of_last(), self._watcher.step)]
        if self._look is not None:
            self._look.batch(batch)

    def before_forward(self, root: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Keep the arguments until the step is over; in a look, put those of the failed step beside them."""
        self._leave()
        if root.training:
            self._count_calls()
            self._step.arguments[id(root)] = (args, kwargs)
        if self._look is not None:
            self._look.forward(root, (args, kwargs))

    def after_forward(self, root: torch.nn.Module, output: Any) -> None:
        """Evaluation is over."""
        if self._look is not None:
            self._look.forward_done()

    def before_backward(self, loss: torch.Tensor) -> None:
        """Where the loss is on the CPU, reading it costs next to nothing."""
        self._usual_calls = max(self._usual_calls, self._calls)
        self._calls = 0
        if self._look is not None:
            self._found(self._look.backward(loss))
        value = next((value for key, value in reversed(self._watcher.pending) if key == "loss"), None)
        if value is None or value.device.type != "cpu" or loss.numel() != 1:
            return
        if math.isfinite(value.item()):
            self._ill = self._ill and self._look is not None
        elif not self._ill:
            self._failed(source_in_graph(self._torch, loss, self._names()))

    def after_backward(self, loss: torch.Tensor) -> None:
        """What a look saw of the backward pass; and one small gradient, for a script that leaves out bad steps."""
        if self._look is not None:
            self._found(self._look.backward_done())
        elif not self._ill and self._watcher.scaler is None and self._lowest_gradient_is_bad():
            self._failed(None)

    def before_step(self, optimizer: torch.optim.Optimizer) -> None:
        """The gradients are complete, and their norms are there where they are on the CPU."""
        self._leave()
        if self._look is not None:
            self._look.pause()
        if not self._ill and not self._watcher.skipped and self._gradients_are_bad(optimizer):
            self._failed(None)
        if self._failing is not None:
            self._take_snapshot(optimizer, self._failing)
            self._failing = None

    def after_step(self, optimizer: torch.optim.Optimizer, step: int) -> None:
        """One round of the loop is over: the look at it ends, or that at the next begins."""
        self._leave()
        is_ours = self._optimizer is None or self._optimizer() in (None, optimizer)
        if self._look is not None and is_ours:
            self._end_look()
        elif self._look is not None:
            self._look.resume()
        if self._look is None and (self._armed or self._snapshot is not None) and is_ours:
            self._begin_look(optimizer)
        self._step = Step(random_state=self._torch.get_rng_state())

    def read(self, step: int, values: dict[str, Any]) -> None:
        """What comes late from a device; and a gradient far beyond its usual size."""
        norm, loss = values.get("grad_norm"), values.get("loss")
        late = any(isinstance(one, float) and not math.isfinite(one) for one in (norm, loss))
        if late and not values.get("skipped") and not self._ill:
            self._failed_step, self._ill = step, True
            self._arm()
        elif norm is not None and math.isfinite(norm):
            usual = statistics.median(self._norms) if len(self._norms) >= 5 else math.inf
            if norm > EXPLODING and norm > JUMP * usual:
                self._failed_step = step
                self._arm()
            self._norms.append(norm)

    def failed(self, error: BaseException) -> None:
        """The script gives up, maybe because it has seen the loss itself: ask the graph of that loss."""
        if self._look is not None:
            self._found(self._look.of_last_scalar())
        elif not self._failures:
            loss = loss_in_frames(self._torch, error)
            if loss is not None:
                self._failed(source_in_graph(self._torch, loss, self._names()))
        self.ended()

    def ended(self) -> None:
        """Take the look out."""
        if self._look is not None:
            self._end_look()
        self._leave()

    def _count_calls(self) -> None:
        """The model is called in training, and no backward has come for longer than usual: bad steps are left out."""
        self._calls += 1
        if self._calls <= LEFT_OUT * max(1, self._usual_calls):
            return
        if self._look is not None:
            self._found(self._look.of_last_scalar())
        elif self._look_allowed():
            self._failed_step = self._watcher.step + 1
            self._optimizer = None
            self._look = self._new_look(None)

    def _lowest_gradient_is_bad(self) -> bool:
        """Whether the first small parameter on the CPU has NaN or Inf: what comes from above mostly reaches it."""
        gradient = self._lowest.grad if self._lowest is not None else None
        if gradient is None or math.isfinite(gradient.sum().item()):
            return False
        return nonfinite(self._torch, gradient) is not None

    def _gradients_are_bad(self, optimizer: torch.optim.Optimizer) -> bool:
        """Whether a gradient on the CPU is not finite, which its norm tells."""
        norms = [value for key, value in self._watcher.pending if key == "norms"]
        if not norms or norms[-1].device.type != "cpu" or math.isfinite(norms[-1].sum().item()):
            return False
        # The norm of a finite gradient may overflow.
        gradients = (one.grad for one in held(optimizer) if one.grad is not None)
        return any(nonfinite(self._torch, one) for one in gradients)

    def _failed(self, found: Found | None) -> None:
        """The first non-finite value of a failure: say what is known at once, and get ready to look."""
        self._ill = self._watcher.alarmed = True
        self._failures += 1
        if self._failures > FAILURES or self._look is not None:
            return
        step = self._failed_step = self._watcher.step + 1
        self._say_batch(step)
        bad = [name for name, one in self._parameters() if nonfinite(self._torch, one)]
        self._journal.fact("model.weights_nonfinite", bool(bad), step=step, note=", ".join(bad[:8]) or None)
        if found is not None and not bad:
            write_facts(self._journal, named_by_source(self._torch, found), step)
        if not bad and not self._is_compiled():
            # The script may leave out the optimizer's step, and go on to the next batch.
            self._failing = dataclasses.replace(self._step, arguments=dict(self._step.arguments))

    def _take_snapshot(self, optimizer: torch.optim.Optimizer, step: Step) -> None:
        """Before the optimizer steps; at the first step the model is not known earlier."""
        models = self._watcher.models.values()
        modules = [root for model in models for root in model.roots]
        tensors = [one for model in models for one in held(model.optimizer)]
        self._snapshot = take_snapshot(self._torch, modules, tensors, step)
        self._tries = 0
        self._optimizer = weakref.ref(optimizer)

    def _say_batch(self, step: int) -> None:
        """What the batch of this step holds; save it if asked to."""
        arguments = next(reversed(list(self._step.arguments.values())), None)
        recent = [one for one in self._loaded if one.step >= self._watcher.step - 1]
        loaded = batches.chosen(self._torch, [one.batch for one in recent], arguments)
        self._step.batch = loaded
        if loaded is None and arguments is None:
            return
        indices = next((one.indices for one in recent if one.batch is loaded), None)
        known = batches.entries(self._torch, loaded, arguments)
        batches.write_facts(self._torch, self._journal, known, step, indices)
        described = [batches.describe(self._torch, one) for one in known[:TENSORS]]
        batches.write_labels(self._journal, described, step)
        self._journal.record("batch", step=step, tensors=described, samples=indices)
        if self._options.get("save_batch"):
            path = save_batch(
                self._torch, self._options["save_batch"], arguments if loaded is None else loaded, step
            )
            what = f"the batch was saved: {path}" if path else "the batch is too large to be saved"
            self._journal.record("event", what=what, step=step)

    def _arm(self) -> None:
        """Look at the next step as it is."""
        self._armed = self._look_allowed()

    def _look_allowed(self) -> bool:
        """Whether a step may be looked at though nothing non-finite was seen in it."""
        self._looks += 1
        return self._looks <= FAILURES and self._look is None and not self._is_compiled()

    def _begin_look(self, optimizer: torch.optim.Optimizer) -> None:
        self._tries += 1
        self._armed = False
        self._optimizer = weakref.ref(optimizer)
        self._look = self._new_look(self._snapshot)
        if self._tries >= TRIES:
            self._snapshot = None

    def _new_look(self, snapshot: Snapshot | None) -> Look:
        modules = {
            key: name for model in self._watcher.models.values() for key, name in model.modules.items()
        }
        look = Look(self._torch, modules, self._names(), snapshot, lambda: self._watcher._busy)
        look.begin()
        return look

    def _end_look(self) -> None:
        look, self._look = self._look, None
        if look is None:
            return
        if look.operations.trouble is not None:
            self._journal.trouble("look", look.operations.trouble)
        if look.operations.max_abs:
            place = look.operations.max_place.module or None
            self._journal.fact("act.max_abs", look.operations.max_abs, step=self._failed_step, note=place)
        self._leaving.append(look)
        self._leave()

    def _leave(self) -> None:
        """Take looks that are over out of torch's stack, as soon as torch lets them."""
        if self._leaving:
            self._leaving = [look for look in self._leaving if not look.end()]

    def _found(self, found: Found | None) -> None:
        """The look has its answer."""
        if found is not None and self._look is not None and found.source == "operation":
            write_facts(self._journal, found, self._failed_step)
            self._snapshot = None
            self._end_look()

    def _names(self) -> dict[int, tuple[str, str]]:
        """What the parameters are called, by id."""
        return {id(one): ("parameter", name) for name, one in self._parameters()}

    def _parameters(self) -> list[tuple[str, torch.Tensor]]:
        return [pair for model in self._watcher.models.values() for pair in model.parameters()]

    def _is_compiled(self) -> bool:
        """Whether anything was compiled: under a function mode it would be compiled anew."""
        if not anything_compiled(self._watcher):
            return False
        self._journal.record("event", what="no closer look: parts of the run are compiled")
        return True
