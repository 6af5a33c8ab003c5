"""Tensors that are computed from what they were before, in each step anew, so that their graph grows by a step each time."""

from __future__ import annotations

import sys
import weakref
from collections.abc import Iterator, Mapping
from types import FrameType
from typing import TYPE_CHECKING, Any

from ..graphs import grad_fn_of
from ..journal import Journal
from ..look.places import OURS
from .holders import Holder, folder_of, line_adding, named, variables
from .kept import Found, attributes_of
from .turns import Follower

if TYPE_CHECKING:
    import torch

    from ..watcher import Watcher

LOOKS = (2, 5, 8, 11)
"""Steps of a turn after which the graphs of all that is held are noted."""

KEY = "traindx.chain"
"""The key of our note at a node."""

MOST = 5000
"""Modules and variables that are looked at."""


class _Alive:
    """Hangs on a node of a graph and dies with it."""


class Chained(Follower):
    """Notes which node of a graph each buffer, attribute and variable ends in, and looks whether the earlier ones live on.

    A running mean that is made from itself and from what has a graph holds the graphs of all steps. It ends in another node at
    each look, and those of the looks before are alive: a tensor that is computed once ends in the same, and one that is
    computed anew lets the last go.
    """

    name = "chained graphs"

    def __init__(self, journal: Journal, options: Mapping[str, Any], watcher: Watcher) -> None:
        self._journal, self._watcher = journal, watcher
        self._folder = folder_of(watcher.torch)
        self._steps = 0
        self._ends: dict[tuple[int, str], list[weakref.ref[_Alive]]] = {}

    def begin_turn(self) -> None:
        """Nothing is carried over from the last turn."""
        self._steps = 0
        self._ends.clear()

    def after_step(self, optimizer: torch.optim.Optimizer, step: int) -> None:
        """Note, and in the end judge."""
        self._steps += 1
        if self._steps not in LOOKS:
            return
        for owner, name, tensor, frame in self._held():
            node = grad_fn_of(tensor)
            notes = getattr(node, "metadata", None)
            if not isinstance(notes, dict):
                continue
            ends = self._ends.setdefault((id(owner), name), [])
            if any(one() is None for one in ends) or KEY in notes:
                ends.clear()
            alive = notes[KEY] = notes.get(KEY) or _Alive()
            ends.append(weakref.ref(alive))
            if len(ends) == len(LOOKS):
                self._say(owner, name, frame, step)
                return

    def _held(self) -> Iterator[tuple[Any, str, Any, FrameType | None]]:
        """Tensors with a graph that modules, objects of the script and its running functions hold by a name."""
        kind, seen = self._watcher.torch.Tensor, 0
        for module in self._watcher.registry.heard()[:MOST]:
            own = vars(module)
            for values in (own, own.get("_buffers") or {}):
                yield from (
                    (module, name, one, None) for name, one in list(values.items()) if isinstance(one, kind)
                )
        frame: FrameType | None = sys._getframe(1)
        while frame is not None and seen < MOST:
            if not frame.f_code.co_filename.startswith((self._folder, OURS, "<frozen")):
                for name, value in variables(frame):
                    seen += 1
                    if isinstance(value, kind):
                        yield frame.f_code, name, value, frame
                    elif name == "self" or type(value).__module__ == "__main__":
                        yield from (
                            (value, key, one, None)
                            for key, one in attributes_of(value)
                            if isinstance(one, kind)
                        )
            frame = frame.f_back

    def _say(self, owner: Any, name: str, frame: FrameType | None, step: int) -> None:
        self._watcher.remove(self)
        if frame is not None:
            holder = named(frame, Found(name, "tensor", None))
        else:
            module = sys.modules.get(type(owner).__module__)
            file = getattr(module, "__file__", None)
            line = line_adding(file, name) if file else None
            holder = Holder(file, line, f"tensor ({type(owner).__name__}.{name})")
        self._journal.fact(
            "process.graph_kept", True, step=step, file=holder.file, line=holder.line, note=holder.kind
        )
        self._journal.fact("process.growing_type", holder.kind, step=step)
        if holder.file is not None and holder.line is not None:
            self._journal.fact("process.graph_kept_where", f"{holder.file}:{holder.line}", step=step)
