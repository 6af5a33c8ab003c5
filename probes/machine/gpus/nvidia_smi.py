"""The program that comes with NVIDIA's driver."""

from __future__ import annotations

import re

from traindx.engine.regex import regex

from .. import commands
from ..commands import NoAnswer
from ..host import Host
from .nvidia_driver import driver_version, expect_driver
from .reading import Device, DriverFault, NoDevice, Reading

_FIELDS = (
    "index", "uuid", "name", "memory.total", "memory.used", "memory.free", "utilization.gpu", "driver_version",
    "ecc.errors.uncorrected.volatile.total", "compute_cap",
)  # fmt: skip
_LATE = "compute_cap"
"""Drivers before 470 do not know this field, and refuse the whole question."""
_ROW = regex(r"[0-9]+, GPU-")
_MEBIBYTE = 1 << 20


def read(host: Host) -> Reading:
    """All devices that nvidia-smi lists.

    Raises NoDevice without a driver, DriverFault for one that does not work, NoAnswer where the
    program is missing or does not answer in time.
    """
    expect_driver(host)
    program = commands.find("nvidia-smi", host)
    if program is None:
        if host.system == "windows":
            raise NoDevice("no NVIDIA driver: nvidia-smi, which comes with it, is not there")
        raise NoAnswer("nvidia-smi is not there")
    code, output = _query(program, host, _FIELDS)
    if code and _LATE in output:
        code, output = _query(program, host, tuple(one for one in _FIELDS if one != _LATE))
    if "No devices were found" in output:
        raise NoDevice("nvidia-smi finds no devices")
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    rows = [dict(zip(_FIELDS, line.split(", "), strict=False)) for line in lines if _ROW.match(line)]
    if code or not rows:
        raise DriverFault(lines[0][:300] if lines else f"nvidia-smi ended with {code}")
    troubles = tuple(line[:300] for line in lines if not _ROW.match(line))
    devices = _with_processes(tuple(map(_device, rows)), program, host)
    driver = _value(rows[0], "driver_version") or driver_version(host)
    return Reading("nvidia-smi", devices, driver, _cuda(program, host), troubles=troubles)


def _query(program: str, host: Host, fields: tuple[str, ...]) -> tuple[int, str]:
    command = [program, f"--query-gpu={','.join(fields)}", "--format=csv,noheader,nounits"]
    return commands.run(command, host)


def _device(row: dict[str, str]) -> Device:
    memory = {key: _number(row, f"memory.{key}") for key in ("total", "used", "free")}
    total, used, free = (None if size is None else int(size * _MEBIBYTE) for size in memory.values())
    index, errors = _number(row, "index"), _number(row, "ecc.errors.uncorrected.volatile.total")
    return Device(
        name=_value(row, "name") or "unknown",
        number=int(index or 0),
        uuid=_value(row, "uuid") or "",
        total=total,
        free=free,
        used=used,
        utilization=_number(row, "utilization.gpu"),
        capability=_value(row, _LATE),
        ecc_errors=None if errors is None else int(errors),
    )


def _with_processes(devices: tuple[Device, ...], program: str, host: Host) -> tuple[Device, ...]:
    """The devices with the processes that compute on them, where the program tells."""
    try:
        code, output = commands.run(
            [program, "--query-compute-apps=gpu_uuid,pid", "--format=csv,noheader,nounits"], host
        )
    except NoAnswer:
        return devices
    if code:
        return devices
    pairs = [line.split(", ") for line in output.splitlines()]
    running = [(pair[0], int(pair[1])) for pair in pairs if len(pair) == 2 and pair[1].strip().isdecimal()]
    return tuple(
        one._replace(processes=tuple(pid for uuid, pid in running if uuid == one.uuid)) for one in devices
    )


def _cuda(program: str, host: Host) -> str | None:
    """The CUDA version, which stands only in the head of the plain table."""
    try:
        _, output = commands.run([program], host)
    except NoAnswer:
        return None
    found = re.search(r"CUDA Version: ([0-9]+\.[0-9]+)", output)
    return found[1] if found else None


def _value(row: dict[str, str], field: str) -> str | None:
    """A value, or None for `[N/A]`, `[Not Supported]` and the like."""
    value = row.get(field, "").strip()
    return value if value and not value.startswith("[") and value != "N/A" else None


def _number(row: dict[str, str], field: str) -> float | None:
    value = _value(row, field)
    return float(value) if value and re.fullmatch(r"[0-9]{1,12}(?:\.[0-9]{1,6})?", value) else None
