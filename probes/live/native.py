"""Where native code ended a process: what faulthandler wrote as the process died."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .processes import Process
from .standstill import collective_of, frames_of, own_frame
from .told import LiveFacts

_INSTALLED = re.compile(r"[/\\](?:site|dist)-packages[/\\](?P<name>\w+)")
_STANDARD = re.compile(r"[/\\][Ll]ib[/\\](?:python[\d.]+t?[/\\])?(?P<name>\w+)(?:\.py|[/\\])")
_IMPORTING = "<frozen importlib._bootstrap"


def tell_fault(facts: LiveFacts, processes: Sequence[Process]) -> None:
    """Say which call into native code did not come back, and whose it was, of the process that died first."""
    died = [(one.time(record), one, record) for one in processes for record in one.of("fault")]
    if not died:
        return
    _, process, record = min(died, key=lambda one: one[0])
    frames = frames_of(record)
    place = process.place(record)
    if not frames:
        return
    facts.tell("process.fault_in", frames[-1], place, frames[-1])
    facts.tell("process.fault_line", own_frame(frames) or None, place)
    facts.tell("process.fault_library", library_of(frames[-1]), place)
    facts.tell("process.fault_collective", collective_of(record) or None, place)
    facts.tell("process.fault_importing", any(_IMPORTING in frame for frame in frames), place)


def library_of(frame: str) -> str | None:
    """The installed package, or module of Python's own library, in which a frame stands; None where in neither."""
    found = _INSTALLED.search(frame) or _STANDARD.search(frame)
    return found["name"] if found else None
