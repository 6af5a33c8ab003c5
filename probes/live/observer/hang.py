"""Notices that the loop stands still, and writes down where every thread stands.

Two watchers: a thread of ours, which writes the stacks itself, and the timer of faulthandler, which
that thread keeps winding up. Where C code holds the interpreter, our thread cannot run; then the
timer runs out and writes the stacks without it, into the file of this process for such last words.
"""

from __future__ import annotations

import faulthandler
import os
import threading
import time
from typing import IO, Any, Callable, List, Optional, Tuple

from .guard import guarded
from .journal import Journal
from .part import Part
from .stacks import collective, main_stack, threads

AFTER = 300.0
"""Seconds without a sign of the loop, where the parent does not say."""
_ROUNDS_A_WAIT = 4
_LONGEST_ROUND = 10.0
_BETWEEN = 1.0
"""Seconds between two looks at the main thread, which tell standing still from slow progress."""
_MOST = 5
"""How often one standstill is written down, each after twice the time of the last."""


class Hang(Part):
    """Told of every step, forward and batch; each is a sign that the loop goes on."""

    name = "hang"

    def __init__(self, journal: Journal, after: float, step: Callable[[], int], file: Optional[IO[str]]) -> None:
        self._journal = journal
        self.after = after
        self._step = step
        self._file = file
        self._last = time.monotonic()
        self._began = False
        self._told = 0
        self._stop = threading.Event()
        self._thread: Optional[threading.Thread] = None

    # -- signs of life

    def batch_loaded(self, batch: Any, seconds: float) -> None:
        """A sign."""
        self._last = time.monotonic()

    def after_forward(self, root: Any, output: Any) -> None:
        """A sign."""
        self._last = time.monotonic()

    def after_step(self, optimizer: Any, step: int) -> None:
        """A sign."""
        self._last = time.monotonic()
        self._began = True

    # -- the thread

    def start(self) -> None:
        """Watch from now on, until `pause`."""
        if self._thread is None and self.after > 0:
            self._stop.clear()
            watch = guarded(self._journal, self.name, self._watch)
            self._thread = threading.Thread(target=watch, name="traindx", daemon=True)
            self._thread.start()

    def pause(self) -> bool:
        """End the thread and the timer; whether they ran. A fork must find neither."""
        thread, self._thread = self._thread, None
        if thread is None:
            return False
        self._stop.set()
        thread.join()
        faulthandler.cancel_dump_traceback_later()
        return True

    def ended(self) -> None:
        """The process ends, and takes as long as it likes for that."""
        self.pause()

    def _watch(self) -> None:
        pause = min(self.after / _ROUNDS_A_WAIT, _LONGEST_ROUND)
        self._wind(pause)
        while not self._stop.wait(pause):
            self._wind(pause)
            quiet = time.monotonic() - self._last
            if self._told and quiet < self.after:
                self._told = 0
                self._journal.record("event", what="the loop goes on", step=self._step())
            elif self._told < _MOST and quiet >= self.after * 2**self._told:
                self._told += 1
                self._write(quiet)

    def _wind(self, pause: float) -> None:
        if self._file is not None:
            faulthandler.dump_traceback_later(self.after + 2 * pause, file=self._file)

    def _write(self, quiet: float) -> None:
        before, start, used = _standing(), time.monotonic(), time.process_time()
        if self._stop.wait(_BETWEEN):
            return
        stack = main_stack()
        self._journal.record(
            "stacks",
            why="no step" if self._began else "no step yet",
            seconds=round(quiet, 1),
            step=self._step(),
            collective=collective(stack),
            moving=before != _standing(),
            processor=round((time.process_time() - used) / (time.monotonic() - start), 2),
            threads=threads(without=threading.get_ident()),
        )


def _standing() -> List[Tuple[int, int]]:
    return [(id(frame.f_code), frame.f_lasti) for frame in main_stack()]


def last_words(folder: str, *, anew: bool = False) -> Optional[IO[str]]:
    """Have Python write every stack into `PID.fault` when the process dies of SIGSEGV, SIGABRT and the like.

    None where the user has asked for that already (`-X faulthandler`) or the file cannot be made. `anew`
    says that it was we who asked, in the process from which this one was forked.
    """
    if faulthandler.is_enabled() and not anew:
        return None
    try:
        file = open(os.path.join(folder, f"{os.getpid()}.fault"), "w", encoding="utf-8")  # noqa: SIM115
    except OSError:
        return None
    faulthandler.enable(file)
    return file
