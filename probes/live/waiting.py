"""Waits for a watched command: passes signals on, reads along, stops it where it should be stopped.

watched = run_watched(["python", "train.py"], folder, {"hang_after": 300})
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from .crowd import Processors, processors, write_processors
from .launch import environment, own_journal, start
from .memory import kills
from .observer.journal import Journal
from .processes import Process, Record
from .records import Tail
from .signals import Signals
from .standstill import where_it_stands

_LOOK = 0.5
"""Seconds between two looks at the records."""
_SHARE = 20
"""A look that takes long is taken rarely: at most this part of the time goes into `seen`."""
_GRACE = 10.0
"""Seconds that a run has to end by itself when it was told to."""

Seen = Callable[[], str | None]
"""Asked while the run goes on: why it is to be stopped, or None."""


class Watched(NamedTuple):
    """How a watched command ended."""

    status: int
    """Its exit code; negative where a signal ended it."""
    seconds: float
    stopped: str = ""
    """Why we stopped it."""
    interrupted: bool = False
    """Whether a person did (Ctrl-C)."""


def run_watched(
    command: Sequence[str],
    folder: Path,
    options: Mapping[str, Any],
    *,
    tell: Callable[[str], object] = lambda text: None,
    seen: Seen | None = None,
) -> Watched:
    """Start a command, watch it, and wait until it has ended. To be called in the main thread.

    `folder` is there and empty. `tell` is given a line where the run stands still. `seen` decides when
    the run is stopped. Raises NotStarted. Nothing else that fails on our side ends the run or is raised.
    """
    killed, before, begun = kills(), processors(), time.monotonic()
    with Signals() as signals:
        child = start(command, environment(folder, options))
        journal = own_journal(folder, command)
        company = _Company(child, folder, journal, tell, seen)
        while child.poll() is None:
            for number in signals.wait(_LOOK):
                child.send_signal(number)
            company.look()
    _write_end(journal, child, killed, before)
    return Watched(child.returncode, time.monotonic() - begun, company.stopped, signals.interrupted)


def run_unwatched(command: Sequence[str]) -> Watched:
    """The same where nothing can be watched. Raises NotStarted."""
    begun = time.monotonic()
    with Signals() as signals:
        child = start(command, None)
        while child.poll() is None:
            for number in signals.wait(_LOOK):
                child.send_signal(number)
    return Watched(child.returncode, time.monotonic() - begun, interrupted=signals.interrupted)


def _write_end(
    journal: Journal, child: subprocess.Popen[bytes], killed: int | None, before: Processors | None
) -> None:
    now = kills()
    write_processors(journal, before)
    if killed is not None and now is not None:
        journal.fact("process.killed_for_memory", now > killed)
        if now > killed:
            journal.fact("process.out_of_memory", True, note="the kernel killed a process to free memory")
    status = child.returncode
    journal.record("end", how="signal" if status < 0 else "exit", status=status)


class _Company:
    """What is done beside a running command."""

    def __init__(
        self,
        child: subprocess.Popen[bytes],
        folder: Path,
        journal: Journal,
        tell: Callable[[str], object],
        seen: Seen | None,
    ) -> None:
        self.stopped = ""
        self._child, self._folder, self._journal = child, folder, journal
        self._tell, self._seen = tell, seen
        self._tail = Tail(folder)
        self._heads: dict[str, Record] = {}
        self._training: set[str] = set()
        self._next = 0.0
        self._deadline = 0.0

    def look(self) -> None:
        """Read what is new, and act on it. A fault of ours is written down, and the run goes on unaccompanied."""
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + _LOOK
        if self._deadline and now > self._deadline:
            self._deadline = 0.0
            self._signal(signal.SIGKILL)
        try:
            news = list(self._tail.new())
            for name, record in news:
                self._take(name, record)
            if news and self._seen is not None and not self.stopped:
                self._judge(self._seen)
        except Exception as error:  # noqa: BLE001 - the run is worth more than our notes on it
            self._journal.trouble("parent", error)
            self._next = float("inf")

    def _judge(self, seen: Seen) -> None:
        start = time.monotonic()
        reason = seen()
        self._next = time.monotonic() + max(_LOOK, _SHARE * (time.monotonic() - start))
        if reason:
            self.stopped = reason
            self._journal.record("event", what=f"stopped: {reason}")
            self._tell(f"stopping the run: {reason}")
            self._deadline, self._next = time.monotonic() + _GRACE, 0.0
            self._signal(signal.SIGTERM)

    def _take(self, name: str, record: Record) -> None:
        kind = record["kind"]
        if kind == "process":
            self._heads[name] = record
        elif kind == "steps":
            self._training.add(name)
        elif (
            kind == "stacks" and not (record.get("moving") or record.get("halt")) and name in self._trainers()
        ):
            self._tell(where_it_stands(Process([self._heads[name]]), record))
        elif kind == "end":
            self._heads.pop(name, None)

    def _trainers(self) -> set[str]:
        """The processes whose loop counts: those that train, else the ranks, else all."""
        ranks = {name for name, head in self._heads.items() if head.get("rank") is not None}
        return (self._training or ranks or set(self._heads)) & set(self._heads)

    def _signal(self, number: int) -> None:
        """To the command, and to the processes of the run that a shell in between would leave alone."""
        if self._child.poll() is None:
            self._child.send_signal(number)
        for name, head in self._heads.items():
            if head.get("role") != "worker" and name.isdecimal() and self._is_of_this_run(int(name)):
                _send(int(name), number)

    def _is_of_this_run(self, pid: int) -> bool:
        """Numbers of processes come again; the environment says whose it is, where the system shows it."""
        if pid in (self._child.pid, os.getpid()):
            return False
        try:
            return os.fsencode(self._folder.resolve()) in Path(f"/proc/{pid}/environ").read_bytes()
        except OSError:
            return False


def _send(pid: int, number: int) -> None:
    try:
        os.kill(pid, number)
    except OSError:
        return  # It has ended in the meantime.
