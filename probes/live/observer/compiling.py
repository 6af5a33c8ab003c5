"""Keeps out of the way of torch.compile: dynamo neither traces what is ours nor compiles our frames."""

from __future__ import annotations

from types import FunctionType, ModuleType
from typing import Any, Callable


def is_compiling_in(torch: ModuleType) -> Callable[[], bool]:
    """The function that says whether dynamo is tracing (older torch has it elsewhere). Dynamo reads it as True."""
    found: Callable[[], bool] | None = getattr(torch.compiler, "is_compiling", None)
    if found is None:
        from torch._dynamo import is_compiling

        return is_compiling
    return found


def run_as_it_is(torch: ModuleType, function: Callable[..., Any]) -> None:
    """Where this function is called below a compiled one, its frame runs uncompiled (what it calls may be compiled)."""
    skip_code = getattr(_eval_frame(torch), "skip_code", None)
    if skip_code is not None and isinstance(function, FunctionType):
        skip_code(function.__code__)


def compiler_switch(torch: ModuleType) -> Callable[[Any], Any]:
    """`switch(None)` turns dynamo off for the frames of this thread and returns what was on, to hand back later."""
    switch: Callable[[Any], Any] | None = getattr(_eval_frame(torch), "set_eval_frame", None)
    return switch if switch is not None else lambda callback: callback


def _eval_frame(torch: ModuleType) -> Any:
    """The C part of dynamo, which is there without importing dynamo (that takes seconds)."""
    return getattr(getattr(torch._C, "_dynamo", None), "eval_frame", None)
