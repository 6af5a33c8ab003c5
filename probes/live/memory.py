"""Whether the kernel killed a process for want of memory, as its own counters tell."""

from __future__ import annotations

import re
from pathlib import Path

_KILLS = re.compile(r"^oom_kill (\d+)$", re.MULTILINE)
_GROUPS = Path("/sys/fs/cgroup")


def kills(root: Path = Path("/")) -> int | None:
    """How many processes the kernel has killed so far in our control group, else on this machine.

    None where the kernel does not count them. `root` is where /proc and /sys are found.
    """
    counted = [count for path in _counters(root) if (count := _count(path)) is not None]
    return max(counted) if counted else _count(root / "proc/vmstat")


def _counters(root: Path) -> list[Path]:
    """The files in which the control group of this process, of either version, counts."""
    try:
        lines = (root / "proc/self/cgroup").read_text(encoding="utf-8").splitlines()
    except OSError:
        return []
    groups = root / _GROUPS.relative_to("/")
    found = []
    for _, controllers, inner in (line.split(":", 2) for line in lines if line.count(":") >= 2):
        inner = inner.lstrip("/")
        if not controllers:
            found += [groups / inner / "memory.events", groups / "memory.events"]
        elif "memory" in controllers.split(","):
            found += [
                groups / "memory" / inner / "memory.oom_control",
                groups / "memory" / "memory.oom_control",
            ]
    return found


def _count(path: Path) -> int | None:
    try:
        found = _KILLS.search(path.read_text(encoding="utf-8"))
    except OSError:
        return None
    return int(found[1]) if found else None
