"""Which devices a process would see, and in which order: what `cuda:0` is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .reading import Device

_SELECTORS = ("CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES")


def visible(devices: Sequence[Device], environ: Mapping[str, str]) -> tuple[Device, ...]:
    """The devices that the variables leave visible, as CUDA and ROCm number them.

    As with CUDA, everything behind the first entry that names no device is invisible too.
    """
    ordered = list(devices)
    if environ.get("CUDA_DEVICE_ORDER", "FASTEST_FIRST") == "FASTEST_FIRST":
        ordered.sort(key=lambda one: [-int(part) for part in (one.capability or "0").split(".")])
    chosen = selector(environ)
    if chosen is None:
        return tuple(ordered)
    found: list[Device] = []
    for entry in chosen[1].split(","):
        device = _named(entry.strip(), ordered)
        if device is None:
            break
        found.append(device)
    return tuple(found)


def selector(environ: Mapping[str, str]) -> tuple[str, str] | None:
    """The variable that selects devices and its value, or None where none is set."""
    return next(((name, environ[name]) for name in _SELECTORS if name in environ), None)


def _named(entry: str, devices: Sequence[Device]) -> Device | None:
    """The device of an entry: a number, the beginning of its unique name, or a slice of it."""
    if entry.isdecimal():
        return devices[int(entry)] if len(entry) < 6 and int(entry) < len(devices) else None
    if entry.startswith("MIG-"):
        # Which device the slice belongs to is told by the old form of its name only.
        owners = [one for one in devices if one.uuid and one.uuid in entry] or list(devices)
        note = f"a slice of it ({entry}), whose memory is not read"
        return owners[0]._replace(total=None, free=None, used=None, note=note) if owners else None
    return next((one for one in devices if entry and one.uuid.startswith(entry)), None)
