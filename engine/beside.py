"""Work that is done beside ours, in a child process, where one can be forked safely."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

Result = TypeVar("Result")


def beside(work: Callable[[], Result]) -> Callable[[], Result]:
    """Begin work in a child, which inherits all that is loaded. What is given back waits for its result.

    A thread does not survive a fork, and the locks it held stay locked: with threads the work is done here, when its
    result is asked for. So it is where the child cannot tell its result: what goes wrong is raised here.
    """
    if sys.platform != "linux" or threading.active_count() > 1 or (os.cpu_count() or 1) < 2:
        return work
    import multiprocessing

    if multiprocessing.current_process().daemon:  # such a child itself
        return work
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe(duplex=False)
    # Where nobody asks for the result, the end of this process is the end of the child.
    child = context.Process(target=_tell, args=(there, work), daemon=True)
    try:
        child.start()
    except OSError:  # no room for another process
        return work
    finally:
        there.close()

    def result() -> Result:
        try:
            told: Result = here.recv()
        except EOFError:
            return work()
        finally:
            child.join()
        return told

    return result


def both_halves(work: Callable[[int], Iterable[Result]]) -> list[Result]:
    """The results of both halves, 0 and 1, the first before the second."""
    second = beside(lambda: list(work(1)))
    return [*work(0), *second()]


def _tell(there: Any, work: Callable[[], Any]) -> None:
    try:
        there.send(work())
    except BaseException:  # noqa: BLE001 - it is raised where the work is done again
        os._exit(1)
