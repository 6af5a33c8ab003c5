"""Which number format the forward runs in, and how many samples batch normalisation sees."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Mapping

from .journal import Journal
from .part import Part

if TYPE_CHECKING:
    import torch

    from .model import ModelSeen
    from .watcher import Watcher

LOOKS = 5
"""Forwards in training that are looked at before it is said that autocast is off."""
NAMES = {"torch.float16": "fp16", "torch.bfloat16": "bf16"}


class Precision(Part):
    """Says `config.precision` as the run has it, and the smallest batch of a model with batch normalisation."""

    name = "precision"

    def __init__(self, journal: Journal, options: Mapping[str, Any], watcher: Watcher) -> None:
        self._journal = journal
        self._watcher = watcher
        self._looks = 0
        self._autocast: str | None = None

    def before_forward(self, root: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Ask whether autocast is on around the model."""
        if self._looks < LOOKS and root.training:
            self._looks += 1
            self._autocast = self._autocast or autocast(self._watcher.torch)
            if self._autocast is not None or self._looks == LOOKS:
                self._say()
                self._looks = LOOKS

    def before_backward(self, loss: torch.Tensor) -> None:
        """Autocast may be on within the model only: then the graph holds casts. See `_casts`."""
        if self._looks < LOOKS and self._autocast is None:
            self._autocast = autocast(self._watcher.torch)

    def _say(self) -> None:
        name = NAMES.get(self._autocast or "", "fp32")
        self._journal.fact("config.precision", name)


def autocast(torch: Any) -> str | None:
    """The number format of the autocast that is on here, for any device."""
    if torch.is_autocast_enabled():
        return str(torch.get_autocast_gpu_dtype())
    if torch.is_autocast_cpu_enabled():
        return str(torch.get_autocast_cpu_dtype())
    return None
