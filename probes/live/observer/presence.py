"""What a process says of itself when it begins: the values of its `process` record."""

from __future__ import annotations

import os
import sys
import time
from typing import Any

from .journal import VERSION

_RANKS = (
    ("RANK", "WORLD_SIZE"),
    ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
    ("PMI_RANK", "PMI_SIZE"),
    ("SLURM_PROCID", "SLURM_NTASKS"),
)
"""The variables through which launchers tell a process its rank: torchrun and what is built on it, MPI, SLURM."""


def presence(role: str) -> dict[str, Any]:
    """Who this process is; its role as in docs/live.md."""
    rank, world_size = _rank()
    return {
        "version": VERSION,
        "pid": os.getpid(),
        "parent": os.getppid(),
        "argv": list(getattr(sys, "orig_argv", None) or _arguments()),
        "python": sys.version.split()[0],
        "executable": sys.executable,
        "role": role,
        "rank": rank,
        "world_size": world_size,
        "time": time.time(),
    }


def _rank() -> tuple[int | None, int | None]:
    for rank, size in _RANKS:
        if os.environ.get(rank, "").isdecimal():
            world = os.environ.get(size, "")
            return int(os.environ[rank]), int(world) if world.isdecimal() else None
    return None, None


def _arguments() -> Any:
    """The command line, where Python does not keep it (before 3.10)."""
    try:
        with open("/proc/self/cmdline", "rb") as file:
            return [part.decode("utf-8", "replace") for part in file.read().split(b"\0")[:-1]]
    except OSError:
        return getattr(sys, "argv", [])
