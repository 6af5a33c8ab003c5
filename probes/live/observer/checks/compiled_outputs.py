"""Whether the outputs of a compiled model depend on its inputs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..compiling import anything_compiled
from ..journal import Journal
from ..part import Part
from .outputs import Outputs

if TYPE_CHECKING:
    import torch

    from ..watcher import Watcher

FIRST, GROWTH, MOST = 10, 2, 200
"""The first step that is looked at; how many times as late the next two come, but for no more steps than this."""

EVENTS = ("before_forward", "after_forward")


class CompiledOutputs(Part):
    """Compares the outputs of two steps in a row, now and then, where nothing is sampled since something is compiled.

    What a compiled model is given and what it returns are plain tensors: no graph is broken by reading them.
    """

    name = "compiled outputs"
    asleep = EVENTS

    def __init__(self, journal: Journal, options: Mapping[str, Any], watcher: Watcher) -> None:
        self._watcher = watcher
        self._check = Outputs(journal, options, watcher)
        self._next = FIRST
        self._looks = 0

    def before_forward(self, root: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Of training alone: it may be asked for other things in between."""
        if self._trains(root):
            self._check.before_forward(root, args, kwargs)

    def after_forward(self, root: torch.nn.Module, output: Any) -> None:
        """The model returned."""
        if self._trains(root):
            self._check.after_forward(root, output)

    def after_step(self, optimizer: torch.optim.Optimizer, step: int) -> None:
        """Two steps are looked at, then none for a while."""
        if self._looks:
            self._looks -= 1
            if not self._looks:
                self._watcher.rest(self, *EVENTS)
                self._next = step + min(MOST, step * (GROWTH - 1))
                self._watcher.rest_until(self._next, self, "after_step")
        elif step + 1 >= self._next:
            if not anything_compiled(self._watcher):
                self._watcher.remove(self)
                return
            self._looks = 2
            self._check.look_began(step + 1)
            self._watcher.wake(self, *EVENTS)
        elif self._watcher.models_found == 1:
            self._watcher.rest_until(self._next - 1, self, "after_step")

    def _trains(self, root: torch.nn.Module) -> bool:
        return root.training and self._watcher.torch.is_grad_enabled()
