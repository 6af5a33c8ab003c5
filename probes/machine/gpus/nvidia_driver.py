"""Whether NVIDIA's driver is there at all, from the files it leaves: asked before anything is started."""

from __future__ import annotations

import re

from ..host import Host
from .reading import DriverFault, NoDevice

_VERSION = "/proc/driver/nvidia/version"


def expect_driver(host: Host) -> None:
    """Return where NVML or nvidia-smi are worth asking.

    Raises NoDevice where there is no driver or none of its devices is passed on to us, and
    DriverFault where a device is on the bus without a driver.
    """
    if host.system == "darwin":
        raise NoDevice("macOS has no NVIDIA driver")
    # WSL has one device for all of Windows' GPUs, and no driver of its own.
    if host.system != "linux" or host.has("/dev/dxg"):
        return
    if any(re.fullmatch(r"nvidia[0-9]+", name) for name in host.names("/dev")):
        return
    if host.has(_VERSION):
        raise NoDevice("the NVIDIA driver is loaded, but no device is passed on: /dev/nvidia0 is missing")
    if bus := _on_the_bus(host):
        raise DriverFault(f"an NVIDIA GPU is on the PCI bus ({bus}), and its driver is not loaded")
    raise NoDevice(f"no NVIDIA driver is loaded: {_VERSION} is missing")


def driver_version(host: Host) -> str | None:
    """The version of the loaded kernel module, or None."""
    first = (host.read(_VERSION) or "").partition("\n")[0]
    found = re.search(r"\b([0-9]{3}\.[0-9]+(?:\.[0-9]+)?)\b", first)
    return found[1] if found else None


def _on_the_bus(host: Host) -> str | None:
    """The address of an NVIDIA display or compute device, or None."""
    folder = "/sys/bus/pci/devices"
    for address in host.names(folder):
        vendor, kind = (host.read(f"{folder}/{address}/{name}") or "" for name in ("vendor", "class"))
        if vendor.strip() == "0x10de" and kind.startswith("0x03"):
            return address
    return None
