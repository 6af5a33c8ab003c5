"""One look: it lies in wait for one loop step, and says at its backward what it found."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Callable

from .backward import WatchedGraph, run_backward
from .found import Found, from_backward, from_source
from .operations import Operations
from .places import Places
from .snapshot import Snapshot
from .stack import put_in, take_out

if TYPE_CHECKING:
    import torch


class Look:
    """Sees one loop step, operation by operation.

    With a snapshot the step that failed is run beside this one; without it, this step itself is looked at.
    """

    def __init__(
        self,
        torch: Any,
        modules: Mapping[int, str],
        names: Mapping[int, tuple[str, str]],
        snapshot: Snapshot | None,
        quiet: Callable[[], bool],
    ) -> None:
        self._torch = torch
        self._snapshot = snapshot
        self._twins = snapshot.twins(torch) if snapshot else None
        self._names = dict(names)
        self._graph: WatchedGraph | None = None
        self._in = False
        self.operations = Operations(torch, Places(torch, modules), self._names, self._twins, quiet)

    def begin(self) -> None:
        """The loop step begins."""
        put_in(self._torch, self.operations)
        self._in = True

    def end(self) -> bool:
        """The look is over. False where torch has the mode set aside just now: then ask again later."""
        self.operations.paused = True
        if self._graph is not None:
            self._graph.remove()
            self._graph = None
        if self._in and take_out(self._torch, self.operations):
            self._in = False
        return not self._in

    def pause(self) -> None:
        """An optimizer steps: what it does is none of the look's business."""
        self.operations.paused = True

    def resume(self) -> None:
        """It has stepped, and the loop step goes on."""
        self.operations.paused = self.operations.trouble is not None

    def batch(self, batch: Any) -> None:
        """A loader gave a batch."""
        if self._snapshot and self._twins is not None:
            self._snapshot.pair_batch(self._torch, self._twins, batch)

    def forward(self, module: torch.nn.Module, arguments: Any) -> None:
        """The model is called."""
        if not module.training and self._in:
            # Some modules choose other kernels in evaluation when a function mode is there.
            self._in = not take_out(self._torch, self.operations)
            return
        if self._snapshot and self._twins is not None:
            self._snapshot.pair_arguments(self._torch, self._twins, module, arguments)
            self.operations.forget(arguments)

    def forward_done(self) -> None:
        """The model has returned."""
        if not self._in and not self.operations.paused:
            self.begin()

    def backward(self, loss: torch.Tensor) -> Found | None:
        """Backward is about to be called on this loss: what the look has found by now."""
        with self._torch._C.DisableTorchFunction():
            if self._twins is not None and self._twins.is_lost(loss):
                return None
            source = self.operations.source_of(loss)
            if source is not None:
                return from_source(source)
            if self._twins is None:
                self._graph = WatchedGraph(self._torch, loss)
                return None
            twin = self._twins.of(loss)
            if twin is loss or twin.grad_fn is None:
                return None
            with self._twins.random_state_of_its_own():  # what a checkpoint computes again may draw
                found = run_backward(self._torch, twin)
            return from_backward(found, self.operations)

    def of_last_scalar(self) -> Found | None:
        """Where no backward comes: what the last non-finite number with a graph, likely the loss, comes from."""
        source = self.operations.last_scalar
        return from_source(source) if source is not None else None

    def backward_done(self) -> Found | None:
        """Backward has returned: what was seen in it."""
        if self._graph is None:
            return None
        return from_backward(self._graph.found, self.operations)
