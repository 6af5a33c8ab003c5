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

MODULES = 64
"""Modules that are remembered."""


class Loading(Part):
    """Counts, where a state is loaded with `strict=False`, how many of its tensors found a place in the model.

    Of several the one counts of which least was taken: a pretrained trunk that fits is no word on another. A state with nothing in
    it, as a filter leaves that knows another prefix, counts where no other state brought a part of the same model.

    A state that is loaded once the run has trained, into another copy of the model, should hold all that was trained.
    What it lacks may come from a second file, or be copied by hand, so that it is told in the end.
    """

    name = "loading"

    def __init__(self, journal: Journal, options: Mapping[str, Any], watcher: Watcher) -> None:
        self._journal, self._watcher = journal, watcher
        self._least = 1.0
        self._given: list[weakref.ref[Any]] = []
        """Modules that took something from a state."""
        self._empty: list[tuple[weakref.ref[Any], list[Any]]] = []
        """Modules whose state was empty, and what they miss."""
        self._left_out: dict[str, tuple[weakref.ref[Any], weakref.ref[Any]]] = {}
        """Of each name the parameter that was loaded nothing into, and the one that was trained."""
        replace(watcher, watcher.torch.nn.Module, "load_state_dict", self._wrap)

    def _wrap(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def load_state_dict(module: Any, state_dict: Any, *args: Any, **kwargs: Any) -> Any:
            result = original(module, state_dict, *args, **kwargs)
            self._watcher.own("loading", self._look, module, state_dict, result)
            self._watcher.own("loading", self._note, module, state_dict)
            self._watcher.own("loading", self._compare, module, state_dict, result)
            return result

        return load_state_dict

    def _note(self, module: Any, state: Any) -> None:
        """Whose values come from elsewhere, so that nothing is said of how they were drawn."""
        if not self._watcher.step and isinstance(state, Mapping):
            own = module.named_parameters()
            self._watcher.brought.update({id(one): weakref.ref(one) for name, one in own if name in state})

    def _look(self, module: Any, state: Any, result: Any) -> None:
        left = getattr(result, "unexpected_keys", None)
        missing = getattr(result, "missing_keys", None)
        if not isinstance(left, list) or not isinstance(state, Mapping):
            return
        taken = len(state) - len(left)
        if taken:
            self._given.append(weakref.ref(module))
            self._given = self._given[-MODULES:]
        if not missing:
            return
        if state:
            self._count(taken, len(state), missing)
        elif len(self._empty) < MODULES:
            self._empty.append((weakref.ref(module), missing))

    def _count(self, taken: int, total: int, missing: list[Any]) -> None:
        if taken / total < self._least:
            self._least = taken / total
            self._journal.fact("checkpoint.items_total", total)
            self._journal.fact(
                "checkpoint.items_loaded", taken, note=f"not there: {', '.join(map(str, missing[:3]))}"
            )

    def _count_empty(self) -> None:
        """Of ranks that load together only the first may have read the file."""
        empty, self._empty = self._empty, []
        if not empty or later_rank(self._watcher.torch):
            return
        given = {id(one) for one in (ref() for ref in self._given) if one is not None}
        heard = self._watcher.registry.heard()
        for ref, missing in empty:
            module = ref()
            if module is None:
                continue
            around = ({id(one) for one in root.modules()} for root in (module, *heard))
            if not any(id(module) in ids and ids & given for ids in around):
                self._count(0, len(missing), missing)

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
        self._count_empty()
        anew = {id(one) for one in held(model.optimizer)}
        self._left_out = {name: pair for name, pair in self._left_out.items() if id(pair[0]()) not in anew}

    def ended(self) -> None:
        """What has nobody brought?"""
        self._count_empty()
        names = [
            name for name, (one, other) in self._left_out.items() if not _same(self._watcher, one(), other())
        ]
        if names:
            self._journal.fact("checkpoint.trained_left_out", sorted(names)[:NAMES])


def later_rank(torch: Any) -> bool:
    """Whether this process is one of several that train together, and not the first."""
    group = getattr(torch, "distributed", None)
    return bool(group and group.is_available() and group.is_initialized() and group.get_rank())


def _same(watcher: Watcher, one: Any, other: Any) -> bool:
    """Whether both are there, and hold the same numbers."""
    if one is None or other is None:
        return False
    return one.device == other.device and bool(watcher.torch.equal(one.detach(), other.detach()))
