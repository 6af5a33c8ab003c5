"""Who holds tensors of earlier steps with their graphs: a variable, an attribute, a list behind a hook."""

from __future__ import annotations

import gc
import linecache
import os
import re
import sys
from collections import deque
from collections.abc import Iterator
from inspect import CO_OPTIMIZED
from types import CellType, FrameType, FunctionType, ModuleType
from typing import Any, NamedTuple

from ..look.places import OURS
from ..look.values import tensors_in

MARK = "traindx"
"""The key of our mark in the notes of a node of the graph."""

NODES = 200
"""Nodes of a graph that are searched for a mark."""

LAST = 64
"""Entries at the end of a list that are looked at."""


class Holder(NamedTuple):
    """Where tensors are kept, as far as that is known, and in what."""

    file: str | None
    line: int | None
    kind: str


def find_holder(torch: ModuleType, marks: set[int], count: int) -> Holder | None:
    """What holds graphs with `count` of these marks (their ids). To be called where something holds them.

    First the variables of the script's running functions are searched, which is quick and gives a line,
    then everything that is alive.
    """
    search = _Search(torch, marks, count)
    return next(search.in_frames(), None) or search.in_heap()


class _Search:
    def __init__(self, torch: ModuleType, marks: set[int], count: int) -> None:
        self._tensor = torch.Tensor
        self._folder = os.path.dirname(os.path.abspath(str(torch.__file__))) + os.sep
        self._wanted = marks
        self._count = count

    def in_frames(self) -> Iterator[Holder]:
        """Variables of the frames below us, and what `self` has."""
        frame: FrameType | None = sys._getframe(1)
        while frame is not None:
            file = frame.f_code.co_filename
            if not file.startswith((self._folder, OURS, "<frozen")):
                for name, value in variables(frame):
                    yield from self._in(frame, name, value)
                    if name == "self" and hasattr(value, "__dict__"):
                        for inner, one in list(vars(value).items()):
                            yield from self._in(frame, inner, one)
            frame = frame.f_back

    def _in(self, frame: FrameType, name: str, value: Any) -> Iterator[Holder]:
        what = ""
        if isinstance(value, (list, deque, tuple, dict)):
            if len(self._marks_in(value)) >= self._count:
                what = f"{type(value).__name__} of tensors ({name})"
        elif isinstance(value, self._tensor) and len(self._marks_below(value)) >= self._count:
            what = f"tensor ({name})"
        if what:
            yield Holder(frame.f_code.co_filename, line_of(frame, name), what)

    def in_heap(self) -> Holder | None:
        """A list or the like, anywhere, and a name for it."""
        kept = [
            one
            for one in gc.get_objects()
            if type(one) is self._tensor and self._marks_below(one, 20) & self._wanted
        ]
        first = [
            one
            for one in gc.get_referrers(*kept)
            if type(one) in (list, deque, dict, tuple, set) and one is not kept
        ]
        second = [
            one for one in gc.get_referrers(*first) if type(one) in (list, deque, dict) and one is not first
        ]
        for container in (*first, *second):
            if len(self._marks_in(container)) >= self._count:
                file, name = _name_of(container, (first, second))
                line = line_adding(file, name.rpartition(".")[2]) if file else None
                return Holder(
                    file, line, f"{type(container).__name__} of tensors ({name or 'without a name'})"
                )
        return None

    def _marks_in(self, container: Any) -> set[int]:
        entries = list(container.values() if isinstance(container, dict) else container)[-LAST:]
        found: set[int] = set()
        for one in entries:
            if isinstance(one, (self._tensor, tuple, list, dict)):
                for tensor in tensors_in(self._tensor, one):
                    found |= self._marks_below(tensor)
        return found

    def _marks_below(self, tensor: Any, most: int = NODES) -> set[int]:
        """Those of the wanted marks that stand in the last nodes of its graph."""
        nodes, found, seen = [tensor.grad_fn], set(), 0
        while nodes and seen < most:
            node = nodes.pop()
            if node is None:
                continue
            seen += 1
            notes = getattr(node, "metadata", None)
            if isinstance(notes, dict) and MARK in notes:
                found.add(id(notes[MARK]))
                continue
            nodes += [parent for parent, _ in node.next_functions[:4]]
        return found & self._wanted


def _name_of(container: Any, ours: tuple[Any, ...]) -> tuple[str | None, str]:
    """File and name of what refers to this: a global variable, an attribute, a variable of an enclosing function."""
    for holder in gc.get_referrers(container):
        if isinstance(holder, dict) and "__name__" in holder and holder is not container:
            name = _key_of(holder, container)
            return holder.get("__file__"), name
        if isinstance(holder, CellType):
            for function in (one for cells in gc.get_referrers(holder) for one in gc.get_referrers(cells)):
                if isinstance(function, FunctionType) and holder in (function.__closure__ or ()):
                    code = function.__code__
                    return code.co_filename, code.co_freevars[(function.__closure__ or ()).index(holder)]
        for owner in (
            [holder]
            if hasattr(holder, "__dict__")
            else gc.get_referrers(holder)
            if isinstance(holder, dict)
            else ()
        ):
            own = getattr(owner, "__dict__", None)
            if isinstance(own, dict) and (name := _key_of(own, container)):
                module = sys.modules.get(type(owner).__module__)
                return getattr(module, "__file__", None), f"{type(owner).__name__}.{name}"
    return None, ""


def _key_of(names: dict[Any, Any], value: Any) -> str:
    return next((str(name) for name, one in list(names.items()) if one is value), "")


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
    lines = sorted({line for _, _, line in _lines(code) if line})
    return next(
        (line for line in lines if _adds(name).search(linecache.getline(code.co_filename, line))),
        frame.f_lineno,
    )


def line_adding(file: str, name: str) -> int | None:
    """The first line of a file that adds to this name."""
    lines = enumerate(linecache.getlines(file), 1)
    return next((number for number, text in lines if _adds(name).search(text)), None) if name else None


def _adds(name: str) -> re.Pattern[str]:
    return re.compile(
        rf"\b{re.escape(name)}\b\s*(\+=|\.(append|extend|add|appendleft)\(|=.*\b{re.escape(name)}\b|\[)"
    )


def _lines(code: Any) -> list[tuple[int, int, int]]:
    """The lines of a code object (Python 3.9 has them as pairs only)."""
    if hasattr(code, "co_lines"):
        return list(code.co_lines())
    import dis

    return [(start, start, line) for start, line in dis.findlinestarts(code)]
