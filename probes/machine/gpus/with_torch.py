"""What torch sees, asked in a Python process of its own: there it may hang, crash or hold memory."""

from __future__ import annotations

import json
import os
import sys
from typing import Any

from .. import commands
from ..commands import NoAnswer
from ..host import Host
from .reading import Device, NoDevice, Reading

SECONDS = 20.0
"""Importing torch from a cold disk and starting its devices takes some seconds."""
_SCRIPT = """
import json, torch
found = []
for name in ("cuda", "xpu"):
    api = getattr(torch, name, None)
    for index in range(api.device_count() if api is not None and api.is_available() else 0):
        device = api.get_device_properties(index)
        free, total = api.mem_get_info(index) if name == "cuda" else (None, device.total_memory)
        capability = f"{device.major}.{device.minor}" if name == "cuda" and not torch.version.hip else None
        found.append(dict(name=device.name, total=total, free=free, capability=capability))
mps = getattr(torch.backends, "mps", None)
if not found and mps is not None and mps.is_available():
    found.append(dict(name="Apple silicon", total=None, free=None, capability=None))
print("found:" + json.dumps(found))
"""


def read(host: Host) -> Reading:
    """All devices that torch can use.

    Raises NoDevice where it can use none, NoAnswer where it is missing or does not answer in time.
    """
    if not any(os.path.isfile(os.path.join(folder, "torch", "version.py")) for folder in host.search_path):
        raise NoAnswer("torch is not installed beside traindx")
    # -P keeps a torch.py of the working directory from being imported.
    code, output = commands.run([sys.executable, "-P", "-c", _SCRIPT], host, SECONDS)
    answer = next((line[6:] for line in reversed(output.splitlines()) if line.startswith("found:")), None)
    if code or answer is None:
        raise NoAnswer(
            f"torch failed: {output.strip().splitlines()[-1][:200] if output.strip() else f'exit code {code}'}"
        )
    devices = tuple(_device(index, one) for index, one in enumerate(json.loads(answer)))
    if not devices:
        raise NoDevice("torch sees no accelerator")
    return Reading("torch", devices, only_visible=True)


def _device(index: int, one: dict[str, Any]) -> Device:
    total, free = one["total"], one["free"]
    used = None if total is None or free is None else total - free
    return Device(one["name"], index, total=total, free=free, used=used, capability=one["capability"])
