"""Work that falls into two halves: the second in a child process, where one can be forked safely."""

from __future__ import annotations

import multiprocessing
import os
import sys
import threading
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

Result = TypeVar("Result")
Work = Callable[[int], Iterable[Result]]
"""Gives the results of one half: 0 or 1."""


def both_halves(work: Work[Result]) -> list[Result]:
    """The results of both halves, the first before the second. The child inherits all that is loaded.

    A thread does not survive a fork, and the locks it held stay locked: with threads both halves run here.
    Raises RuntimeError where the child ends before it has told its results.
    """
    if sys.platform != "linux" or threading.active_count() > 1 or (os.cpu_count() or 1) < 2:
        return [*work(0), *work(1)]
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe(duplex=False)
    child = context.Process(target=_tell, args=(there, work))
    child.start()
    there.close()
    first = list(work(0))
    try:
        return [*first, *here.recv()]
    except EOFError:
        raise RuntimeError("the second half of the work ended before its time") from None
    finally:
        child.join()


def _tell(there: Any, work: Work[Any]) -> None:
    there.send(list(work(1)))
