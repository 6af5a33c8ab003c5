"""What a container or a job may use: the limits of its control groups, version 1 and 2.

A process belongs to a group, and every group above it limits it too: the smallest limit counts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from .host import Host, whole
from .mounts import mounts

_UNLIMITED = 1 << 60
"""Version 1 writes a number near 2**63 where there is no limit."""


@dataclass(frozen=True, slots=True)
class MemoryLimit:
    """The tightest memory limit on the process. Bytes."""

    limit: int
    used: int | None
    """What cannot be freed at once: page cache that is not in use does not count."""
    source: str


def memory_limit(host: Host) -> MemoryLimit | None:
    """The tightest memory limit, or None where there is none."""
    limits = []
    for folder in _groups(host, "memory"):
        for name, usage, cache in (
            ("memory.max", "memory.current", "inactive_file"),
            ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
        ):
            limit = host.number(f"{folder}/{name}")
            if limit is not None and limit < _UNLIMITED:
                used = _without_cache(host, folder, usage, cache)
                limits.append(MemoryLimit(limit, used, f"{folder}/{name}"))
    return min(limits, key=lambda one: one.limit, default=None)


def _without_cache(host: Host, folder: str, usage: str, cache: str) -> int | None:
    used = host.number(f"{folder}/{usage}")
    return None if used is None else max(0, used - (_entry(host, f"{folder}/memory.stat", cache) or 0))


def cores(host: Host) -> tuple[float, str] | None:
    """How many cores the groups allow, and where that stands; None where they set no quota."""
    quotas = []
    for folder in _groups(host, "cpu"):
        both = (host.read(f"{folder}/cpu.max") or "").partition(" ")
        parted = [host.read(f"{folder}/cpu.cfs_{name}_us") or "" for name in ("quota", "period")]
        for source, quota, period in (("cpu.max", both[0], both[2]), ("cpu.cfs_quota_us", *parted)):
            # `max` and -1 are no quota.
            if (time := whole(quota)) is not None and (each := whole(period)):
                quotas.append((time / each, f"{folder}/{source}"))
    return min(quotas, default=None)


def processes(host: Host) -> tuple[int, str] | None:
    """How many processes and threads the groups allow, and where that stands; None for no limit."""
    limits = ((host.number(path), path) for folder in _groups(host, "pids") if (path := f"{folder}/pids.max"))
    return min(((limit, path) for limit, path in limits if limit is not None), default=None)


def oom_kills(host: Host) -> tuple[int, str] | None:
    """How many processes of the process's own group were killed for memory; None where it is not counted."""
    for folder in _groups(host, "memory"):
        for name in ("memory.events", "memory.oom_control"):
            kills = _entry(host, f"{folder}/{name}", "oom_kill")
            if kills is not None:
                return kills, f"{folder}/{name}"
    return None


def _entry(host: Host, path: str, key: str) -> int | None:
    for line in (host.read(path) or "").splitlines():
        name, _, value = line.partition(" ")
        if name == key:
            return whole(value)
    return None


def _groups(host: Host, controller: str) -> Iterator[str]:
    """The folders of the process's groups that may limit it, its own first, then those above."""
    for line in (host.read("/proc/self/cgroup") or "").splitlines():
        number, controllers, group = (*line.split(":", 2), "", "")[:3]
        unified = number == "0" and not controllers
        if unified or controller in controllers.split(","):
            yield from _folders(host, "" if unified else controller, group)


def _folders(host: Host, controller: str, group: str) -> Iterator[str]:
    """From a group up to what is mounted of its hierarchy; an empty controller means version 2."""
    kind = "cgroup" if controller else "cgroup2"
    for mount in mounts(host):
        if mount.kind == kind and (not controller or controller in mount.options):
            top = PurePosixPath(mount.point)
            # Inside a container the group may be named as the host sees it, above what is mounted here.
            inside = PurePosixPath(group).is_relative_to(mount.root)
            folder = top / PurePosixPath(group).relative_to(mount.root) if inside else top
            folder = top if ".." in folder.parts else folder
            yield str(folder)
            yield from (str(parent) for parent in folder.parents if parent.is_relative_to(top))
            return
