"""What the observer is made of: parts that are told what happens in the training loop."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch

    from .model import ModelSeen


class Part:
    """One thing that the observer watches for. It overrides what it wants to be told.

    Every call but `beat` comes from the thread of the loop and goes through `guarded` (watcher.py): what raises is
    switched off and the run goes on. Tensors must not be written, no random number drawn, and
    a device must not be waited for outside a look. What is not overridden costs nothing.
    """

    name = "part"
    asleep: tuple[str, ...] = ()
    """Events of which it is told only when it asks for it (`Watcher.wake`)."""

    def model_found(self, model: ModelSeen) -> None:
        """The modules that hold an optimizer's parameters were found (once for each optimizer)."""

    def batch_loaded(self, batch: Any, seconds: float) -> None:
        """A data loader handed out a batch, and the loop waited so long for it."""

    def before_forward(self, root: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """A root module is called, in training or evaluation."""

    def after_forward(self, root: torch.nn.Module, output: Any) -> None:
        """A root module returned."""

    def called_aside(self, module: torch.nn.Module, args: tuple[Any, ...]) -> None:
        """A module of the class of a root, which no optimizer trains, is called without gradients."""

    def before_backward(self, loss: torch.Tensor) -> None:
        """`backward` was called on this tensor."""

    def after_backward(self, loss: torch.Tensor) -> None:
        """`backward` returned: the gradients are there."""

    def gradients_asked(self, inputs: Sequence[torch.Tensor]) -> None:
        """`torch.autograd.grad` was called: gradients of these are handed out, and added up nowhere."""

    def before_step(self, optimizer: torch.optim.Optimizer) -> None:
        """An optimizer is about to step, with these gradients."""

    def after_step(self, optimizer: torch.optim.Optimizer, step: int) -> None:
        """It has stepped; `step` counts this optimizer's steps from 1. Here one round of the loop ends."""

    def gradients_clearing(self, optimizer: torch.optim.Optimizer) -> None:
        """`zero_grad` is called, and gradients that no step has used are about to go."""

    def gradients_cleared(self, optimizer: torch.optim.Optimizer) -> None:
        """`zero_grad` was called."""

    def read(self, step: int, values: dict[str, Any]) -> None:
        """The measurements of an earlier step have arrived: keys as in the `steps` record.

        Told of each of the first steps, later where more than the loss was measured, or the loss is not finite.
        """

    def flush(self) -> None:
        """What was seen so far is asked for while the run goes on: write what is held back."""

    def beat(self) -> None:
        """About a second has passed. Called from a thread of ours: write what is held back, and do nothing else."""

    def failed(self, error: BaseException) -> None:
        """The script raised, and nobody caught it."""

    def ended(self) -> None:
        """The process ends: the last chance to write."""
