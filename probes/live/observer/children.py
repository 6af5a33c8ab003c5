"""The children of multiprocessing: what they raise, and which of them only load data."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from types import FrameType, ModuleType
from typing import Any

_WORKERS = "torch.utils.data._utils.worker"
"""The module whose function runs in the worker of a DataLoader."""


def hear_children(
    process: ModuleType, *, begun: Callable[[Any], object], raised: Callable[[BaseException | None], object]
) -> None:
    """`process` is the module multiprocessing.process. In a child, `begun` is given its Process object.

    A child prints what its function raised and ends, unheard by any hook. We hear the printing; and all
    children begin in one method. Neither shows in the traceback that is printed.
    """
    import traceback

    kind = process.BaseProcess
    bootstrap, print_exc = kind._bootstrap, traceback.print_exc

    @functools.wraps(bootstrap)
    def begins(child: Any, *args: Any, **kwargs: Any) -> Any:
        begun(child)
        return bootstrap(child, *args, **kwargs)

    @functools.wraps(print_exc)
    def prints(*args: Any, **kwargs: Any) -> None:
        if sys._getframe(1).f_code is bootstrap.__code__:
            raised(sys.exc_info()[1])
        print_exc(*args, **kwargs)

    kind._bootstrap, traceback.print_exc = begins, prints


def loads_data(child: Any) -> bool:
    """Whether a Process is the worker of a DataLoader."""
    return getattr(getattr(child, "_target", None), "__module__", "") == _WORKERS


def forked_to_load_data() -> bool:
    """Whether this process was forked for that just now: the frame that forked it holds the Process."""
    frame: FrameType | None = sys._getframe()
    while frame is not None:
        if frame.f_code.co_name == "_launch" and "process_obj" in frame.f_locals:
            return loads_data(frame.f_locals["process_obj"])
        frame = frame.f_back
    return False
