"""Who was to bring something and never could: a thread that raised, a process whose queue nobody reads."""

from __future__ import annotations

from collections.abc import Sequence

from .processes import Process, Record
from .standstill import frames_of, function_of, library_module, own_frame, standstill_of
from .told import LiveFacts

_EMPTY = ("_queue.Empty", "queue.Empty", "TimeoutError", "threading.BrokenBarrierError")
"""What the main thread raises that waited for another with a time limit."""
_WAITS = ("queue.py", "threading.py", "connection.py", "selectors.py")
"""Modules of Python's own library in which a thread waits for another."""
_JOINS_FEEDER = ("queues.py", "_finalize_join")
"""Where a process ends that waits until all it has put into a queue is in the pipe."""
_FOR_PROCESS = (
    ("process.py", "join"),
    ("popen_fork.py", "wait"),
    ("popen_forkserver.py", "wait"),
    ("spawn.py", "join"),
    ("subprocess.py", "wait"),
    ("subprocess.py", "communicate"),
)
"""Where a process waits for the end of one that it has started."""


def tell_failed_feeder(facts: LiveFacts, processes: Sequence[Process]) -> None:
    """Say that the main thread waited in vain after another one had raised: that one died, whatever it died of."""
    for process in processes:
        raised = next((one for one in process.of("exception") if one.get("thread")), None)
        if raised is None:
            continue
        last = standstill_of(process)
        later = [*process.of("exception"), *([last] if last is not None else [])]
        if any(_is_after(process, one, raised) and _waits(one) for one in later):
            text = f"{raised.get('type')} in the thread {raised.get('thread')}"
            facts.tell("process.feeder_failed", True, process.place(raised, text))


def tell_unread_queue(facts: LiveFacts, processes: Sequence[Process]) -> None:
    """Say that a process waits for the end of another one, which waits for its queue to be read.

    A pipe holds little: what a process has put into a queue keeps it from ending until somebody takes it out.
    The one that waits may be stopped before the other has stood still for as long.
    """
    stuck = {one.pid: (one, record) for one in processes if (record := standstill_of(one)) is not None}
    for process in processes:
        record = standstill_of(process, halts=True)
        waiting, its = stuck.get(process.parent, (None, {}))
        if (
            record is not None
            and waiting is not None
            and _JOINS_FEEDER in _functions(record)
            and set(_FOR_PROCESS) & set(_functions(its))
        ):
            facts.tell("process.queue_not_read", True, waiting.place(its, own_frame(frames_of(its))))


def standing(trainers: Sequence[Process], everyone: Sequence[Process]) -> list[Process]:
    """Those to ask where the run stands: in place of one that waits for the end of what it started, these.

    It stands still when they do. They may still be loading their libraries, or have no steps to tell of.
    """
    asked: dict[int, Process] = {}
    for process in trainers:
        record = standstill_of(process, halts=True)
        joins = record is not None and set(_FOR_PROCESS) & set(_functions(record))
        started = [one for one in everyone if joins and one.parent == process.pid and _is_at_work(one)]
        if all(standstill_of(one, halts=True) is not None for one in started):
            asked.update((id(one), one) for one in started or [process])
    return list(asked.values())


def _is_at_work(process: Process) -> bool:
    return process.last("torch") is not None and process.last("end") is None


def _functions(record: Record) -> list[tuple[str, str]]:
    return [(library_module(one), function_of(one)) for one in frames_of(record)]


def _is_after(process: Process, record: Record, first: Record) -> bool:
    return record is not first and process.time(record) >= process.time(first) and not record.get("thread")


def _waits(record: Record) -> bool:
    """Whether the main thread waited in a call of the script's own for something that another thread brings."""
    if record.get("kind") == "exception":
        return record.get("type") in _EMPTY
    frames = frames_of(record)
    return bool(frames and own_frame(frames)) and library_module(frames[-1]) in _WAITS
