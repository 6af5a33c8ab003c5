"""What every way of asking hands back."""

from typing import NamedTuple


class NoDevice(Exception):
    """A way of asking that knows there is no accelerator for it. The message says how it knows."""


class DriverFault(Exception):
    """A driver that is there and does not work. The message is what it says itself."""


class Device(NamedTuple):
    """One accelerator. Sizes in bytes; what could not be read is None."""

    name: str
    number: int = 0
    """In the order of their places on the bus."""
    uuid: str = ""
    total: int | None = None
    free: int | None = None
    used: int | None = None
    utilization: float | None = None
    """Per cent of the time in which some kernel ran."""
    capability: str | None = None
    """The CUDA compute capability."""
    processes: tuple[int, ...] | None = None
    """Processes that compute on it."""
    ecc_errors: int | None = None
    """Uncorrectable memory errors."""
    note: str = ""


class Reading(NamedTuple):
    """All devices that one way of asking found."""

    how: str
    """What was asked: `NVML`, `nvidia-smi`, `/sys/class/kfd`."""
    devices: tuple[Device, ...]
    driver: str | None = None
    cuda: str | None = None
    """The newest CUDA version that the driver runs."""
    only_visible: bool = False
    """True where the devices are already those that variables leave visible."""
    troubles: tuple[str, ...] = ()
    """Devices that did not answer, each with what was said."""
