"""Cores and memory that the process may use, and the limits on it."""

from __future__ import annotations

import os

from . import cgroups
from .gives import LIMITS, MEMORY
from .host import Host, whole
from .observed import Observed, gib

_MEBIBYTE = 1 << 20


def observe_cores(host: Host, seen: Observed) -> None:
    """Cores that the process may use: its affinity, or a container's quota where that is smaller."""
    if hasattr(os, "sched_getaffinity"):
        count, source = len(os.sched_getaffinity(0)), "the process's CPU affinity"
    else:
        count, source = os.cpu_count() or 1, "the system's number of cores"
    all_cores = os.cpu_count() or count
    if (quota := cgroups.cores(host)) and quota[0] < count:
        count, source = max(1, int(quota[0])), quota[1]
    seen.tell("env.cpu_count", count, source, f"of {all_cores} in the machine" if all_cores > count else "")


def observe_memory(host: Host, seen: Observed) -> None:
    """Host memory, in all and free, as the machine, the container and the job allow."""
    total, free, source = _physical(host)
    group, job = cgroups.memory_limit(host), _job_memory(host)
    limits = [(group.limit, group.source)] if group else []
    limits += [job] if job else []
    limit = min((one for one in limits if total is None or one[0] < total), default=None)
    if limit:
        seen.tell("env.memory_limit_gib", gib(limit[0]), limit[1])
        total = limit[0]
    if total is not None:
        seen.tell("env.ram_gib", gib(total), limit[1] if limit else source)
    if free is not None:
        left = group.limit - group.used if group and group.used is not None else free
        seen.tell(
            "env.ram_free_gib",
            gib(max(0, min(free, left))),
            group.source if group and left < free else source,
        )
    if kills := cgroups.oom_kills(host):
        seen.tell("env.oom_kills", kills[0], kills[1])
    linux = host.system == "linux"
    seen.cannot("env.memory_limit_gib", "no memory limit is set below what the machine has")
    seen.cannot("env.oom_kills", "the kernel does not count them here")
    missing = (
        "/proc/meminfo cannot be read"
        if linux
        else f"Python's standard library does not tell it on {host.system}"
    )
    seen.cannot(MEMORY, missing)


def _physical(host: Host) -> tuple[int | None, int | None, str]:
    """The machine's memory and what is available of it, in bytes, and where that stands."""
    if host.system == "linux":
        lines = (line.partition(":") for line in (host.read("/proc/meminfo") or "").splitlines())
        kib = {key: whole(value.removesuffix("kB")) for key, _, value in lines}
        total, free = kib.get("MemTotal"), kib.get("MemAvailable")
        return total and total << 10, None if free is None else free << 10, "/proc/meminfo"
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"), None, "sysconf"
    except (AttributeError, ValueError, OSError):
        return None, None, ""


def _job_memory(host: Host) -> tuple[int, str] | None:
    """What SLURM was asked for, in bytes: it may end a job above it without any control group."""
    per_node, per_core, cores = (
        whole(host.environ.get(name, ""))
        for name in ("SLURM_MEM_PER_NODE", "SLURM_MEM_PER_CPU", "SLURM_CPUS_ON_NODE")
    )
    if per_node:
        return per_node * _MEBIBYTE, "SLURM_MEM_PER_NODE"
    if per_core and cores:
        return per_core * cores * _MEBIBYTE, "SLURM_MEM_PER_CPU x SLURM_CPUS_ON_NODE"
    return None


def observe_limits(host: Host, seen: Observed) -> None:
    """Open files, processes and locked memory that the process may have."""
    try:
        import resource
    except ImportError:
        seen.cannot(LIMITS, f"{host.system} has no resource limits that Python tells")
        return

    def soft(kind: int) -> int | None:
        limit = resource.getrlimit(kind)[0]
        return None if limit == resource.RLIM_INFINITY else limit

    if files := soft(resource.RLIMIT_NOFILE):
        seen.tell("env.open_files_limit", files, "ulimit -n")
    if (locked := soft(resource.RLIMIT_MEMLOCK)) is not None:
        seen.tell("env.locked_memory_gib", gib(locked), "ulimit -l")
    group, user = cgroups.processes(host), soft(resource.RLIMIT_NPROC)
    if limits := [*([group] if group else []), *([(user, "ulimit -u")] if user else [])]:
        seen.tell("env.process_limit", *min(limits))
    seen.cannot(LIMITS, "no limit is set")
