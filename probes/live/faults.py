"""Reads the last words of a process: the stacks that faulthandler wrote where Python could not.

Fatal Python error: Segmentation fault
<blank>
Current thread 0x00007f3a (most recent call first):
  File "train.py", line 12 in step
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .processes import Record

MAX_TEXT = 1 << 20
"""Bytes that are read; the text of one fault has some kilobytes."""
_FRAME = re.compile(r'  File "([^"\n]*)", line (\d+|\?\?\?) in (.*)')
_THREAD = re.compile(r"(Current thread|Thread) (0x[0-9a-f]+)")
_FATAL = "Fatal Python error: "
_TIMER = "Timeout ("


def read_faults(path: Path) -> Iterator[Record]:
    """What faulthandler wrote: `fault` where the process died, `stacks` where C code held the interpreter."""
    try:
        with path.open("rb") as file:
            lines = file.read(MAX_TEXT).decode("utf-8", "replace").splitlines()
    except OSError:
        return
    starts = [place for place, line in enumerate(lines) if line.startswith((_FATAL, _TIMER))]
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=False):
        fatal = lines[start].startswith(_FATAL)
        record: dict[str, Any] = {"threads": _threads(lines[start + 1 : end])}
        if fatal:
            text = "\n".join(lines[start:end])
            yield {"kind": "fault", "why": lines[start].removeprefix(_FATAL), "traceback": text, **record}
        else:
            yield {"kind": "stacks", "why": "no step: C code holds the interpreter", **record}


def _threads(lines: list[str]) -> list[dict[str, Any]]:
    """The thread at fault first, else the main thread, which stands last there. Frames: innermost last."""
    found: list[dict[str, Any]] = []
    first = -1
    for line in lines:
        if thread := _THREAD.match(line):
            if thread[1] == "Current thread":
                first = len(found)
            found.append({"name": thread[2], "frames": []})
        elif found and (frame := _FRAME.match(line)):
            found[-1]["frames"].insert(0, f"{frame[1]}:{frame[2]} in {frame[3]}")
    if found:
        found[-1]["name"] = "MainThread"
        found.insert(0, found.pop(first))
    return found
