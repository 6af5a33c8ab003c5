"""Where every thread stands, as text, and in which collective operation of torch.distributed."""

from __future__ import annotations

import linecache
import sys
import threading
from types import FrameType
from typing import Any

THREADS = 32
FRAMES = 60
_LONGEST_LINE = 120
_COLLECTIVES = "torch/distributed/distributed_c10d.py"
_BACKWARD = ("torch/autograd/graph.py", "_engine_run_backward")
_WRAPPER = ("torch/nn/parallel/distributed.py", "torch/distributed/utils.py")
_OF_WRAPPER = {"broadcast": "broadcast", "sync_module_states": "broadcast", "verify_param": "all_gather"}
"""Part of the name of a function of these files that calls a collective of native code -> that collective."""


def frames_of(innermost: FrameType | None) -> list[FrameType]:
    """The frames of a stack, innermost last, the outer ones left out where there are too many."""
    found: list[FrameType] = []
    while innermost is not None and len(found) < FRAMES:
        found.append(innermost)
        innermost = innermost.f_back
    return found[::-1]


def main_stack() -> list[FrameType]:
    """The stack of the main thread."""
    return frames_of(sys._current_frames().get(threading.main_thread().ident or 0))


def threads(without: int | None = None) -> list[dict[str, Any]]:
    """`name` and `frames` of every thread, the main thread first; `without` is the thread that asks."""
    names = {one.ident: one.name for one in threading.enumerate()}
    main = threading.main_thread().ident
    stacks = sorted(sys._current_frames().items(), key=lambda pair: pair[0] != main)
    return [
        {"name": names.get(ident, f"thread {ident}"), "frames": [_line(one) for one in frames_of(frame)]}
        for ident, frame in stacks
        if ident != without
    ][:THREADS]


def collective(stack: list[FrameType]) -> str | None:
    """The collective operation in which a stack stands: `all_reduce`, `barrier`, `init_process_group` ...

    Behind a backward pass of a distributed model stand the collectives that average its gradients;
    it is told as `backward`. Its wrapper broadcasts buffers before each forward pass, and weights when it is made.
    """
    if of_wrapper := _collective_of_wrapper(stack):
        return of_wrapper
    for frame in reversed(stack):
        name, file = frame.f_code.co_name, frame.f_code.co_filename.replace("\\", "/")
        if file.endswith(_COLLECTIVES) and not name.startswith("_"):
            return name
        if file.endswith(_BACKWARD[0]) and name == _BACKWARD[1]:
            return "backward" if _is_distributed() else None
    return None


def _collective_of_wrapper(stack: list[FrameType]) -> str | None:
    """Native code has no frame: what counts is the innermost one, since a forward pass stands within the wrapper, too."""
    code = stack[-1].f_code if stack else None
    if code is None or not code.co_filename.replace("\\", "/").endswith(_WRAPPER):
        return None
    return next((name for part, name in _OF_WRAPPER.items() if part in code.co_name), None)


def _is_distributed() -> bool:
    distributed = getattr(sys.modules.get("torch"), "distributed", None)
    return bool(distributed and distributed.is_available() and distributed.is_initialized())


def _line(frame: FrameType) -> str:
    """`train.py:88 in step: loss.backward()`."""
    file = frame.f_code.co_filename
    code = linecache.getline(file, frame.f_lineno).strip()[:_LONGEST_LINE]
    where = f"{file}:{frame.f_lineno} in {frame.f_code.co_name}"
    return f"{where}: {code}" if code else where
