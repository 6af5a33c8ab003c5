"""Signals that reach us while a command of ours runs, and which of them the command has not had.

A signal to our process group (Ctrl-C on a terminal, `timeout`, a job scheduler) reaches the command
without us; one sent to our process alone must be passed on; and passed on twice, an interrupt aborts
what the first one had begun to save. No system call tells the two apart. So a witness stands in the
group, a copy of this process that does nothing but say what reached it.
"""

from __future__ import annotations

import os
import select
import signal
import time
from collections.abc import Iterator
from types import FrameType
from typing import Self

PASSED_ON = tuple(
    getattr(signal, name)
    for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2")
    if hasattr(signal, name)
)
_MOMENT = 0.01
"""Seconds within which a signal to the group reaches all of it, whether or not they get to run."""
_PATIENCE = 2.0
"""Seconds that the witness may take to answer, on a machine that is busy with the run."""
_ASKED, _ANSWERED = b"?", b"\0"


class Signals:
    """Collects signals instead of being ended by them, for as long as it is entered.

    It is entered in the main thread and before the command is started, while nothing else forks.
    """

    def __enter__(self) -> Self:
        self._wake, self._woken = os.pipe()
        for end in (self._wake, self._woken):
            os.set_blocking(end, False)
        # What is ignored stays so, for the command too: `nohup`, a job in the background.
        heeded = [one for one in PASSED_ON if signal.getsignal(one) is not signal.SIG_IGN]
        self._before = {one: signal.signal(one, _noted) for one in (*heeded, signal.SIGCHLD)}
        self._before_wakeup = signal.set_wakeup_fd(self._woken, warn_on_full_buffer=False)
        self._witnessed, self._alive, self._witness = self._start_witness()
        self._heard = set[int]()
        """What the witness said and we were not told yet."""
        self.interrupted = False
        """Whether a person has stopped the run (Ctrl-C)."""
        return self

    def __exit__(self, *_: object) -> None:
        signal.set_wakeup_fd(self._before_wakeup)
        self.interrupted |= signal.SIGINT in _read(self._wake)  # the command may have ended of it at once
        for one, handler in self._before.items():
            signal.signal(one, handler)
        os.close(self._alive)
        os.waitpid(self._witness, 0)
        for end in (self._witnessed, self._wake, self._woken):
            os.close(end)

    def wait(self, seconds: float) -> Iterator[int]:
        """Wait that long or until something happens; the signals to be passed on."""
        select.select([self._wake], [], [], seconds)
        for number in _read(self._wake):
            self.interrupted |= number == signal.SIGINT
            if number in PASSED_ON and not self._reached_the_group(number):
                yield number

    def _reached_the_group(self, number: int) -> bool:
        time.sleep(_MOMENT)
        try:
            os.write(self._alive, _ASKED)
        except OSError:  # it was killed
            return False
        said = b""
        while _ANSWERED not in said and select.select([self._witnessed], [], [], _PATIENCE)[0]:
            if not (more := _read(self._witnessed)):
                break
            said += more
        self._heard.update(said)
        reached = number in self._heard
        self._heard.discard(number)
        return reached

    def _start_witness(self) -> tuple[int, int, int]:
        witnessed, says = os.pipe()
        asks, alive = os.pipe()
        os.set_blocking(witnessed, False)
        held = signal.pthread_sigmask(signal.SIG_BLOCK, PASSED_ON)
        try:
            witness = os.fork()
            if witness == 0:
                _stand_by(asks, says)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, held)
        os.close(asks)
        os.close(says)
        return witnessed, alive, witness


def _noted(number: int, frame: FrameType | None) -> None:
    """The wake-up descriptor has it."""


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 4096)
    except BlockingIOError:
        return b""


def _stand_by(asks: int, says: int) -> None:
    """The witness: say each signal, and answer when it is asked, until the other end of `asks` is closed with its process.

    What it was sent before it is asked it has said before it answers: Python tells of signals as soon as a call returns.
    """
    try:
        signal.set_wakeup_fd(-1)
        keep = {asks, says}
        for descriptor in range(256):
            if descriptor not in keep:
                _close(descriptor)
        for one in PASSED_ON:
            signal.signal(one, lambda number, _: os.write(says, bytes([number])))
        signal.pthread_sigmask(signal.SIG_UNBLOCK, PASSED_ON)
        while os.read(asks, 1):
            os.write(says, _ANSWERED)
    finally:
        os._exit(0)


def _close(descriptor: int) -> None:
    try:
        os.close(descriptor)
    except OSError:
        return
