"""Sees the tensors on which `backward` is called, and what a GradScaler made of the loss before."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Callable

from .compiling import run_as_it_is
from .journal import Journal
from .part import Part
from .patching import replace, scaler_class
from .traces import leave_out_ours

if TYPE_CHECKING:
    import torch

    from .watcher import Watcher

INPUTS = 4
"""Where torch's engine is told of what gradients are asked for."""


def watch_losses(watcher: Watcher) -> None:
    """Tell `before_backward`, `after_backward` and `gradients_asked`.

    `torch.Tensor.backward` ends in one of the functions replaced here.
    """

    tensor = watcher.torch.Tensor
    run_as_it_is(watcher.torch, _loss_in)

    def wrap(original: Callable[..., Any]) -> Callable[..., Any]:
        def backward(tensors: Any, *args: Any, **kwargs: Any) -> Any:
            loss = tensors if isinstance(tensors, tensor) else _loss_in(tensor, tensors)
            if loss is not None:
                watcher.unused = True
                watcher.tell("before_backward", loss)
            start = time.perf_counter()
            try:
                result = original(tensors, *args, **kwargs)
            except BaseException as error:
                leave_out_ours(error)
                raise
            if loss is not None:
                watcher.spent["backward"] += time.perf_counter() - start
                watcher.tell("after_backward", loss)
            return result

        return backward

    def wrap_scale(original: Callable[..., Any]) -> Callable[..., Any]:
        def scale(scaler: Any, outputs: Any) -> Any:
            scaled = original(scaler, outputs)
            if scaled is not outputs and isinstance(outputs, watcher.torch.Tensor):
                watcher.unscaled = (id(scaled), outputs.detach())
                watcher.scaler = scaler
            return scaled

        return scale

    def wrap_engine(original: Callable[..., Any]) -> Callable[..., Any]:
        def run(*args: Any, **kwargs: Any) -> Any:
            if not kwargs.get("accumulate_grad", True):
                inputs = args[INPUTS] if len(args) > INPUTS else kwargs.get("inputs", ())
                watcher.tell("gradients_asked", inputs)
            try:
                return original(*args, **kwargs)
            except BaseException as error:
                leave_out_ours(error)
                raise

        return run

    replace(watcher, watcher.torch.autograd, "backward", wrap, leaves_itself_out=True)
    # torch.compile knows torch.autograd.grad by itself, so that what it calls is replaced, where there is such a thing.
    if hasattr(watcher.torch.autograd, "_engine_run_backward"):
        replace(watcher, watcher.torch.autograd, "_engine_run_backward", wrap_engine, leaves_itself_out=True)
    replace(watcher, scaler_class(watcher.torch), "scale", wrap_scale)


def _loss_in(kind: type[torch.Tensor], tensors: Any) -> torch.Tensor | None:
    """The one tensor of a call of backward."""
    if isinstance(tensors, kind):
        return tensors
    return (
        tensors[0]
        if isinstance(tensors, (list, tuple)) and tensors and isinstance(tensors[0], kind)
        else None
    )


class Losses(Part):
    """Puts into the row what backward was called on, without the factor of the GradScaler, and that factor."""

    name = "losses"
    asleep = ("before_step",)

    def __init__(self, journal: Journal, options: Mapping[str, Any], watcher: Watcher) -> None:
        self._watcher = watcher
        self._scales = False

    def before_backward(self, loss: torch.Tensor) -> None:
        """Several calls for one step add up, as their gradients do."""
        watcher, value = self._watcher, loss
        if loss.numel() != 1:
            return
        scaled, plain = watcher.unscaled
        if plain is not None:
            value = plain if scaled == id(loss) else loss
            watcher.unscaled = (0, None)
            self._expect_scaler()
        row = watcher.row
        if watcher.stepping and "loss" in row:
            return  # a closure that is called again within one step
        if value.is_cpu:
            row.setdefault("loss", []).append(value.item())
        else:
            watcher.pending.append(("loss", value.detach()))

    def _expect_scaler(self) -> None:
        """From now on the factor is read in each step."""
        if not self._scales:
            self._scales = True
            self._watcher.wake(self, "before_step")

    def before_step(self, optimizer: torch.optim.Optimizer) -> None:
        """The scale of a GradScaler stands on the device; on the CPU, too, it changes after the step only."""
        scale = getattr(self._watcher.scaler, "_scale", None)
        if scale is not None:
            self._watcher.pending.append(("loss_scale", scale))
