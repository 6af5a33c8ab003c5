"""What is mounted where, as Linux tells it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from .host import Host

_REMOTE = frozenset({
    "9p", "afs", "beegfs", "ceph", "cifs", "davfs", "drvfs", "fuse.drive", "fuse.gcsfuse", "fuse.goofys",
    "fuse.juicefs", "fuse.mountpoint-s3", "fuse.rclone", "fuse.s3fs", "fuse.sshfs", "glusterfs", "gpfs", "lustre",
    "nfs", "nfs4", "panfs", "smb3", "smbfs", "vboxsf", "wekafs",
})  # fmt: skip
"""File systems whose data lies elsewhere: on a server, in object storage, or outside a virtual machine."""


@dataclass(frozen=True, slots=True)
class Mount:
    """One line of /proc/self/mountinfo."""

    root: str
    """The part of the file system that is mounted."""
    point: str
    kind: str
    """The type of the file system: `ext4`, `nfs4`, `cgroup2`."""
    options: frozenset[str]
    """Those of the file system; for cgroup v1 its controllers are among them."""


def mounts(host: Host) -> Iterator[Mount]:
    """Every mount that the process sees; none where the system does not tell."""
    for line in (host.read("/proc/self/mountinfo") or "").splitlines():
        place, dash, system = line.partition(" - ")
        left, right = place.split(" "), system.split(" ")
        if dash and len(left) >= 5 and len(right) >= 3:
            yield Mount(_plain(left[3]), _plain(left[4]), right[0], frozenset(right[2].split(",")))


def _plain(path: str) -> str:
    r"""A path without the octal escapes of mountinfo: `\040` is a space."""
    for code, character in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        path = path.replace(code, character)
    return path


def mount_of(path: Path, host: Host) -> Mount | None:
    """The mount that a path lies on: the deepest, and of equals the last."""
    best: Mount | None = None
    for mount in mounts(host):
        if path.is_relative_to(mount.point) and (best is None or len(mount.point) >= len(best.point)):
            best = mount
    return best


def is_remote(mount: Mount) -> bool:
    """Whether what is mounted there lies on another machine."""
    return mount.kind in _REMOTE
