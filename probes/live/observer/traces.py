"""Keeps our functions out of what the script prints: tracebacks, and the lines that warnings name."""

from __future__ import annotations

import functools
import os
from types import CodeType, FrameType, FunctionType, TracebackType
from typing import Any, Callable, TypeVar, cast

Function = TypeVar("Function", bound=Callable[..., Any])

HIDDEN = "<frozen traindx, hidden as importlib._bootstrap is>"
"""The file name of a hidden function. Python counts no frame for the `stacklevel` of a warning whose file name has
`importlib` and `_bootstrap` in it."""

_FOLDER = os.path.dirname(os.path.abspath(__file__)) + os.sep
_DETOUR = ("handle_torch_function", os.path.join("torch", "overrides.py"))
_CHAIN = 10
_STACK_LEVELS = 6
"""How far up a warning of torch's names its caller: `nn.Softmax` without `dim` five frames."""


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


@hidden
def call_in_place(frame: FrameType, function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """Call what a function mode stands before, from a frame that looks like the script's.

    A warning of C code names the frame that called it, one of a Python function of torch a caller of it: file, line,
    and the globals in which Python notes what it has warned of. `frame` is the one that called the mode.
    """
    callers = _callers(frame)
    call = function
    for caller in callers:
        call = functools.partial(_like(caller), call)
    try:
        return call(*args, **kwargs)
    except BaseException as error:
        leave_out_ours(error)
        for _ in callers:
            error.__traceback__ = error.__traceback__ and error.__traceback__.tb_next
        raise


def _callers(frame: FrameType) -> list[FrameType]:
    """Who called the function, innermost first: one of C code, or several of a Python function, behind the detour."""
    outer = frame.f_back
    if frame.f_code.co_name != _DETOUR[0] or outer is None:
        return [frame]
    found: list[FrameType] = []
    caller = outer.f_back
    while caller is not None and len(found) < _STACK_LEVELS:
        if caller.f_code.co_filename != HIDDEN:
            found.append(caller)
        caller = caller.f_back
    return found


def _like(frame: FrameType) -> FunctionType:
    """`call(function, *args, **kwargs)` in a frame that looks like this one."""
    code = frame.f_code
    return FunctionType(_code_like(code.co_filename, code.co_name, frame.f_lineno or 1), frame.f_globals)


@functools.lru_cache(maxsize=4096)
def _code_like(file: str, name: str, line: int) -> CodeType:
    """The code of `_call` as if it stood in this line."""
    return _call.__code__.replace(co_filename=file, co_name=name, co_firstlineno=line - 1)


def _call(function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
    return function(*args, **kwargs)


@functools.cache
def straighten_all() -> None:
    """From now on straighten what Python's traceback module is about to print or to format."""
    import traceback

    kind: Any = traceback.TracebackException
    original = kind.__init__

    @functools.wraps(original)
    def __init__(self: Any, error_type: Any, error: Any, *args: Any, **kwargs: Any) -> None:
        straighten(error)
        original(self, error_type, error, *args, **kwargs)

    kind.__init__ = __init__


def straighten(error: BaseException | None) -> None:
    """Take the detour out of a traceback that functions of torch make under a function mode of ours.

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
