"""How the installed torch was built, without importing it, and the CUDA toolkit beside it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from traindx.engine.regex import regex

from .gives import TORCH
from .host import Host
from .observed import Observed
from .python import environment, torch_version_file

_LONGEST = 1 << 16
"""Characters of torch/version.py that are read; it has some ten lines."""
_ASSIGNED = regex(
    r"^(?P<name>__version__|cuda|hip|xpu)\b[^=\n]{0,60}= ?(?:None|['\"](?P<text>[^'\"\n]{1,80})['\"])",
    re.MULTILINE,
)
"""`cuda: Optional[str] = '12.4'`"""


def observe_torch(host: Host, seen: Observed) -> None:
    """What torch was built for."""
    here = environment(host)
    path = torch_version_file(here.folders)
    if path is None:
        seen.cannot(TORCH, f"torch is not installed in {here.name}")
        return
    with open(path, encoding="utf-8", errors="replace") as file:
        build = {one["name"]: one["text"] for one in _ASSIGNED.finditer(file.read(_LONGEST))}
    if version := build.get("__version__"):
        seen.tell("env.package.torch", version, path)
    for fact, key, what in (("env.cuda", "cuda", "CUDA"), ("env.rocm", "hip", "ROCm")):
        if version := build.get(key):
            seen.tell(fact, version, path)
        seen.cannot(fact, f"the installed torch was built without {what}")
    _observe_kind(host.system, build, path, seen)


def _observe_kind(system: str, build: Mapping[str, str | None], path: str, seen: Observed) -> None:
    fact = "env.torch_is_cpu_build"
    if system == "darwin":
        seen.cannot(fact, "on macOS torch is never built with CUDA")
    elif "cuda" in build:
        seen.tell(fact, not any(build.get(key) for key in ("cuda", "hip", "xpu")), path)
    else:
        seen.cannot(fact, f"{path} does not tell")


def observe_toolkit(host: Host, seen: Observed) -> None:
    """The version of the CUDA toolkit that extensions would be compiled with."""
    for folder in (host.environ.get("CUDA_HOME"), host.environ.get("CUDA_PATH"), "/usr/local/cuda"):
        for name in ("version.json", "version.txt"):
            text = host.read(f"{folder}/{name}") if folder else None
            if text and (version := _toolkit_version(text)):
                seen.tell("env.cuda_toolkit", version, f"{folder}/{name}")
                return
    seen.cannot("env.cuda_toolkit", "no CUDA toolkit is installed; torch brings what it needs to run")


def _toolkit_version(text: str) -> str | None:
    """The version in `version.json`, or in the `version.txt` of CUDA 10 and before."""
    if found := re.match(r"CUDA Version ([0-9.]+)", text):
        return found[1]
    try:
        return str(json.loads(text)["cuda"]["version"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
