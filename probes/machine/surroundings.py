"""What the process runs in: a container, a virtual machine inside Windows."""

from __future__ import annotations

from traindx.engine.regex import regex

from .gives import SURROUNDINGS
from .host import Host
from .observed import Observed

_MARKERS = ("/.dockerenv", "/run/.containerenv", "/.singularity.d", "/singularity")
"""Files that Docker, Podman and Apptainer put into every container."""
_VARIABLES = ("container", "APPTAINER_CONTAINER", "SINGULARITY_CONTAINER", "KUBERNETES_SERVICE_HOST")
_GROUP = regex(
    r"/(?:docker|kubepods|containerd|libpod|lxc|machine\.slice/libpod)\b|cri-containerd|docker-[0-9a-f]{12}"
)


def observe_surroundings(host: Host, seen: Observed) -> None:
    """The operating system, and what lies between it and the process."""
    seen.tell("env.platform", host.system, "sys.platform")
    if host.system != "linux":
        seen.cannot(SURROUNDINGS, f"not looked for on {host.system}")
        return
    marker = _container(host)
    seen.tell("env.in_container", marker is not None, marker or "no sign of a container")
    release = host.read("/proc/sys/kernel/osrelease") or ""
    seen.tell("env.wsl", "microsoft" in release.lower(), "/proc/sys/kernel/osrelease")


def _container(host: Host) -> str | None:
    """The first sign of a container, or None."""
    for path in _MARKERS:
        if host.has(path):
            return path
    for name in _VARIABLES:
        if host.environ.get(name):
            return name
    return "/proc/self/cgroup" if _GROUP.search(host.read("/proc/self/cgroup") or "") else None
