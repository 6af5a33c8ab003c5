"""What the failing call of an exception was given: shapes, types and devices, never a value.

The call is the line of the innermost frame that is the user's own, and the innermost line of all
(`F.linear(input, self.weight, self.bias)`). Names on these lines are looked up where they are
stored; no property of the user's is evaluated and nothing is shown as text.
"""

from __future__ import annotations

import linecache
import re
import sys
import sysconfig
from collections.abc import Iterator
from types import FrameType, TracebackType
from typing import Any, NamedTuple

MOST = 16
"""Operands that are listed."""
_INSIDE = 8
"""Tensors that are listed of one container or module."""
_LONGEST_CALL = 12
"""Lines of one call that are looked at, where Python does not say how many it has."""
_NAME = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")
_MISSING = object()

_LIBRARIES = tuple(
    {sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")} - {None}
)


class At(NamedTuple):
    """One frame of a traceback and the lines that ran in it."""

    frame: FrameType
    first: int
    last: int


def is_users(filename: str) -> bool:
    """Whether code of this file is the user's own: no library, nothing of Python's or ours."""
    return not (
        filename.startswith(("<frozen", *_LIBRARIES, _OURS))
        or f"{_SEP}site-packages{_SEP}" in filename
        or f"{_SEP}dist-packages{_SEP}" in filename
    )


_SEP = "\\" if sys.platform == "win32" else "/"
_OURS = __file__.rsplit(_SEP, 1)[0]


def failing(traceback: TracebackType | None) -> tuple[At | None, At | None]:
    """The innermost frame of the user's, and the innermost of all where that is another."""
    users = inner = None
    while traceback is not None:
        inner = traceback
        if is_users(traceback.tb_frame.f_code.co_filename):
            users = traceback
        traceback = traceback.tb_next
    at_user = _at(users) if users is not None else None
    return at_user, _at(inner) if inner is not None and inner is not users else None


def operands(traceback: TracebackType | None) -> list[dict[str, Any]]:
    """`name`, `shape`, `dtype` and `device` of each tensor or array that the failing call names."""
    found: list[dict[str, Any]] = []
    seen = set()
    for at in failing(traceback):
        for name, value in _named(at) if at is not None else ():
            if len(found) < MOST and id(value) not in seen:
                seen.add(id(value))
                found.append(described(name, value))
    return found


def described(name: str, tensor: Any) -> dict[str, Any]:
    """What is said of one tensor or array."""
    return {
        "name": name,
        "shape": [int(size) for size in tensor.shape],
        "dtype": str(tensor.dtype).replace("torch.", ""),
        "device": str(getattr(tensor, "device", "cpu")),
    }


def _at(traceback: TracebackType) -> At:
    first = last = traceback.tb_lineno
    positions = getattr(traceback.tb_frame.f_code, "co_positions", None)  # Python 3.11 and later
    if positions is not None and traceback.tb_lasti >= 0:
        for index, (start, end, _, _) in enumerate(positions()):
            if index == traceback.tb_lasti // 2:
                first, last = start or first, end or last
                break
    return At(traceback.tb_frame, first, min(last, first + _LONGEST_CALL))


def _named(at: At) -> Iterator[tuple[str, Any]]:
    """The tensors behind the names on these lines."""
    lines = [linecache.getline(at.frame.f_code.co_filename, line) for line in range(at.first, at.last + 1)]
    for name in dict.fromkeys(_NAME.findall("".join(lines))):
        yield from _tensors(name, _looked_up(at.frame, name))


def _looked_up(frame: FrameType, dotted: str) -> Any:
    """What the name stands for, as far as that can be told without running anything."""
    first, *rest = dotted.split(".")
    value = frame.f_locals.get(first, frame.f_globals.get(first, _MISSING))
    for name in rest:
        value = _stored(value, name)
    return value


def _stored(owner: Any, name: str) -> Any:
    held = getattr(owner, "__dict__", {})
    for store in (held, *(held.get(kind) or {} for kind in ("_parameters", "_buffers", "_modules"))):
        if name in store:
            return store[name]
    return _MISSING


def _tensors(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    torch = sys.modules.get("torch")
    if torch is None or not hasattr(torch, "nn"):
        return
    if isinstance(value, torch.Tensor) or type(value).__name__ == "ndarray":
        yield name, value
    elif isinstance(value, torch.nn.Module):
        held = [(key, one) for key, one in value._parameters.items() if one is not None]
        yield from ((f"{name}.{key}", one) for key, one in held[:_INSIDE])
    elif isinstance(value, dict):
        inside = [(f"{name}[{key!r}]", one) for key, one in value.items() if isinstance(key, str)]
        yield from (pair for pair in inside[:_INSIDE] if isinstance(pair[1], torch.Tensor))
    elif type(value) in (list, tuple):
        for place, one in enumerate(value[:_INSIDE]):
            if isinstance(one, torch.Tensor):
                yield f"{name}[{place}]", one
