"""How the run ended, and each of its processes: by its own last record, or by what the launcher says of it."""

from __future__ import annotations

import re
import signal
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from traindx.engine.probe import Event

from .processes import RUN, Process, number, whole
from .told import LiveFacts

_BY_TORCHRUN = re.compile(r"exitcode\s*: (?P<status>-?\d+) \(pid: (?P<pid>\d+)\)")
_BY_SPAWN = re.compile(
    r"process (?P<index>\d+) terminated with (?:signal (?P<signal>\w+)|exit code (?P<status>\d+))"
)
ENDED_FROM_OUTSIDE = (signal.SIGINT, signal.SIGTERM)
"""Signals with which a person, a scheduler or `timeout` ends a run, and a launcher the processes that are left."""


class Ending(NamedTuple):
    """When a process was gone, in Unix time where it is known, and what it gave as its status."""

    time: float | None
    status: int

    @property
    def well(self) -> bool:
        """It came to its end in good order."""
        return self.status == 0

    def said(self) -> str:
        """As a sentence goes on after "rank 1"."""
        if self.well:
            return "had come to its end in good order"
        if self.status > 0:
            return f"left with exit code {self.status} and raised nothing"
        return f"was ended by {_name(-self.status)}"


def endings(ranks: Sequence[Process], everyone: Sequence[Process], *, over: bool) -> Mapping[int, Ending]:
    """Rank -> how it ended, of those that raised nothing and were ended neither by a person nor by the launcher.

    Where the run is `over`, one rank alone has left no word, no other has ended, and no launcher was there to end what
    was left, then that rank was killed.
    """
    told = _told_by_launchers(ranks, everyone)
    found, silent = {}, []
    for one in ranks:
        if one.rank is None or one.last("exception") is not None or one.last("fault") is not None:
            continue
        end = one.last("end")
        if end is not None and end.get("how") == "exit":
            found[one.rank] = Ending(one.time(end), whole(end.get("status")) or 0)
        elif end is None and one.pid in told:
            status = told[one.pid]
            if -status not in ENDED_FROM_OUTSIDE:
                found[one.rank] = Ending(None, status)
        elif end is None:
            silent.append(one)
    if over and not told and not found and len(silent) == 1 and silent[0].rank is not None:
        last = max((number(record.get("t")) or 0.0 for record in silent[0].records), default=0.0)
        found[silent[0].rank] = Ending(silent[0].started + last, -signal.SIGKILL)
    return found


def _told_by_launchers(ranks: Sequence[Process], everyone: Sequence[Process]) -> Mapping[int | None, int]:
    """Process id -> exit status, negative for a signal, as torchrun or `torch.multiprocessing.spawn` names it."""
    told: dict[int | None, int] = {}
    for launcher in everyone:
        for record in launcher.of("exception"):
            text = str(record.get("message"))
            told.update((int(one["pid"]), int(one["status"])) for one in _BY_TORCHRUN.finditer(text))
            spawned = sorted(
                (one for one in ranks if one.parent == launcher.pid), key=lambda one: one.rank or 0
            )
            for one in _BY_SPAWN.finditer(text):
                if int(one["index"]) < len(spawned):
                    pid = spawned[int(one["index"])].pid
                    told[pid] = int(one["status"]) if one["status"] else -_number(one["signal"])
    return told


def _number(name: str) -> int:
    return next((int(one) for one in signal.Signals if one.name == name), int(signal.SIGKILL))


def _name(number: int) -> str:
    return next((one.name for one in signal.Signals if one == number), f"signal {number}")


def signal_of(status: int) -> int:
    """The signal that ended a command, 0 where none did."""
    return -status if status < 0 else status - 128 if 128 < status < 128 + 65 else 0


def ended_by_itself(status: int | None) -> bool:
    """Whether the command came to an end, and no signal ended it."""
    return status is not None and not signal_of(status)


def tell_end(facts: LiveFacts, processes: Sequence[Process], status: int | None) -> list[Event]:
    """Say how the run ended. `status` is the exit code of the command, negative for a signal."""
    ended = next((record for one in processes if one.role == "parent" for record in one.of("end")), None)
    code = whole(ended.get("status")) if ended is not None and status is None else status
    if code is None:
        return []
    place = processes[0].place(ended or {}) if processes else None
    if place is None:
        return []
    facts.tell("process.exit_code", code, place._replace(input=RUN))
    number = signal_of(code)
    if not number:
        return []
    try:
        name = signal.Signals(number).name
    except ValueError:
        name = f"signal {number}"
    facts.tell("process.signal", name, place)
    return [Event(f"The process was ended by {name}", place)]
