"""NVIDIA's management library, through the optional package nvidia-ml-py."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from ..commands import PATIENCE, NoAnswer, within
from ..host import Host
from .nvidia_driver import expect_driver
from .reading import Device, DriverFault, NoDevice, Reading


def read(host: Host) -> Reading:
    """All devices that the driver knows.

    Raises NoDevice without a driver, DriverFault for one that does not work, NoAnswer where the
    package is missing or the driver does not answer in time.
    """
    expect_driver(host)
    try:
        nvml = importlib.import_module("pynvml")
    except ImportError:
        raise NoAnswer("NVML needs `pip install traindx[gpu]`") from None
    return within(PATIENCE, "NVML", lambda: _read(nvml, host.system))


def _read(nvml: Any, system: str) -> Reading:
    try:
        nvml.nvmlInit()
    except nvml.NVMLError as error:
        raise _no_start(nvml, error, system) from None
    try:
        devices, troubles = [], []
        for index in range(nvml.nvmlDeviceGetCount()):
            try:
                devices.append(_device(nvml, index))
            except nvml.NVMLError as error:
                troubles.append(f"GPU {index}: {error}")
        cuda = _optional(nvml, nvml.nvmlSystemGetCudaDriverVersion)
        return Reading(
            "NVML",
            tuple(devices),
            driver=_text(_optional(nvml, nvml.nvmlSystemGetDriverVersion)),
            cuda=f"{cuda // 1000}.{cuda % 1000 // 10}" if cuda else None,
            troubles=tuple(troubles),
        )
    except nvml.NVMLError as error:
        raise DriverFault(f"NVML: {error}") from None
    finally:
        nvml.nvmlShutdown()


def _no_start(nvml: Any, error: Any, system: str) -> Exception:
    """What it means that the library does not start."""
    if error.value == nvml.NVML_ERROR_DRIVER_NOT_LOADED:
        return NoDevice(f"no NVIDIA driver: {error}")
    if error.value == nvml.NVML_ERROR_LIBRARY_NOT_FOUND:
        # A container may be given the devices without this library; elsewhere it comes with the driver.
        return NoAnswer(f"NVML: {error}") if system == "linux" else NoDevice(f"no NVIDIA driver: {error}")
    return DriverFault(f"NVML: {error}")


def _device(nvml: Any, index: int) -> Device:
    handle = nvml.nvmlDeviceGetHandleByIndex(index)
    memory = _memory(nvml, handle)
    rates = _optional(nvml, nvml.nvmlDeviceGetUtilizationRates, handle)
    capability = _optional(nvml, nvml.nvmlDeviceGetCudaComputeCapability, handle)
    running = _optional(nvml, nvml.nvmlDeviceGetComputeRunningProcesses, handle)
    return Device(
        name=_text(nvml.nvmlDeviceGetName(handle)) or "unknown",
        number=index,
        uuid=_text(_optional(nvml, nvml.nvmlDeviceGetUUID, handle)) or "",
        total=memory and memory.total,
        free=memory and memory.free,
        used=memory and memory.used,
        utilization=None if rates is None else float(rates.gpu),
        capability=None if capability is None else f"{capability[0]}.{capability[1]}",
        processes=None if running is None else tuple(one.pid for one in running),
        ecc_errors=_ecc_errors(nvml, handle),
    )


def _memory(nvml: Any, handle: Any) -> Any:
    """Total, free and used. The older call counts what the driver keeps for itself as used."""
    version = getattr(nvml, "nvmlMemory_v2", None)
    memory = version and _optional(nvml, nvml.nvmlDeviceGetMemoryInfo, handle, version)
    return memory or _optional(nvml, nvml.nvmlDeviceGetMemoryInfo, handle)


def _ecc_errors(nvml: Any, handle: Any) -> int | None:
    uncorrected = getattr(nvml, "NVML_MEMORY_ERROR_TYPE_UNCORRECTED", 1)
    since_loaded = getattr(nvml, "NVML_VOLATILE_ECC", 0)
    count = _optional(nvml, nvml.nvmlDeviceGetTotalEccErrors, handle, uncorrected, since_loaded)
    return None if count is None else int(count)


def _optional(nvml: Any, ask: Callable[..., Any], *arguments: Any) -> Any:
    """What NVML says, or None where this device, driver or user may not ask."""
    try:
        return ask(*arguments)
    except nvml.NVMLError:
        return None


def _text(value: str | bytes | None) -> str | None:
    """Older versions of the package give bytes."""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value
