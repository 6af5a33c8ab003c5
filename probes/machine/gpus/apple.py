"""The GPU of Apple silicon, which torch calls MPS."""

from __future__ import annotations

from .. import commands
from ..commands import NoAnswer
from ..host import Host, whole
from .reading import Device, NoDevice, Reading


def read(host: Host) -> Reading:
    """The one device of an Apple processor.

    Raises NoDevice elsewhere, NoAnswer where the system does not tell which processor it is.
    """
    if host.system != "darwin":
        raise NoDevice("no Apple silicon")
    import platform

    if platform.machine() != "arm64":
        raise NoDevice("an Intel Mac has no MPS device that torch still supports")
    sysctl = commands.find("sysctl", host)
    if sysctl is None:
        raise NoAnswer("sysctl is not there")
    _, output = commands.run([sysctl, "-n", "machdep.cpu.brand_string", "hw.memsize"], host)
    name, _, size = output.strip().partition("\n")
    device = Device(
        name[:100] or "Apple silicon", total=whole(size), note="memory is shared with the processor"
    )
    return Reading("sysctl", (device,), only_visible=True)
