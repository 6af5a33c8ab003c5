"""Keeps our functions out of what the script prints: tracebacks, and the lines that warnings name."""

from __future__ import annotations

import os
from types import FunctionType, TracebackType
from typing import Any, Callable, TypeVar, cast

Function = TypeVar("Function", bound=Callable[..., Any])

HIDDEN = "<frozen traindx, hidden as importlib._bootstrap is>"
"""The file name of a hidden function. Python counts no frame for the `stacklevel` of a warning whose file name has
`importlib` and `_bootstrap` in it."""

_FOLDER = os.path.dirname(os.path.abspath(__file__)) + os.sep
_DETOUR = ("handle_torch_function", os.path.join("torch", "overrides.py"))
_CHAIN = 10


def hidden(function: Function) -> Function:
    """The function, which stands between the script and a function of torch's, under a file name that hides it."""
    plain = cast(FunctionType, function)
    plain.__code__ = plain.__code__.replace(co_filename=HIDDEN)
    return function


def leave_out_ours(error: BaseException) -> None:
    """Call it in the `except` block that catches what a wrapped function raised, and go on with a bare `raise`.

    Then the traceback leads from the caller into the wrapped function. Before Python 3.11 the frame that calls
    this one stays in it: there a bare `raise` brings back the traceback that was caught.
    """
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename.startswith((HIDDEN, _FOLDER)):
        trace = trace.tb_next
    error.__traceback__ = trace


def straighten(error: BaseException | None) -> None:
    """Take the detour out of a traceback that a function of torch's makes under a function mode of ours.

    `softmax` -> `handle_torch_function` -> ours -> `softmax`: ours has left itself out, and with a mode of the script's
    own there would be another frame in its place.
    """
    for _ in range(_CHAIN):
        if error is None:
            return
        before = error.__traceback__
        while before is not None:
            before.tb_next = _straight(before.tb_next)
            before = before.tb_next
        error = error.__cause__ or error.__context__


def _straight(trace: TracebackType | None) -> TracebackType | None:
    detour = trace.tb_next if trace is not None else None
    inner = detour.tb_next if detour is not None else None
    if trace is None or detour is None or inner is None:
        return trace
    code = detour.tb_frame.f_code
    is_detour = code.co_name == _DETOUR[0] and code.co_filename.endswith(_DETOUR[1])
    return inner if is_detour and inner.tb_frame.f_code is trace.tb_frame.f_code else trace
