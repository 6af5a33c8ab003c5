"""Tensors that the script keeps from step to step together with the graph that made them."""

from __future__ import annotations

import linecache
import os
import re
import sys
import weakref
from collections import deque
from collections.abc import Iterator, Mapping
from inspect import CO_OPTIMIZED
from types import FrameType
from typing import TYPE_CHECKING, Any

from ..journal import Journal
from ..look.places import OURS
from ..look.values import tensors_in
from ..part import Part

if TYPE_CHECKING:
    import torch

    from ..watcher import Watcher

AGES = range(3, 9)
"""Steps ago. A graph of all these steps is alive only where each is kept; the last two may be, in variables."""

OLD = 25
"""Steps that must all be alive where no name for what holds them is found: then it may be garbage not collected yet."""

LAST = 30
"""Steps after which nothing is marked any more: who keeps graphs keeps them from the start."""

MARK = "traindx"


class _Alive:
    """Hangs on a node of a graph and dies with it."""


class GraphKept(Part):
    """Marks the last node of each step's graph and looks whether the marks outlive their steps.

    A node has a dictionary for notes (anomaly mode keeps its traceback there); it goes when the node goes.
    """

    name = "kept graphs"

    def __init__(self, journal: Journal, options: Mapping[str, Any], watcher: Watcher) -> None:
        self._journal = journal
        self._torch = watcher.torch
        self._torch_folder = os.path.dirname(os.path.abspath(str(watcher.torch.__file__))) + os.sep
        self._watcher = watcher
        self._marks: deque[weakref.ref[_Alive]] = deque(maxlen=OLD + 3)
        self._current: _Alive | None = None
        self._done = False

    def after_forward(self, root: torch.nn.Module, output: Any) -> None:
        """The output may be kept, and not the loss."""
        if self._torch.is_grad_enabled():
            self._mark(next(tensors_in(self._torch.Tensor, output), None))

    def before_backward(self, loss: torch.Tensor) -> None:
        """The loss of this step."""
        self._mark(loss)

    def after_step(self, optimizer: torch.optim.Optimizer, step: int) -> None:
        """A step later the marks should be gone."""
        if self._current is not None:
            self._marks.append(weakref.ref(self._current))
            self._current = None
        if step in (12, 20, LAST):
            self._judge(step)
        if self._done or step >= LAST:
            self._watcher.remove(self)

    def _mark(self, tensor: Any) -> None:
        node = getattr(tensor, "grad_fn", None)
        notes = getattr(node, "metadata", None)
        if isinstance(notes, dict):
            self._current = self._current or _Alive()
            notes[MARK] = self._current

    def _judge(self, step: int) -> None:
        marks = list(self._marks)[::-1]
        if len(marks) <= AGES[-1]:
            return
        if not all(marks[age]() is not None for age in AGES):
            self._journal.fact("process.graph_kept", False, step=step)
            return
        holder = next(self._holders(), None)
        if holder is None and not (len(marks) > OLD and all(mark() is not None for mark in marks[3:OLD])):
            return
        self._done = True
        file, line, kind = holder if holder is not None else (None, None, "Tensor")
        self._journal.fact("process.graph_kept", True, step=step, file=file, line=line, note=kind)
        self._journal.fact("process.growing_type", kind, step=step)
        if file is not None and line is not None:
            self._journal.fact("process.graph_kept_where", f"{file}:{line}", step=step)

    def _holders(self) -> Iterator[tuple[str, int, str]]:
        """File, line and kind of the variables that hold marked graphs, in the frames of the script."""
        frame: FrameType | None = sys._getframe(1)
        while frame is not None:
            file = frame.f_code.co_filename
            if not file.startswith((self._torch_folder, OURS, "<frozen")):
                for name, value in variables(frame):
                    yield from self._held(frame, name, value)
                    if name == "self" and hasattr(value, "__dict__"):
                        for inner, one in list(vars(value).items()):
                            yield from self._held(frame, inner, one)
            frame = frame.f_back

    def _held(self, frame: FrameType, name: str, value: Any) -> Iterator[tuple[str, int, str]]:
        kept = list(value.values()) if isinstance(value, dict) else value
        if isinstance(kept, (list, deque, tuple)) and len(kept) >= len(AGES):
            inside = [
                one for each in list(kept)[-len(AGES) :] for one in tensors_in(self._torch.Tensor, each)
            ]
            if sum(self._marks_below(one) > 0 for one in inside) >= len(AGES):
                yield (
                    frame.f_code.co_filename,
                    line_of(frame, name),
                    f"{type(value).__name__} of tensors ({name})",
                )
        elif isinstance(value, self._torch.Tensor) and self._marks_below(value) >= len(AGES):
            yield frame.f_code.co_filename, line_of(frame, name), f"tensor ({name})"

    def _marks_below(self, tensor: Any) -> int:
        """How many steps' marks stand in the last nodes of its graph."""
        nodes, found, seen = [tensor.grad_fn], set(), 0
        while nodes and seen < 200:
            node = nodes.pop()
            if node is None:
                continue
            seen += 1
            notes = getattr(node, "metadata", None)
            if isinstance(notes, dict) and MARK in notes:
                found.add(id(notes[MARK]))
                continue
            nodes += [parent for parent, _ in node.next_functions[:4]]
        return len(found)


def variables(frame: FrameType) -> list[tuple[str, Any]]:
    """Names and values of a frame.

    Up to Python 3.12 those of a function are copied into a dictionary that would keep them alive as long as it runs.
    """
    names = frame.f_locals
    found = list(names.items())
    if sys.version_info < (3, 13) and names is not frame.f_globals and frame.f_code.co_flags & CO_OPTIMIZED:
        names.clear()
    return found


def line_of(frame: FrameType, name: str) -> int:
    """The line of the frame's function that adds to this name, or the line it stands at."""
    code = frame.f_code
    adds = re.compile(
        rf"\b{re.escape(name)}\b\s*(\+=|\.(append|extend|add|appendleft)\(|=.*\b{re.escape(name)}\b|\[)"
    )
    lines = sorted({line for _, _, line in _lines(code) if line})
    return next(
        (line for line in lines if adds.search(linecache.getline(code.co_filename, line))), frame.f_lineno
    )


def _lines(code: Any) -> list[tuple[int, int, int]]:
    """The lines of a code object (Python 3.9 has them as pairs only)."""
    if hasattr(code, "co_lines"):
        return list(code.co_lines())
    import dis

    return [(start, start, line) for start, line in dis.findlinestarts(code)]
