"""Where the processes of a run stand when nothing moves, and how they ended."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from traindx.engine.probe import Event

from .endings import ENDED_FROM_OUTSIDE, Ending, ended_by_itself, endings, signal_of
from .observer.hang import GOES_ON, MOVES
from .processes import Process, Record, whole
from .told import LiveFacts

_FRAME = re.compile(
    r'(?:File ")?(?P<file>[^"\n]+?)"?(?:, line |:)(?P<line>\d+)(?:,? in |:| \()?(?P<function>[\w<>.]*)'
)
_LONGEST = 500
_DATA = ("_try_get_data", "_get_data", "_next_data", "_get_batch")
"""Functions in which a loop waits for a data worker."""
_COLLECTIVES = ("distributed_c10d.py", "_functional_collectives.py")
"""Modules of torch whose functions are the collectives."""
_LIBRARY = (
    "site-packages",
    "dist-packages",
    "/lib/python",
    "/lib64/python",
    "\\lib\\",
    "<frozen",
    "traindx_observer",
)


def tell_standstill(
    facts: LiveFacts,
    processes: Sequence[Process],
    status: int | None = None,
    everyone: Sequence[Process] = (),
) -> list[Event]:
    """Say where each rank stands, where some process wrote its stacks because no step came.

    A shorter halt counts where the run was ended in it, as its `status` says, or where another process stands still.
    `everyone` holds the launchers too, which know how a rank ended. A command that ended with 0 stood still nowhere.
    """
    if status == 0:
        # What came to its end was at some long work besides steps, such as a last evaluation.
        return []
    ended = status is not None and signal_of(status) in ENDED_FROM_OUTSIDE
    if all(standstill_of(one, halts=ended) is None for one in processes):
        return []
    stuck = [(one, record) for one in processes if (record := standstill_of(one, halts=True)) is not None]
    first, record = stuck[0]
    facts.tell("process.stuck", True, first.place(record, str(record.get("why") or "")))
    frames = frames_of(record)
    own = own_frame(frames)
    if own:
        facts.tell("process.stuck_in", own, first.place(record, own))
    in_collective = [(one, record) for one, record in stuck if collective_of(record)]
    facts.tell("process.stuck_collective", bool(in_collective), first.place(record))
    in_loader = any(name in frame for name in _DATA for frame in frames)
    facts.tell("process.stuck_data", in_loader and not in_collective, first.place(record))
    if in_collective:
        gone = endings(processes, everyone or processes, over=ended_by_itself(status))
        _tell_ranks(facts, processes, in_collective, gone)
    return [Event(where_it_stands(one, record), one.place(record)) for one, record in stuck]


def standstill_of(process: Process, *, halts: bool = False) -> Record | None:
    """The stacks of a process that has not moved since it wrote them; with `halts` also those of a short halt."""
    found = None
    for record in process.records:
        if record.get("kind") == "stacks":
            found = record if halts or not record.get("halt") else found
        elif found is not None and _goes_on(record, whole(found.get("step")) or 0):
            found = None
    return None if found is None or found.get("moving") is True else found


def _goes_on(record: Record, step: int) -> bool:
    """Whether this record shows that the loop went on after it stood at this step."""
    steps = record.get("step") if record.get("kind") == "steps" else None
    return (
        record.get("what") == GOES_ON
        or record.get("kind") == MOVES
        or (isinstance(steps, list) and any((whole(one) or 0) > step for one in steps))
    )


def _tell_ranks(
    facts: LiveFacts,
    processes: Sequence[Process],
    waiting: Sequence[tuple[Process, Record]],
    gone: Mapping[int, Ending],
) -> None:
    """Which ranks wait in a collective, in which one, and where the others are."""
    first, record = waiting[0]
    place, name = first.place(record), collective_of(record)
    ranks = sorted({one.rank for one, _ in waiting if one.rank is not None})
    names = {collective_of(record) for _, record in waiting}
    facts.tell("dist.collective", name, place)
    facts.tell("dist.waiting_ranks", ", ".join(map(str, ranks)) or None, place)
    facts.tell("dist.collectives_differ", len(names) > 1, place, " and ".join(sorted(names)))
    others = [one for one in processes if one.rank is not None and one.rank not in ranks]
    facts.tell("dist.elsewhere", "; ".join(_whereabouts(one, gone) for one in others) or None, place)
    failed = [one for one in others if _failed(one, gone)]
    held_up = [one for one in others if standstill_of(one) is not None and one.last("end") is None]
    facts.tell(
        "dist.rank_held_up",
        bool(held_up),
        held_up[0].place(held_up[0].last("stacks") or {}) if held_up else place,
    )
    facts.tell(
        "dist.rank_failed",
        bool(failed),
        failed[0].place(failed[0].last("exception") or {}) if failed else place,
    )
    unheard = [one for one in failed if one.rank in gone]
    if unheard:
        text = "; ".join(
            f"rank {one.rank} {gone[one.rank].said()}" for one in unheard if one.rank is not None
        )
        facts.tell("dist.failed_how", text, unheard[0].place({}))
    well = [one for one in others if one.rank in gone and one not in failed]
    facts.tell("dist.rank_ended_early", bool(well), place)


def _failed(process: Process, gone: Mapping[int, Ending]) -> bool:
    ending = None if process.rank is None else gone.get(process.rank)
    raised = process.last("exception") is not None or process.last("fault") is not None
    return raised or (ending is not None and not ending.well)


def _whereabouts(process: Process, gone: Mapping[int, Ending]) -> str:
    """Where a rank that is not in the collective stands."""
    stacks, end = process.last("stacks"), process.last("end")
    if process.rank in gone and process.rank is not None and not gone[process.rank].well:
        return f"rank {process.rank} {gone[process.rank].said()}"
    if _failed(process, gone):
        return f"rank {process.rank} ended with an exception"
    if end is not None:
        return f"rank {process.rank} had ended ({end.get('how')})"
    own = own_frame(frames_of(stacks)) if stacks is not None else ""
    return f"rank {process.rank} in {own}" if own else f"rank {process.rank} wrote nothing"


def where_it_stands(process: Process, record: Record) -> str:
    """Where a process stands whose stacks were written, in one line."""
    rank = f"rank {process.rank}: " if process.world_size > 1 else ""
    where, collective = own_frame(frames_of(record)), collective_of(record)
    inside = f", in {collective}" if collective else ""
    return f"{rank}no step; it stands in {where or 'a library'}{inside}"


def frames_of(record: Record) -> list[str]:
    """The frames of the main thread, innermost last."""
    threads = [one for one in record.get("threads") or () if isinstance(one, dict)]
    main = next((one for one in threads if one.get("name") == "MainThread"), threads[0] if threads else {})
    return [str(frame)[:_LONGEST] for frame in main.get("frames") or ()]


def collective_of(record: Record) -> str:
    """The collective in which the process stands; empty where it stands in none."""
    if named := record.get("collective"):
        return str(named)
    for frame in frames_of(record):
        if any(one in frame for one in _COLLECTIVES):
            found = _FRAME.search(frame)
            if found is not None and found["function"]:
                return found["function"]
    return ""


def library_module(frame: str) -> str:
    """The file of a library in which a frame stands, without its folder; empty for the person's own."""
    found = _FRAME.search(frame)
    file = found["file"].strip() if found is not None else ""
    return re.split(r"[/\\]", file)[-1] if any(part in file for part in _LIBRARY) else ""


def function_of(frame: str) -> str:
    """The function in which a frame stands."""
    return found["function"] if (found := _FRAME.search(frame)) else ""


def own_frame(frames: Sequence[str]) -> str:
    """The innermost frame in the person's own code, as `file:line (function)`."""
    for frame in reversed(frames):
        found = _FRAME.search(frame)
        if found is not None and not any(part in found["file"] for part in _LIBRARY):
            function = f" ({found['function']})" if found["function"] else ""
            return f"{found['file'].strip()}:{found['line']}{function}"
    return ""
