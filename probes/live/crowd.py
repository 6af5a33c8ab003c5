"""Whether other programs kept the processors busy while a run was watched: then its times say little."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from traindx.engine.facts import Place

from .observer.journal import Journal
from .processes import RUN, Process, number
from .told import LiveFacts

_STAT = Path("/proc/stat")
_WAITING = (3, 4)
"""Places in the first line of /proc/stat of the time in which nothing was done: idle, and waiting for a disk."""
_COUNTED = 8
"""The first fields; those behind them (guests) are counted in these, too."""


class Processors(NamedTuple):
    """Ticks of all processors since the machine started."""

    busy: int
    """In which anything was done."""
    all: int
    own: float
    """Seconds that processes took that this one has started and that have ended."""


def processors(stat: Path = _STAT) -> Processors | None:
    """What the system counts now; None where it does not say."""
    try:
        import resource

        fields = [int(one) for one in stat.read_text().split("\n", 1)[0].split()[1:][:_COUNTED]]
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        idle = sum(fields[place] for place in _WAITING)
    except (OSError, ValueError, IndexError, ImportError):
        return None
    return Processors(sum(fields) - idle, sum(fields), used.ru_utime + used.ru_stime)


def write_processors(journal: Journal, before: Processors | None) -> None:
    """Write how much was done on this machine since then, in seconds, and how much of it by the run."""
    import os

    now = processors()
    if before is None or now is None:
        return
    tick = 1 / os.sysconf("SC_CLK_TCK")
    journal.record(
        "processors",
        busy=round((now.busy - before.busy) * tick, 3),
        all=round((now.all - before.all) * tick, 3),
        own=round(now.own - before.own, 3),
    )


def tell_crowd(facts: LiveFacts, processes: Sequence[Process]) -> None:
    """Say which share of the processors was free, and which other programs took."""
    record = next((found for one in processes if (found := one.last("processors")) is not None), {})
    busy, everything, own = (number(record.get(key)) for key in ("busy", "all", "own"))
    if busy is None or own is None or not everything:
        return
    # A process that was killed has not said what it took; one that was not waited for is not in `own`.
    said = sum(number(end.get("processor")) or 0.0 for one in processes for end in one.of("end"))
    facts.tell("env.processors_free", max(0.0, 1 - busy / everything), Place(RUN))
    facts.tell("env.processors_elsewhere", max(0.0, busy - max(own, said)) / everything, Place(RUN))
