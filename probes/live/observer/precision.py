"""Which number format the forward runs in, and how many samples batch normalisation sees."""

from __future__ import annotations

import weakref
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Callable

from .journal import Journal
from .part import Part
from .patching import replace

if TYPE_CHECKING:
    import torch

    from .model import ModelSeen
    from .watcher import Watcher

ROUNDS = 2
"""Rounds after which it is said that autocast is off."""
BATCHES = 50
"""Batches that are counted. The last of an epoch is often smaller, so that the most frequent size is told."""
NAMES = {"torch.float16": "fp16", "torch.bfloat16": "bf16", "torch.float32": "fp32"}


class Precision(Part):
    """Says `config.precision` as the run has it, and the usual batch of a model with batch normalisation.

    Where autocast is entered matters not: around the model, in it, or by a wrapper of it.
    """

    name = "precision"

    def __init__(self, journal: Journal, options: Mapping[str, Any], watcher: Watcher) -> None:
        self._journal = journal
        self._watcher = watcher
        self._dtype: torch.dtype | None = None
        self._norms: list[weakref.ref[Any]] = []
        self._sizes: list[int] = []
        replace(watcher, watcher.torch.autocast, "__enter__", self._wrap_enter)

    def _wrap_enter(self, original: Callable[..., Any]) -> Callable[..., Any]:
        is_grad_enabled = self._watcher.torch.is_grad_enabled

        def __enter__(context: Any) -> Any:
            result = original(context)
            if self._dtype is None and getattr(context, "_enabled", False) and is_grad_enabled():
                self._dtype = getattr(context, "fast_dtype", None)
            return result

        return __enter__

    def model_found(self, model: ModelSeen) -> None:
        """Batches are counted for models with batch statistics."""
        self._watcher.wake(self, "before_forward", "after_step")
        self._norms += [weakref.ref(one) for one in model.each_module() if "BatchNorm" in type(one).__name__]

    def before_forward(self, root: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """The first tensor that the model is given has the samples in its first dimension."""
        if not self._norms or len(self._sizes) >= BATCHES:
            self._watcher.rest(self, "before_forward")
            return
        if not root.training or not any(getattr(one(), "training", False) for one in self._norms):
            return  # in eval mode, as on purpose in fine-tuning, nothing is averaged
        tensor = self._watcher.torch.Tensor
        first = next(
            (one for one in (*args, *kwargs.values()) if isinstance(one, tensor) and one.dim() > 1), None
        )
        if first is not None:
            self._sizes.append(int(first.shape[0]))

    def after_step(self, optimizer: torch.optim.Optimizer, step: int) -> None:
        """Say it once."""
        if step >= ROUNDS:
            self._say()
            self._watcher.rest(self, "after_step")

    def ended(self) -> None:
        """A run of one step has a precision, too."""
        if self._watcher.step:
            self._say()

    def _say(self) -> None:
        held = {str(one.dtype) for model in self._watcher.models.values() for _, one in model.parameters()}
        if held:
            self._journal.fact("model.trained_in_float64", held == {"torch.float64"})
        if self._dtype is not None:
            self._journal.fact("config.precision", NAMES.get(str(self._dtype), "fp32"))
        if self._sizes:
            usual = max(set(self._sizes), key=self._sizes.count)
            self._journal.fact("model.batchnorm_batch", usual)
        if self._dtype is None and held == {"torch.float32"}:
            self._journal.fact("config.precision", "fp32")
        elif self._dtype is None:
            # A second phase may train what the first one left in another format.
            self._journal.retract("config.precision")
