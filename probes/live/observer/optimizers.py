"""Sees optimizers: made, stepping, skipped by a GradScaler, clearing their gradients."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Any, Callable

from .compiling import is_compiling_in
from .patching import replace, scaler_class
from .traces import hidden, leave_out_ours

if TYPE_CHECKING:
    import torch

    from .forwards import Forwards
    from .watcher import Watcher


def watch_optimizers(watcher: Watcher, forwards: Forwards) -> None:
    """Tell `model_found`, `before_step`, `after_step` and `gradients_cleared`, for every optimizer of torch's kind."""
    seen = Optimizers(watcher, forwards)
    optim = sys.modules["torch.optim.optimizer"]  # torch.optim hides the name of its module
    is_compiling = is_compiling_in(watcher.torch)

    # A compiled optimizer step traces these two: to dynamo they do nothing.
    def before(optimizer: Any, args: Any, kwargs: Any) -> Any:
        return None if is_compiling() else seen.step_begins(optimizer, args, kwargs)

    def after(optimizer: Any, args: Any, kwargs: Any) -> None:
        if not is_compiling():
            seen.after_step(optimizer)

    watcher.on_close(optim.register_optimizer_step_pre_hook(before).remove)
    watcher.on_close(optim.register_optimizer_step_post_hook(after).remove)
    replace(watcher, optim.Optimizer, "__init__", seen.wrap_init)
    replace(watcher, optim.Optimizer, "zero_grad", seen.wrap_zero_grad, leaves_itself_out=True)
    replace(watcher, scaler_class(watcher.torch), "step", seen.wrap_scaler_step)


class Optimizers:
    """What each optimizer of the run has done so far."""

    def __init__(self, watcher: Watcher, forwards: Forwards) -> None:
        self.watcher = watcher
        self.forwards = forwards
        self._stepping: int | None = None
        self._stepped = False
        self._told = False
        """Whether `before_step` was told of the step at hand."""

    def wrap_init(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """An optimizer is made: the modules that hold its parameters are told apart before they first run."""

        def __init__(optimizer: Any, *args: Any, **kwargs: Any) -> None:
            original(optimizer, *args, **kwargs)
            self.watcher.models.pop(id(optimizer), None)
            self.watcher.own("model", self.watcher.succession.made, optimizer)
            self.watcher.own("model", self.forwards.expect, optimizer)

        return __init__

    def wrap_zero_grad(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """Gradients are cleared."""

        def zero_grad(optimizer: Any, *args: Any, **kwargs: Any) -> Any:
            if self.watcher.unused:
                self.watcher.tell("gradients_clearing", optimizer)
            try:
                result = original(optimizer, *args, **kwargs)
            except BaseException as error:
                leave_out_ours(error)
                raise
            self.watcher.tell("gradients_cleared", optimizer)
            return result

        return zero_grad

    def wrap_scaler_step(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """A GradScaler that finds non-finite gradients does not call the optimizer: then the round ends here."""

        def step(scaler: Any, optimizer: Any, *args: Any, **kwargs: Any) -> Any:
            self._stepped = False
            self.watcher.scaler = scaler
            result = original(scaler, optimizer, *args, **kwargs)
            if not self._stepped:
                self._skip(optimizer)
            return result

        return step

    def _skip(self, optimizer: torch.optim.Optimizer) -> None:
        self.watcher.skipped = True
        self.step_begins(optimizer, (), {})
        self.after_step(optimizer)
        self.watcher.skipped = False

    def step_begins(self, optimizer: torch.optim.Optimizer, args: Any, kwargs: Any) -> Any:
        """An optimizer within another (a wrapper that is an optimizer too) is not told of.

        One that is handed a closure (LBFGS, every optimizer of Lightning) computes its gradients within the step:
        then the closure that is given back tells when they are there.
        """
        key, watcher = id(optimizer), self.watcher
        if self._stepping is not None and self._stepping != key:
            return None
        self._stepping = key
        self._stepped, self._told = True, False
        watcher.stepping = True
        if key not in watcher.models:
            watcher.own("model", self.forwards.found, optimizer)
        watcher.now = now = time.perf_counter()
        watcher.begun = (now, sum(watcher.spent.values()))
        if callable(kwargs.get("closure")):
            return args, {**kwargs, "closure": self._telling(optimizer, kwargs["closure"])}
        if len(args) > 1 and callable(args[1]):
            return (args[0], self._telling(optimizer, args[1]), *args[2:]), kwargs
        self._before_step(optimizer)
        return None

    def _telling(self, optimizer: torch.optim.Optimizer, closure: Callable[[], Any]) -> Callable[[], Any]:
        """The closure, after whose first call the gradients are there."""

        @hidden
        def telling() -> Any:
            try:
                loss = closure()
            except BaseException as error:
                self._stepping, self.watcher.stepping = None, False
                leave_out_ours(error)
                raise
            self._before_step(optimizer)
            return loss

        return telling

    def _before_step(self, optimizer: torch.optim.Optimizer) -> None:
        """The gradients are complete. Told once of each step."""
        if not self._told:
            self._told = True
            self.watcher.tell("before_step", optimizer)
            self.watcher.unused = False

    def after_step(self, optimizer: torch.optim.Optimizer) -> None:
        """One round of the loop ends."""
        key, watcher = id(optimizer), self.watcher
        if self._stepping != key:
            return
        self._before_step(optimizer)  # a closure that was not called
        self._stepping, watcher.stepping = None, False
        self.forwards.round_ended()
        step = watcher.steps[key] = watcher.steps.get(key, 0) + 1
        watcher.succession.stepped(key, step)
        watcher.step = max(watcher.step, step)
        if watcher.step >= watcher.alarm:
            watcher.ring()
        watcher.now = time.perf_counter()
        watcher.tell("after_step", optimizer, step)
