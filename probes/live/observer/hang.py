"""Notices that the loop stands still, and writes down where every thread stands.

Two watchers: a thread of ours, which writes the stacks itself, and the timer of faulthandler, which
that thread keeps winding up. Where C code holds the interpreter, our thread cannot run; then the
timer runs out and writes the stacks without it, into the file of this process for such last words.
"""

from __future__ import annotations

import faulthandler
import threading
import time
from typing import Any, Callable

from .guard import guarded
from .journal import Journal
from .part import Part
from .stacks import collective, main_stack, threads

AFTER = 300.0
"""Seconds without a sign of the loop, where the parent does not say."""
GOES_ON = "the loop goes on"
"""The event after a standstill that was written down and is over."""
MOVES = "moves"
"""The kind of record that says that a halt which was noted is over."""
HALT_SHARE, HALT_LEAST = 0.2, 20.0
"""A halt is noted after this share of the time of a standstill, and no sooner than after so many seconds: whoever
watches may end the run before it counts as standing still."""
_ROUNDS_A_WAIT = 4
_LONGEST_ROUND = 10.0
_BEAT = 1.0
"""Seconds between two calls of `beat`."""
_BETWEEN = 1.0
"""Seconds between two looks at the main thread, which tell standing still from slow progress."""
_MOST = 5
"""How often one standstill is written down, each after twice the time of the last."""


class Hang(Part):
    """Told of every step, forward and batch; each is a sign that the loop goes on. Calls `beat` each second."""

    name = "hang"

    def __init__(
        self,
        journal: Journal,
        after: float,
        step: Callable[[], int],
        words: int | None,
        beat: Callable[[], object] = lambda: None,
    ) -> None:
        self._journal = journal
        self._beat = guarded(journal, "beat", beat)
        self.after = after
        self._step = step
        self._words = words
        self._last = time.monotonic()
        self._began = False
        self._told = 0
        self._halted = False
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

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
        due = time.monotonic() + pause
        halt = max(HALT_LEAST, HALT_SHARE * self.after)
        while not self._stop.wait(min(pause, _BEAT)):
            self._beat()
            if time.monotonic() < due:
                continue
            due = time.monotonic() + pause
            self._wind(pause)
            quiet = time.monotonic() - self._last
            if self._told and quiet < self.after:
                self._told = 0
                self._journal.record("event", what=GOES_ON, step=self._step())
            elif self._told < _MOST and quiet >= self.after * 2**self._told:
                self._look(quiet)
            elif self._began and not self._told and quiet >= halt and not self._halted:
                self._look(quiet, halt=True)
            if self._halted and quiet < halt:
                self._halted = False
                self._journal.record(MOVES, step=self._step())

    def _wind(self, pause: float) -> None:
        if self._words is not None:
            faulthandler.dump_traceback_later(self.after + 2 * pause + _BETWEEN, file=self._words)

    def _look(self, quiet: float, *, halt: bool = False) -> None:
        """Write the stacks, unless the main thread moves: then it is slow, and has four times as long.

        A `halt` is noted for the case that the run is ended before it counts as standing still.
        """
        before, start, used = _standing(), time.monotonic(), time.process_time()
        if self._stop.wait(_BETWEEN):
            return
        moving = before != _standing()
        if moving and (halt or quiet < self.after * 2 ** (self._told + 2)):
            return
        self._told += not halt
        self._halted = halt or self._halted
        self._journal.record(
            "stacks",
            why="no step" if self._began else "no step yet",
            seconds=round(quiet, 1),
            step=self._step(),
            halt=halt,
            collective=collective(main_stack()),
            moving=moving,
            processor=round((time.process_time() - used) / (time.monotonic() - start), 2),
            threads=threads(without=threading.get_ident()),
        )


def _standing() -> list[tuple[int, int]]:
    return [(id(frame.f_code), frame.f_lasti) for frame in main_stack()]
