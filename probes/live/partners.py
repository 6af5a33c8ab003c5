"""Which rank failed first, and what the others then waited for: told by how each of them ended."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from .endings import Ending, endings
from .processes import Process, Record, whole
from .standstill import collective_of, frames_of, own_frame
from .told import LiveFacts

_WAITED = re.compile(
    r"(?i)timed? ?out|connection (?:closed|reset)|connection was likely closed|watchdog caught|remote process exited|"
    r"writev.*broken pipe"
)
"""What a rank says whose partners did not come, or had gone."""
_LONGEST = 120
Failure = tuple[float, Process, Record]
"""When, where, and what was raised or which native code ended the process."""


def tell_failed_rank(
    facts: LiveFacts, processes: Sequence[Process], everyone: Sequence[Process], *, over: bool = False
) -> None:
    """Say that one rank failed by itself, or had come to its end, where the others lost it or had gone on beyond.

    Ranks that fail in the same step may all have the same fault; what the launcher then ends says nothing, nor does
    a rank whose error is that the others did not come: of the first such error, the rank that had gone is the reason.
    """
    failures = _failures(processes)
    if not failures:
        return
    time, failed, record = failures[0]
    if _waited(record):
        _tell_gone(facts, processes, endings(processes, everyone, over=over), failures[0])
        return
    if record.get("kind") == "fault" and collective_of(record):
        return  # what another rank sent did not fit
    reached = whole(record.get("step"))
    reached = _last_step(failed) if reached is None else reached
    went_on = any(
        one is not failed and one.last("exception") is None and _last_step(one) > reached + 1
        for one in processes
        if one.rank is not None
    )
    lost_it = any(one is not failed and later > time and _waited(its) for later, one, its in failures)
    if went_on or lost_it:
        facts.tell("dist.rank_failed", True, failed.place(record))
        facts.tell("dist.failed_how", f"rank {failed.rank} {_what(record)}", failed.place(record))


def tell_parted_ranks(facts: LiveFacts, processes: Sequence[Process]) -> None:
    """Say that ranks gave up waiting for each other at different lines: then they were in different collectives."""
    gave_up = {
        one.rank: (one, record)
        for one in processes
        if one.rank is not None
        and (record := one.last("exception")) is not None
        and _at(record)
        and _waited(record)
    }
    lines = {(record.get("file"), record.get("line")) for _, record in gave_up.values()}
    if len(lines) < 2:
        return
    where = [f"rank {rank} in {_at(record)}" for rank, (_, record) in sorted(gave_up.items())]
    process, record = gave_up[min(gave_up)]
    facts.tell("dist.collectives_differ", True, process.place(record, "; ".join(where)))
    facts.tell("dist.elsewhere", "; ".join(where), process.place(record))


def _tell_gone(
    facts: LiveFacts, processes: Sequence[Process], gone: Mapping[int, Ending], first: Failure
) -> None:
    """The first rank that lost another, or gave up waiting for it, found it gone: say how that one had ended."""
    time, waited, record = first
    before = {rank: one for rank, one in gone.items() if one.time is None or one.time <= time}
    badly = [rank for rank, one in sorted(before.items()) if not one.well]
    if not before:
        return
    rank = badly[0] if badly else min(before)
    process = next(one for one in processes if one.rank == rank)
    place = process.place({"step": _last_step(process) or None})
    facts.tell("dist.rank_failed", bool(badly), place)
    facts.tell("dist.rank_ended_early", not badly, place)
    if badly:
        facts.tell("dist.failed_how", f"rank {rank} {before[rank].said()}", place)
        return
    at = (
        f"{Path(str(record.get('file'))).name}:{record.get('line')}" if record.get("line") else "a collective"
    )
    text = f"rank {rank} {before[rank].said()}; rank {waited.rank} wanted it in {at}"
    facts.tell("dist.elsewhere", text, waited.place(record))


def _failures(processes: Sequence[Process]) -> list[Failure]:
    found = [
        (one.time(record), one, record)
        for one in processes
        for kind in ("exception", "fault")
        for record in one.of(kind)
        if one.rank is not None
    ]
    return sorted(found, key=lambda one: one[0])


def _waited(record: Record) -> bool:
    return _WAITED.search(str(record.get("message"))) is not None


def _what(record: Record) -> str:
    if record.get("kind") == "fault":
        return (
            f"was ended in native code ({record.get('why')}) at {own_frame(frames_of(record)) or 'a library'}"
        )
    lines = str(record.get("message")).strip().splitlines()
    text = f"{record.get('type')}: {lines[0][:_LONGEST]}" if lines else str(record.get("type"))
    return f"raised {text} at {_at(record)}" if _at(record) else f"raised {text}"


def _at(record: Record) -> str:
    file, line = record.get("file"), record.get("line")
    return f"{Path(str(file)).name}:{line}" if file and line else ""


def _last_step(process: Process) -> int:
    steps = (process.last("steps") or {}).get("step")
    return max((whole(one) or 0 for one in steps), default=0) if isinstance(steps, list) else 0
