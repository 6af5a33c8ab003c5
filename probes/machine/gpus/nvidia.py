"""NVIDIA devices, through the library where it is there, else through the program."""

from __future__ import annotations

from ..commands import NoAnswer
from ..host import Host
from . import nvidia_smi, nvml
from .reading import Reading


def read(host: Host) -> Reading:
    """All NVIDIA devices.

    Raises NoDevice without a driver, DriverFault for one that does not work, NoAnswer where
    neither can be asked.
    """
    try:
        return nvml.read(host)
    except NoAnswer as first:
        try:
            return nvidia_smi.read(host)
        except NoAnswer as second:
            raise NoAnswer(f"{first}; {second}") from None
