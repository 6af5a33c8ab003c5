"""Memory of the device, the process and its data workers, once a second."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .journal import Journal
from .part import Part

if TYPE_CHECKING:
    import torch

    from .watcher import Watcher

SECONDS = 1.0
PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096


class Memory(Part):
    """Puts `allocated`, `reserved`, `peak`, `host` and `workers` (bytes) into the row of a step in each second."""

    name = "memory"

    def __init__(self, journal: Journal, options: Mapping[str, Any], watcher: Watcher) -> None:
        self._watcher = watcher
        self._next = 0.0

    def after_step(self, optimizer: torch.optim.Optimizer, step: int) -> None:
        """Sample, where the last sample is old."""
        if self._watcher.now < self._next:
            return
        self._next = self._watcher.now + SECONDS
        self._watcher.row.update(host=resident("self"), workers=workers())
        cuda = self._watcher.torch.cuda
        if cuda.is_available() and cuda.is_initialized():
            stats = cuda.memory_stats()
            self._watcher.row.update(
                allocated=stats.get("allocated_bytes.all.current"),
                reserved=stats.get("reserved_bytes.all.current"),
                peak=stats.get("allocated_bytes.all.peak"),
            )


def resident(pid: str) -> int | None:
    """Bytes that a process holds in memory; None where the system does not tell."""
    try:
        with open(f"/proc/{pid}/statm", "rb") as file:
            return int(file.read().split()[1]) * PAGE
    except (OSError, IndexError, ValueError):
        return None


def workers() -> int | None:
    """Bytes that the child processes hold together, pages shared with this one included; None where there are none."""
    try:
        with open(f"/proc/self/task/{os.getpid()}/children", "rb") as file:
            children = file.read().split()
    except OSError:
        return None
    sizes = [size for child in children if (size := resident(child.decode())) is not None]
    return sum(sizes) if sizes else None
