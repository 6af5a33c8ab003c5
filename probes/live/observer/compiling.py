"""Keeps out of the way of torch.compile: dynamo neither traces what is ours nor compiles our frames."""

from __future__ import annotations

import sys
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any, Callable

if TYPE_CHECKING:
    import torch

    from .watcher import Watcher


def is_compiling_in(torch: ModuleType) -> Callable[[], bool]:
    """The function that says whether dynamo is tracing (older torch has it elsewhere). Dynamo reads it as True."""
    found: Callable[[], bool] | None = getattr(torch.compiler, "is_compiling", None)
    if found is None:
        from torch._dynamo import is_compiling

        return is_compiling
    return found


def run_as_it_is(torch: ModuleType, function: Callable[..., Any]) -> None:
    """Where this function is called below a compiled one, its frame runs uncompiled (what it calls may be compiled)."""
    if not isinstance(function, FunctionType):
        return
    dynamo = _eval_frame(torch)
    if hasattr(dynamo, "set_code_exec_strategy"):
        action = dynamo._FrameAction
        strategy = dynamo._FrameExecStrategy(action.SKIP, action.DEFAULT)
        dynamo.set_code_exec_strategy(function.__code__, strategy)
    elif hasattr(dynamo, "skip_code"):  # torch before 2.7
        dynamo.skip_code(function.__code__)


def compiler_switch(torch: ModuleType) -> Callable[[Any], Any]:
    """`switch(None)` turns dynamo off for the frames of this thread and returns what was on, to hand back later."""
    switch: Callable[[Any], Any] | None = getattr(_eval_frame(torch), "set_eval_frame", None)
    return switch if switch is not None else lambda callback: callback


def anything_compiled(watcher: Watcher) -> bool:
    """Whether torch.compile is at work in this process: then a function mode would have graphs compiled anew."""
    dynamo = sys.modules.get("torch._dynamo.utils")
    if dynamo is not None and dynamo.counters.get("frames"):
        return True
    return any(is_compiled(one) for model in watcher.models.values() for one in model.each_module())


def is_compiled(module: torch.nn.Module) -> bool:
    """Whether this module was handed to torch.compile, or compiled in place."""
    return (
        type(module).__name__ == "OptimizedModule" or getattr(module, "_compiled_call_impl", None) is not None
    )


def _eval_frame(torch: ModuleType) -> Any:
    """The C part of dynamo, which is there without importing dynamo (that takes seconds)."""
    return getattr(getattr(torch._C, "_dynamo", None), "eval_frame", None)
