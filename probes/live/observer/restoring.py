"""A state whose tensors are the model's own: what is loaded from it is what the model holds anyway."""

from __future__ import annotations

import sys
import weakref
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Callable

from .graphs import version_of
from .journal import Journal
from .look.places import OURS
from .part import Part
from .patching import replace

if TYPE_CHECKING:
    from .watcher import Watcher

MOST = 256
"""States that are remembered."""


class Restoring(Part):
    """Sees a trained model load a state whose tensors are its own, taken some steps ago with `state_dict()`.

    `state_dict()` gives views of the weights and copies nothing. The best weights that were kept so have been trained on,
    and loading them in the end brings nothing back. A state that is taken and loaded between two steps, changed in place or not,
    is no memory of anything; nor is one that holds a single tensor of its own.

    A copy that no optimizer trains, such as a target network, may be changed in place through its state, too. Where it is
    loaded with its own tensors time and again and nothing has written to them between, it never gets anything.
    """

    name = "restoring"

    def __init__(self, journal: Journal, options: Mapping[str, Any], watcher: Watcher) -> None:
        self._journal, self._watcher = journal, watcher
        self._taken: dict[int, tuple[weakref.ref[Any], int]] = {}
        """The first tensor of each state, and after how many steps it was taken. Copies of the dictionary hold it, too."""
        self._copies: dict[int, tuple[weakref.ref[Any], int, list[int]]] = {}
        """Copies that were loaded with their own tensors: in which step, and how often each had been written to."""
        module = watcher.torch.nn.Module
        replace(watcher, module, "state_dict", self._wrap_state)
        replace(watcher, module, "load_state_dict", self._wrap_load)

    def _wrap_state(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def state_dict(module: Any, *args: Any, **kwargs: Any) -> Any:
            state = original(module, *args, **kwargs)
            # A module asks its children for theirs.
            if not args and kwargs.get("destination") is None:
                self._watcher.own(self.name, self._remember, state)
            return state

        return state_dict

    def _wrap_load(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def load_state_dict(module: Any, state_dict: Any, *args: Any, **kwargs: Any) -> Any:
            self._watcher.own(self.name, self._compare, module, state_dict)
            return original(module, state_dict, *args, **kwargs)

        return load_state_dict

    def _remember(self, state: Any) -> None:
        first = next(iter(state.values()), None) if isinstance(state, Mapping) else None
        if not isinstance(first, self._watcher.torch.Tensor):
            return
        if len(self._taken) >= MOST:
            self._taken = {key: one for key, one in self._taken.items() if one[0]() is not None}
        if len(self._taken) < MOST:
            self._taken[id(first)] = (weakref.ref(first), self._watcher.step)

    def _compare(self, module: Any, state: Any) -> None:
        if not self._watcher.step or not isinstance(state, Mapping):
            return
        ages = [
            step
            for ref, step in (self._taken[id(one)] for one in state.values() if id(one) in self._taken)
            if ref() is not None
        ]
        own = dict(module.named_parameters())
        trained = {
            id(one)
            for model in self._watcher.models.values()
            for _, one in model.parameters()
            if one.requires_grad
        }
        if not ages or not own or not all(self._is_same(state.get(name), one) for name, one in own.items()):
            return
        if not any(id(one) in trained for one in own.values()):
            if self._is_left_alone(module, list(own.values())):
                self._say("checkpoint.copy_loads_itself")
        elif max(ages) < self._watcher.step:
            self._say("checkpoint.restores_itself", note=f"taken after step {max(ages)}")

    def _is_left_alone(self, module: Any, weights: list[Any]) -> bool:
        """Whether nothing but the loading has written to a copy since it was loaded with itself in an earlier step."""
        ref, step, before = self._copies.get(id(module), (None, 0, []))
        written = [version_of(one) for one in weights]
        self._copies[id(module)] = weakref.ref(module), self._watcher.step, written
        alike = [now == then + 1 for now, then in zip(written, before)]
        return ref is not None and ref() is module and step < self._watcher.step and all(alike)

    def _say(self, name: str, note: str | None = None) -> None:
        file, line = _caller()
        self._journal.fact(name, True, step=self._watcher.step, file=file, line=line, note=note)

    def _is_same(self, kept: Any, held: Any) -> bool:
        """Whether both are one memory on one device."""
        plain = (self._watcher.torch.Tensor, self._watcher.torch.nn.Parameter)
        return (
            type(kept) in plain
            and type(held) in plain
            and kept.layout == held.layout == self._watcher.torch.strided
            and not held.is_meta
            and kept.device == held.device
            and kept.shape == held.shape
            and kept.data_ptr() == held.data_ptr()
        )


def _caller() -> tuple[str | None, int | None]:
    """The line outside of torch and of us that loads."""
    frame = sys._getframe(1)
    while frame is not None:
        name = frame.f_code.co_filename
        if not name.startswith((OURS, "<frozen")) and "torch/nn/" not in name.replace("\\", "/"):
            return name, frame.f_lineno
        frame = frame.f_back  # type: ignore[assignment]
    return None, None
