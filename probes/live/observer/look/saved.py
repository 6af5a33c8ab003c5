"""Whether the tensors that a graph has saved may be asked for.

A checkpoint saves a token in the place of a tensor, and computes the tensor again when it is asked for: once, so that
the run's own backward pass would fail. Since torch 2.8 a saved tensor tells whether it is such a token. Before, none
is asked for once the script has put hooks on saved tensors.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable

from ..patching import replace

if TYPE_CHECKING:
    from ..watcher import Watcher


class Saved:
    """Tells of saved tensors whether they are kept as they are."""

    def __init__(self, watcher: Watcher) -> None:
        graph = watcher.torch.autograd.graph
        self._told = hasattr(watcher.torch._C._autograd.SavedTensor, "unpack_hook")
        self._hooked = False
        if not self._told:
            replace(watcher, graph.saved_tensors_hooks, "__enter__", self._noting)

    def is_kept(self, raw: Any) -> bool:
        """Whether this saved tensor can be had without computing anything."""
        return getattr(raw, "unpack_hook", raw) is None if self._told else not self._hooked

    def _noting(self, enter: Callable[..., Any]) -> Callable[..., Any]:
        def noting(hooks: Any) -> Any:
            self._hooked = True
            return enter(hooks)

        return noting
