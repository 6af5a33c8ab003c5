"""A thread that was to bring batches and raised, after which the main thread waited for it in vain."""

from __future__ import annotations

from collections.abc import Sequence

from .processes import Process, Record
from .standstill import frames_of, library_module, own_frame, standstill_of
from .told import LiveFacts

_EMPTY = ("_queue.Empty", "queue.Empty", "TimeoutError", "threading.BrokenBarrierError")
"""What the main thread raises that waited for another with a time limit."""
_WAITS = ("queue.py", "threading.py", "connection.py", "selectors.py")
"""Modules of Python's own library in which a thread waits for another."""


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


def _is_after(process: Process, record: Record, first: Record) -> bool:
    return record is not first and process.time(record) >= process.time(first) and not record.get("thread")


def _waits(record: Record) -> bool:
    """Whether the main thread waited in a call of the script's own for something that another thread brings."""
    if record.get("kind") == "exception":
        return record.get("type") in _EMPTY
    frames = frames_of(record)
    return bool(frames and own_frame(frames)) and library_module(frames[-1]) in _WAITS
