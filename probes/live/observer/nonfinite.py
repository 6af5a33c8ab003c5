"""Notices the first non-finite loss or gradient, and sends a look after it.

The step that fails is noticed in its own backward or before its optimizer step, while the weights are still
those that it was computed from: then they are copied, and the look runs that step again beside the next one.
On a GPU nothing may be waited for, so that it is noticed later, and the look sees the next step as it is.
So it does where gradients are far beyond their usual size, and where the script leaves out the backward pass.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .blame import nonfinite_weights
from .journal import Journal
from .loaded import LastLoaded
from .look.found import Found, write_facts
from .look.graph import source_in_graph
from .look.looks import Looks
from .look.saved import Saved
from .look.snapshot import RandomState, Step
from .look.stopped import loss_in_frames, named_by_source
from .part import Part
from .sentinel import Sentinel
from .usual import UsualNorm

if TYPE_CHECKING:
    import torch

    from .model import ModelSeen
    from .watcher import Watcher

FAILURES = 3
"""Failures of one run that are looked at."""

LEFT_OUT = 3
"""So many times the usual number of calls without a backward pass are unusual."""

LOOKING = ("after_forward", "after_backward")
"""What is to be told only while something is looked at."""


class Nonfinite(Part):
    """Watches for NaN and Inf, and looks closer when there is one."""

    name = "nonfinite"

    def __init__(self, journal: Journal, options: Mapping[str, Any], watcher: Watcher) -> None:
        self._journal = journal
        self._watcher = watcher
        self._torch = watcher.torch
        self._loaded = LastLoaded(options, watcher)
        self._looks = Looks(watcher)
        self._saved = Saved(watcher)
        self._step = Step()
        self._sentinel = Sentinel(watcher)
        self._clears = False
        self._awake = True
        self._random = RandomState(watcher.torch)
        self._norms = UsualNorm()
        self._ill = False
        self._failures = 0
        self._calls = 0
        self._too_many_calls = LEFT_OUT

    def model_found(self, model: ModelSeen) -> None:
        """Choose the gradient that is read where no step uses it."""
        self._sentinel.choose(model.optimizer)

    def batch_loaded(self, batch: Any, seconds: float) -> None:
        """Keep it until it is known whether its step fails."""
        self._loaded.add(batch)
        self._looks.batch(batch)

    def before_forward(self, root: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Keep the arguments until the step is over."""
        if root.training:
            if self._watcher.unused:
                self._judge()
            self._calls += 1
            if self._calls > self._too_many_calls:
                self._steps_are_left_out()
            self._step.arguments[id(root)] = (args, kwargs)
        if self._awake:
            self._looks.forward(root, (args, kwargs))

    def after_forward(self, root: torch.nn.Module, output: Any) -> None:
        """Evaluation may be over."""
        self._looks.forward_done()

    def before_backward(self, loss: torch.Tensor) -> None:
        """Where the loss is on the CPU, reading it costs next to nothing."""
        self._too_many_calls = max(self._too_many_calls, LEFT_OUT * self._calls)
        self._calls = 0
        if self._awake:
            self._looks.backward(loss)
        values = self._watcher.row.get("loss")
        if not values:
            return
        if math.isfinite(values[-1]):
            if self._ill:
                self._ill = self._looks.looking
        elif not self._ill and loss.numel() == 1:
            self._failed(self._source_in(loss))

    def after_backward(self, loss: torch.Tensor) -> None:
        """Where nobody calls the optimizer's `zero_grad`, this is the last sure chance to read the gradients."""
        self._looks.backward_done()
        if not self._clears:
            self._judge()

    def gradients_clearing(self, optimizer: torch.optim.Optimizer) -> None:
        """The script leaves out this step, or begins a new round."""
        self._judge()

    def gradients_cleared(self, optimizer: torch.optim.Optimizer) -> None:
        """From now on the gradients are read when they are used or about to be cleared."""
        self._clears = True
        self._watcher.rest(self, "gradients_cleared")

    def before_step(self, optimizer: torch.optim.Optimizer) -> None:
        """The gradients are complete, and their norms are there where they are on the CPU."""
        if not self._ill and not self._watcher.skipped and self._sentinel.sees_bad(optimizer):
            self._failed(None)
        if self._awake:
            self._looks.before_step(optimizer)

    def after_step(self, optimizer: torch.optim.Optimizer, step: int) -> None:
        """One round of the loop is over."""
        if self._awake:
            self._looks.after_step(optimizer)
            if self._looks.idle and self._clears:
                self._awake = False
                self._watcher.rest(self, *LOOKING)
        self._step.begin(self._random.after(step))

    def read(self, step: int, values: dict[str, Any]) -> None:
        """What comes late from a device; and a gradient far beyond its usual size."""
        norm, loss = values.get("grad_norm"), values.get("loss")
        late = not math.isfinite((norm or 0.0) + (loss or 0.0))
        fails = late and not values.get("skipped") and not self._ill
        self._ill = self._ill or fails
        if fails or (norm is not None and math.isfinite(norm) and self._norms.is_far_beyond(norm)):
            self._wake()
            self._looks.at_the_next(step)

    def failed(self, error: BaseException) -> None:
        """The script gives up, maybe because it has seen the loss itself: ask the graph of that loss."""
        if self._watcher.unused:
            self._judge()
        if self._looks.looking:
            self._looks.without_backward()
        elif not self._failures:
            loss = loss_in_frames(self._torch, error)
            if loss is not None:
                self._failed(self._source_in(loss))
        self._looks.end()

    def ended(self) -> None:
        """Take the look out."""
        if self._watcher.unused:
            self._judge()
        self._looks.end()

    def _source_in(self, loss: torch.Tensor) -> Found | None:
        return source_in_graph(self._torch, loss, self._looks.names(), self._saved.is_kept)

    def _steps_are_left_out(self) -> None:
        """The model is called in training, and no backward has come for longer than usual."""
        if self._looks.looking:
            self._looks.without_backward()
        else:
            self._wake()
            self._looks.at_once(self._watcher.step + 1)

    def _wake(self) -> None:
        """Something is to be looked at."""
        self._awake = True
        self._watcher.wake(self, *LOOKING)

    def _judge(self) -> None:
        """Not every step is measured, and the script may leave out the bad ones itself."""
        if not self._ill and self._sentinel.is_bad():
            self._failed(None)

    def _failed(self, found: Found | None) -> None:
        """The first non-finite value of a failure: say what is known at once, and get ready to look."""
        self._ill = self._watcher.alarmed = True
        self._failures += 1
        if self._failures > FAILURES or self._looks.looking:
            return
        step = self._watcher.step + 1
        bad = nonfinite_weights(self._watcher)
        self._journal.fact("model.weights_nonfinite", bool(bad), step=step, note=", ".join(bad[:8]) or None)
        if bad:  # what is computed with them, or handed on from one model to the next, says nothing
            return
        self._step.batch = self._loaded.say([*self._step.arguments.values()], step)
        if found is not None:
            write_facts(self._journal, named_by_source(self._torch, found), step)
        # The script may leave out the optimizer's step, and go on to the next batch.
        failing = dataclasses.replace(self._step, arguments=dict(self._step.arguments))
        self._wake()
        self._looks.after_failure(failing, step)
