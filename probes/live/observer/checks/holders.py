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
from itertools import islice
from types import CellType, FrameType, FunctionType, ModuleType
from typing import Any, NamedTuple

from ..look.places import OURS
from .kept import LAST, Descent, Found, Marks

LEVELS = 3
"""How many containers deep what holds them is searched among all that is alive."""

KINDS = (list, deque, dict, tuple, set)


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


def tensors_of_script(torch: ModuleType) -> Iterator[Any]:
    """The tensors that variables of the script's running functions, and the attributes of its objects in them, hold.

    Of long lists (a data set) only the last entries are looked at.
    """
    folder = folder_of(torch)
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if not frame.f_code.co_filename.startswith((folder, OURS, "<frozen")):
            for name, value in variables(frame):
                yield from _last_tensors(torch.Tensor, value, 2)
                if name == "self" and hasattr(value, "__dict__"):
                    yield from _last_tensors(torch.Tensor, dict(vars(value)), 2)
        frame = frame.f_back


def _last_tensors(kind: Any, value: Any, depth: int) -> Iterator[Any]:
    if isinstance(value, kind):
        yield value
    elif depth and isinstance(value, (list, tuple, dict)):
        entries = dict.values(value) if isinstance(value, dict) else value
        for one in islice(reversed(entries), LAST):
            yield from _last_tensors(kind, one, depth - 1)


def folder_of(torch: ModuleType) -> str:
    """Where torch is installed: its own frames are none of the script."""
    return os.path.dirname(os.path.abspath(str(torch.__file__))) + os.sep


class _Search:
    def __init__(self, torch: ModuleType, marks: set[int], count: int) -> None:
        self._tensor = torch.Tensor
        self._marks = Marks(torch, marks)
        self._folder = folder_of(torch)
        self._count = count

    def in_frames(self) -> Iterator[Holder]:
        """What the variables of the frames below us lead to."""
        frame: FrameType | None = sys._getframe(1)
        descent = Descent(self._marks, self._count)
        while frame is not None:
            file = frame.f_code.co_filename
            if not file.startswith((self._folder, OURS, "<frozen")):
                for name, value in variables(frame):
                    found = descent.below(value, name)
                    if found is not None:
                        yield named(frame, found)
            frame = frame.f_back

    def in_heap(self) -> Holder | None:
        """A list or the like, anywhere, and a name for it."""
        held: list[Any] = [
            one for one in gc.get_objects() if type(one) is self._tensor and self._marks.below(one, 20)
        ]
        levels: list[list[Any]] = []
        for _ in range(LEVELS):
            ours = {id(held), id(levels), *map(id, levels)}
            kinds = KINDS if not levels else KINDS[:-2]
            held = [one for one in gc.get_referrers(*held) if type(one) in kinds and id(one) not in ours]
            levels.append(held)
            for container in held:
                if len(self._marks.within(container)) >= self._count:
                    file, name = _name_of(container, tuple(levels))
                    line = line_adding(file, name.rpartition(".")[2]) if file else None
                    what = f"{type(container).__name__} of tensors ({name or 'without a name'})"
                    return Holder(file, line, what)
        return None


def named(frame: FrameType, found: Found) -> Holder:
    """The line that adds to it: in the function that runs, or where the class of its owner is written."""
    what = f"{found.kind} ({f'{found.owner.__name__}.' if found.owner else ''}{found.name})"
    line = line_of(frame, found.name)
    file = frame.f_code.co_filename
    if line is None and found.owner is not None:
        module = sys.modules.get(found.owner.__module__)
        elsewhere = getattr(module, "__file__", None)
        line = line_adding(elsewhere, found.name) if elsewhere else None
        file = elsewhere if elsewhere and line else file
    return Holder(file, line or frame.f_lineno, what)


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


def line_of(frame: FrameType, name: str) -> int | None:
    """The line of the frame's function that adds to this name."""
    code = frame.f_code
    lines = sorted({line for _, _, line in _lines(code) if line})
    found = (line for line in lines if _adds(name).search(linecache.getline(code.co_filename, line)))
    return next(found, None)


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
