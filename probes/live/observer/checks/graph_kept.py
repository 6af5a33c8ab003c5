"""Tensors that the script keeps from step to step together with the graph that made them."""

from __future__ import annotations

import weakref
from collections import deque
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any

from ..graphs import grad_fn_of, nodes_below
from ..journal import Journal
from ..look.values import tensors_in
from .holders import Holder, find_holder
from .kept import MARK
from .tails import Tails
from .turns import Follower

if TYPE_CHECKING:
    import torch

    from ..watcher import Watcher

AGES = range(3, 9)
"""Steps ago. A graph of all these steps is alive only where each is kept; the last two may be, in variables."""

FEW, LATEST = 3, 11
"""Where only some steps are kept: so many of them, and one of at least so many steps ago."""

OLD = 25
"""Steps that must all be alive where no name for what holds them is found: then it may be garbage not collected yet."""

JUDGED = (12, 20, 30)
"""Steps of a turn after which it is judged."""

NODES = 1000
"""Nodes of a graph that are looked at."""


OUTPUTS = 8
"""Tensors of an output that are marked: any of them may be kept, as the states of a recurrent network are."""


class _Alive:
    """Hangs on nodes of a graph and dies with the last of them."""


class GraphKept(Follower):
    """Marks nodes of each step's graph and looks whether the marks outlive their steps.

    A node has a dictionary for notes (anomaly mode keeps its traceback there); it goes when the node goes. Marked are the
    last node, and those next to the weights: whatever is kept of the graph leads to one of these.
    """

    name = "kept graphs"

    def __init__(self, journal: Journal, options: Mapping[str, Any], watcher: Watcher) -> None:
        self._journal = journal
        self._torch = watcher.torch
        self._watcher = watcher
        self._marks: deque[weakref.ref[_Alive]] = deque(maxlen=OLD + 5)
        self._current: _Alive | None = None
        self._steps = 0
        self._tails = Tails(watcher.torch)

    def begin_turn(self) -> None:
        """Marks that are still there are of the last turn; lists may be followed from one to the next."""
        self._marks.clear()
        self._current = None
        self._steps = 0

    def after_forward(self, root: torch.nn.Module, output: Any) -> None:
        """The output may be kept, and not the loss."""
        if self._torch.is_grad_enabled():
            for tensor in islice(tensors_in(self._torch.Tensor, output), OUTPUTS):
                self._mark(grad_fn_of(tensor))

    def before_backward(self, loss: torch.Tensor) -> None:
        """The graph of this step."""
        self._mark(loss.grad_fn)
        for node in _next_to_leaves(loss.grad_fn):
            self._mark(node)

    def after_step(self, optimizer: torch.optim.Optimizer, step: int) -> None:
        """A step later the marks should be gone."""
        if self._current is None:
            return
        self._marks.append(weakref.ref(self._current))
        self._current = None
        self._steps += 1
        if self._steps in JUDGED:
            self._judge(step)

    def _mark(self, node: Any) -> None:
        notes = getattr(node, "metadata", None)
        if isinstance(notes, dict):
            self._current = self._current or _Alive()
            notes[MARK] = self._current

    def _judge(self, step: int) -> None:
        alive = {age: mark() for age, mark in enumerate(reversed(self._marks)) if age >= AGES[0]}
        kept = {age: id(mark) for age, mark in alive.items() if mark is not None}
        alive.clear()
        each = all(age in kept for age in AGES)
        if not each and (len(kept) < FEW or max(kept) < LATEST):
            # A part of the model that is called by itself makes graphs that bear no mark.
            grown = self._tails.grown()
            if grown is None:
                self._journal.fact("process.graph_kept", False, step=step)
            else:
                self._say(grown, step)
            return
        holder = find_holder(self._torch, set(kept.values()), len(AGES) if each else FEW)
        if holder is None and not (
            len(self._marks) > OLD and all(age in kept for age in range(AGES[0], OLD))
        ):
            return
        self._say(holder or Holder(None, None, "Tensor"), step)

    def _say(self, holder: Holder, step: int) -> None:
        self._watcher.remove(self)
        file, line, kind = holder
        self._journal.fact("process.graph_kept", True, step=step, file=file, line=line, note=kind)
        self._journal.fact("process.growing_type", kind, step=step)
        if file is not None and line is not None:
            self._journal.fact("process.graph_kept_where", f"{file}:{line}", step=step)


def _next_to_leaves(last: Any) -> Iterator[Any]:
    """The nodes that use a weight, as far as NODES nodes reach."""
    for node in nodes_below(last, NODES):
        if any(type(parent).__name__ == "AccumulateGrad" for parent, _ in node.next_functions):
            yield node
