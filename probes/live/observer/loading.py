"""What a model takes from a saved state that need not fit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Callable

from .journal import Journal
from .part import Part
from .patching import replace

if TYPE_CHECKING:
    from .watcher import Watcher


class Loading(Part):
    """Counts, where a state is loaded with `strict=False`, how many of its tensors found a place in the model.

    Of several the one counts of which least was taken: a pretrained trunk that fits is no word on another.
    """

    name = "loading"

    def __init__(self, journal: Journal, options: Mapping[str, Any], watcher: Watcher) -> None:
        self._journal, self._watcher = journal, watcher
        self._least = 1.0
        replace(watcher, watcher.torch.nn.Module, "load_state_dict", self._wrap)

    def _wrap(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def load_state_dict(module: Any, state_dict: Any, *args: Any, **kwargs: Any) -> Any:
            result = original(module, state_dict, *args, **kwargs)
            self._watcher.own("loading", self._look, state_dict, result)
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
