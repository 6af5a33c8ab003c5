"""What a model takes from a saved state that need not fit."""

from __future__ import annotations

import weakref
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Callable

from .journal import Journal
from .model import held
from .part import Part
from .patching import replace

if TYPE_CHECKING:
    from .model import ModelSeen
    from .watcher import Watcher


NAMES = 20
"""Parameters named in one fact."""


class Loading(Part):
    """Counts, where a state is loaded with `strict=False`, how many of its tensors found a place in the model.

    Of several the one counts of which least was taken: a pretrained trunk that fits is no word on another.

    A state that is loaded once the run has trained, into another copy of the model, should hold all that was trained.
    What it lacks may come from a second file, or be copied by hand, so that it is told in the end.
    """

    name = "loading"

    def __init__(self, journal: Journal, options: Mapping[str, Any], watcher: Watcher) -> None:
        self._journal, self._watcher = journal, watcher
        self._least = 1.0
        self._left_out: dict[str, tuple[weakref.ref[Any], weakref.ref[Any]]] = {}
        """Of each name the parameter that was loaded nothing into, and the one that was trained."""
        replace(watcher, watcher.torch.nn.Module, "load_state_dict", self._wrap)

    def _wrap(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def load_state_dict(module: Any, state_dict: Any, *args: Any, **kwargs: Any) -> Any:
            result = original(module, state_dict, *args, **kwargs)
            self._watcher.own("loading", self._look, state_dict, result)
            self._watcher.own("loading", self._compare, module, state_dict, result)
            return result

        return load_state_dict

    def _look(self, state: Any, result: Any) -> None:
        left = getattr(result, "unexpected_keys", None)
        missing = getattr(result, "missing_keys", None)
        if not isinstance(left, list) or not missing or not isinstance(state, Mapping) or not state:
            return
        taken = len(state) - len(left)
        if taken / len(state) < self._least:
            self._least = taken / len(state)
            self._journal.fact("checkpoint.items_total", len(state))
            self._journal.fact(
                "checkpoint.items_loaded", taken, note=f"not there: {', '.join(map(str, missing[:3]))}"
            )

    def _compare(self, module: Any, state: Any, result: Any) -> None:
        """What was trained, and did this state bring it?"""
        missing = set(getattr(result, "missing_keys", None) or ())
        brought = {id(one) for name, one in module.named_parameters() if name not in missing}
        self._left_out = {name: pair for name, pair in self._left_out.items() if id(pair[0]()) not in brought}
        trained = {
            name: one
            for model in self._watcher.models.values()
            for name, one in model.parameters()
            if one.requires_grad
        }
        own = {id(one) for one in trained.values()}
        parameters = dict(module.named_parameters())
        # A state that holds none of what was trained was meant for something else.
        if (
            not missing
            or not self._watcher.step
            or not isinstance(state, Mapping)
            or not any(name in trained for name in state)
            or any(id(one) in own for one in parameters.values())
        ):
            return
        for name in missing & trained.keys() & parameters.keys():
            if parameters[name].shape == trained[name].shape:
                self._left_out[name] = (weakref.ref(parameters[name]), weakref.ref(trained[name]))

    def model_found(self, model: ModelSeen) -> None:
        """What is trained anew, a head for another task, was left out on purpose."""
        anew = {id(one) for one in held(model.optimizer)}
        self._left_out = {name: pair for name, pair in self._left_out.items() if id(pair[0]()) not in anew}

    def ended(self) -> None:
        """What has nobody brought?"""
        names = [
            name for name, (one, other) in self._left_out.items() if not _same(self._watcher, one(), other())
        ]
        if names:
            self._journal.fact("checkpoint.trained_left_out", sorted(names)[:NAMES])


def _same(watcher: Watcher, one: Any, other: Any) -> bool:
    """Whether both are there, and hold the same numbers."""
    if one is None or other is None:
        return False
    return one.device == other.device and bool(watcher.torch.equal(one.detach(), other.detach()))
