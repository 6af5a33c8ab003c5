"""Room for what a run writes, and whether its data lies on another machine."""

from __future__ import annotations

import os
from pathlib import Path

from .gives import NETWORK, SHARED
from .host import Host
from .mounts import is_remote, mount_of
from .observed import Observed, gib


def observe_shared_memory(host: Host, seen: Observed) -> None:
    """The size of /dev/shm, through which data workers hand over batches."""
    if not host.has("/dev/shm"):
        seen.cannot(
            SHARED, "there is no /dev/shm" if host.system == "linux" else f"{host.system} has no /dev/shm"
        )
        return
    import shutil

    size = shutil.disk_usage(host.at("/dev/shm"))
    seen.tell("env.shm_gib", gib(size.total), "/dev/shm")
    seen.tell("env.shm_free_gib", gib(size.free), "/dev/shm")


def observe_disk(output: Path, seen: Observed) -> None:
    """What is free where the run writes, be the folder there yet or not, and for temporary files."""
    import shutil
    import tempfile

    folder = _existing(output)
    seen.tell("env.disk_free_gib", gib(shutil.disk_usage(folder).free), str(folder))
    temporary = tempfile.gettempdir()
    seen.tell("env.tmp_free_gib", gib(shutil.disk_usage(temporary).free), temporary)
    if hasattr(os, "statvfs") and (files := os.statvfs(folder)).f_files:
        seen.tell("env.inodes_free", files.f_favail, str(folder))
    seen.cannot("env.inodes_free", "the file system does not limit them")


def observe_network_storage(host: Host, data: Path | None, seen: Observed) -> None:
    """Whether the training data lies on a file system of another machine."""
    if data is None or not data.exists():
        seen.cannot(
            NETWORK,
            "the training data is not on this machine" if data else "no path of training data is known",
        )
    elif mount := mount_of(data.resolve(), host):
        seen.tell("env.network_storage", is_remote(mount), f"{mount.point} ({mount.kind})")
    else:
        seen.cannot(NETWORK, f"{host.system} does not tell what is mounted where")


def _existing(path: Path) -> Path:
    """The path, or the nearest folder above it that is there."""
    path = path.absolute()
    return next((one for one in (path, *path.parents) if one.is_dir()), Path(path.anchor))
