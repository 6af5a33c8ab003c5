"""AMD devices, from the kernel's files: the ones that rocm-smi prints, without starting it."""

from __future__ import annotations

from ..commands import PATIENCE, within
from ..host import Host, whole
from .reading import Device, NoDevice, Reading

_KFD = "/sys/class/kfd/kfd"


def read(host: Host) -> Reading:
    """All devices of the compute driver; a processor's own graphics is none.

    Raises NoDevice where there is no compute driver or no device of it, NoAnswer where the kernel
    does not answer in time.
    """
    if not host.has("/dev/kfd"):
        raise NoDevice("no AMD compute driver: /dev/kfd is missing")
    return within(PATIENCE, "the AMD driver", lambda: _read(host))


def _read(host: Host) -> Reading:
    devices = [
        _device(host, node)
        for node in sorted(host.names(f"{_KFD}/topology/nodes"), key=lambda one: (len(one), one))
    ]
    found = tuple(one for one in devices if one is not None)
    if not found:
        raise NoDevice(f"{_KFD} lists no device")
    numbered = tuple(one._replace(number=number) for number, one in enumerate(found))
    return Reading(_KFD, numbered, driver=(host.read("/sys/module/amdgpu/version") or "").strip() or None)


def _device(host: Host, node: str) -> Device | None:
    folder = f"{_KFD}/topology/nodes/{node}"
    lines = (line.split() for line in (host.read(f"{folder}/properties") or "").splitlines())
    properties = {parts[0]: whole(parts[1]) or 0 for parts in lines if len(parts) == 2}
    if not properties.get("simd_count") or properties.get("cpu_cores_count"):
        return None
    card = f"/sys/class/drm/renderD{properties.get('drm_render_minor', 0)}/device"
    total, used = host.number(f"{card}/mem_info_vram_total"), host.number(f"{card}/mem_info_vram_used")
    busy = host.number(f"{card}/gpu_busy_percent")
    product = (host.read(f"{card}/product_name") or "").strip()
    architecture = _architecture(properties.get("gfx_target_version", 0))
    return Device(
        name=" ".join(
            part for part in (product or "AMD", f"({architecture})" if product else architecture) if part
        ),
        uuid=f"GPU-{properties['unique_id']:016x}" if properties.get("unique_id") else "",
        total=total,
        used=used,
        free=None if total is None or used is None else total - used,
        utilization=None if busy is None else float(busy),
        processes=_processes(host, host.number(f"{folder}/gpu_id")),
    )


def _architecture(version: int) -> str:
    """`gfx90a` for 90010: two decimal digits each for the minor version and the stepping."""
    major, minor, stepping = version // 10000, version // 100 % 100, version % 100
    return f"gfx{major}{minor:x}{stepping:x}"


def _processes(host: Host, gpu: int | None) -> tuple[int, ...] | None:
    """The processes that hold memory of a device."""
    if gpu is None or not host.has(f"{_KFD}/proc"):
        return None
    numbers = (name for name in host.names(f"{_KFD}/proc") if name.isdecimal())
    return tuple(int(name) for name in numbers if host.number(f"{_KFD}/proc/{name}/vram_{gpu}"))
