"""The line and the module of a call, read from the stack of Python."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

FRAMES = 200
"""How many frames are looked at for one call."""

OURS = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


@dataclass(frozen=True)
class Place:
    """Where an operation was called.

    `file`, `line`, `function`: the innermost frame outside torch. `module`: the qualified name of the innermost
    module in whose forward the call lies, `module_class` its class; both empty outside any module.
    """

    file: str = ""
    line: int = 0
    function: str = ""
    module: str = ""
    module_class: str = ""
    modules: tuple[str, ...] = field(default=(), compare=False)

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" if self.file else ""


class Places:
    """Reads places, given the names of the modules by their id."""

    def __init__(self, torch: Any, names: Mapping[int, str]) -> None:
        self._torch_folder = os.path.dirname(os.path.abspath(torch.__file__)) + os.sep
        self._module_type = torch.nn.Module
        self._forwards = _forwards(torch.nn.Module)
        self._names = names

    def here(self) -> Place:
        """The place of the operation that is running, called from anywhere below it."""
        user: FrameType | None = None
        modules: list[Any] = []
        for frame in _frames():
            name = frame.f_code.co_filename
            if name.startswith(OURS):
                continue
            if user is None and not name.startswith((self._torch_folder, "<frozen")):
                user = frame
            module = self._module_of(frame)
            if module is not None and not any(one is module for one in modules):
                modules.append(module)
        return self._place(user, modules)

    def _module_of(self, frame: FrameType) -> Any:
        """The module whose forward this frame runs.

        The locals of no other frame are read: Python keeps what was read alive as long as the frame.
        """
        code = frame.f_code
        if code not in self._forwards or not code.co_argcount:
            return None
        first = frame.f_locals.get(code.co_varnames[0])
        return first if isinstance(first, self._module_type) else None

    def _place(self, user: FrameType | None, modules: list[Any]) -> Place:
        known = [(self._names.get(id(one)), type(one).__name__) for one in modules]
        # A loss is a module too, and no part of the model: it has a class and no name.
        name, kind = next(iter(known), (None, ""))
        if name == "":
            name = kind
        return Place(
            file=user.f_code.co_filename if user else "",
            line=user.f_lineno if user else 0,
            function=user.f_code.co_name if user else "",
            module=name or "",
            module_class=kind,
            modules=tuple(f"{one or kind} ({kind})" for one, kind in known),
        )


def _forwards(kind: type) -> set[Any]:
    """The code of every forward of this class and those below it (some hundreds in torch alone)."""
    found: set[Any] = set()
    kinds = [kind]
    while kinds:
        one = kinds.pop()
        found.add(getattr(one.__dict__.get("forward"), "__code__", None))
        kinds += one.__subclasses__()
    return found


def _frames() -> Iterator[FrameType]:
    frame: FrameType | None = sys._getframe(2)
    for _ in range(FRAMES):
        if frame is None:
            return
        yield frame
        frame = frame.f_back
