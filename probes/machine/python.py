"""The Python environment that trains: its packages by name and version, and how its torch was built.

Nothing of it is imported: versions stand in the names of folders, torch's build in a small file.
"""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from traindx.engine.kb.rules import PackageRule

from .host import Host
from .observed import Observed

PACKAGES = ("env.python", "env.package.*")
TORCH = ("env.cuda", "env.rocm", "env.torch_is_cpu_build", "env.cudnn", "env.cuda_toolkit")
_METADATA = re.compile(r"(?P<name>.+?)-(?P<version>[0-9][^-]*)(?:-py[0-9.]+)?\.(?:dist|egg)-info")
_LONGEST_VERSION_FILE = 1 << 16
"""torch/version.py has some ten lines."""


@dataclass(frozen=True, slots=True)
class Environment:
    """One Python environment."""

    name: str
    python: str
    folders: Sequence[str]
    """Where its packages lie, in the order Python looks."""


def environment(host: Host) -> Environment:
    """The environment to look at: the one that we run in, else the one that the shell has activated.

    Installed on its own (as pipx does it), we would see only ourselves.
    """
    ours = Environment(host.prefix, host.python, [one for one in host.search_path if os.path.isabs(one)])
    active = host.environ.get("VIRTUAL_ENV") or host.environ.get("CONDA_PREFIX") or ""
    if _torch_folder(ours.folders) or not os.path.isabs(active) or os.path.realpath(active) == os.path.realpath(host.prefix):
        return ours
    folders = sorted(map(str, (*Path(active).glob("lib/python3*/site-packages"), *Path(active).glob("Lib/site-packages"))))
    return Environment(active, _python_of(active, folders) or host.python, folders) if folders else ours


def _python_of(prefix: str, folders: Sequence[str]) -> str:
    """The version that a virtual environment notes, else that of its folder: `python3.11`."""
    try:
        noted = Path(prefix, "pyvenv.cfg").read_text(encoding="utf-8", errors="replace")[:4096]
    except OSError:
        noted = ""
    found = re.search(r"(?m)^version(?:_info)? ?= ?([0-9]+\.[0-9]+(?:\.[0-9]+)?)", noted)
    found = found or re.search(r"python([0-9]+\.[0-9]+)", folders[0])
    return found[1] if found else ""


def installed(folders: Iterable[str]) -> dict[str, str]:
    """Every installed distribution under its normalised name, and its version.

    Where several folders hold one, the first counts, as it does for Python.
    """
    versions: dict[str, str] = {}
    for folder in folders:
        try:
            names = os.listdir(folder)
        except OSError:
            continue
        for name in sorted(names):
            if match := _METADATA.fullmatch(name):
                versions.setdefault(re.sub(r"[-_.]+", "-", match["name"]).lower(), match["version"])
    return versions


def observe_packages(here: Environment, wanted: Mapping[str, PackageRule], seen: Observed) -> None:
    """The Python version, and those of the packages worth knowing."""
    versions = installed(here.folders)
    seen.tell("env.python", here.python, here.name)
    for name, package in wanted.items():
        if name in versions:
            seen.tell(package.fact, versions[name], f"{name} in {here.name}")
        else:
            seen.cannot(package.fact, f"{name} is not installed in {here.name}")
    for name in sorted(versions):
        if name.startswith("nvidia-cudnn"):
            seen.tell("env.cudnn", versions[name], f"{name} in {here.name}")
            break


def observe_torch(here: Environment, host: Host, seen: Observed) -> None:
    """What torch was built for, and which CUDA toolkit is installed beside it."""
    _observe_toolkit(host, seen)
    seen.cannot("env.cudnn", "no cuDNN distribution is installed; torch may bring its own")
    build, source = _build(here.folders)
    if not build:
        seen.cannot(TORCH, f"torch is not installed in {here.name}")
        return
    if "env.package.torch" not in {fact.name for fact in seen.findings.facts} and build.get("__version__"):
        seen.tell("env.package.torch", str(build["__version__"]), source)
    for fact, key, what in (("env.cuda", "cuda", "CUDA"), ("env.rocm", "hip", "ROCm")):
        if version := build.get(key):
            seen.tell(fact, version, source)
        seen.cannot(fact, f"the installed torch was built without {what}")
    if host.system == "darwin":
        seen.cannot("env.torch_is_cpu_build", "on macOS torch is never built with CUDA")
    elif "cuda" in build:
        seen.tell("env.torch_is_cpu_build", not any(build.get(key) for key in ("cuda", "hip", "xpu")), source)
    seen.cannot(TORCH, f"{source} does not tell")


def _torch_folder(folders: Iterable[str]) -> str | None:
    return next((path for one in folders if os.path.isfile(path := os.path.join(one, "torch", "version.py"))), None)


def _build(folders: Iterable[str]) -> tuple[dict[str, str | None], str]:
    """The texts that torch/version.py assigns, and the file; empty where there is no torch."""
    path = _torch_folder(folders)
    if path is None:
        return {}, ""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            tree = ast.parse(file.read(_LONGEST_VERSION_FILE))
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return {}, path
    build: dict[str, str | None] = {}
    for node in tree.body:
        targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        value = getattr(node, "value", None)
        if isinstance(value, ast.Constant) and (value.value is None or isinstance(value.value, str)):
            build.update((target.id, value.value) for target in targets if isinstance(target, ast.Name))
    return build, path


def _observe_toolkit(host: Host, seen: Observed) -> None:
    """The version of the CUDA toolkit that extensions would be compiled with."""
    for folder in (host.environ.get("CUDA_HOME"), host.environ.get("CUDA_PATH"), "/usr/local/cuda"):
        for name in ("version.json", "version.txt"):
            text = host.read(f"{folder}/{name}") if folder else None
            pattern = r'"cuda" ?: ?\{[^}]{0,200}"version" ?: ?"([0-9.]+)"' if name.endswith("json") else r"CUDA Version ([0-9.]+)"
            if text and (found := re.search(pattern, text)):
                seen.tell("env.cuda_toolkit", found[1], f"{folder}/{name}")
                return
    seen.cannot("env.cuda_toolkit", "no CUDA toolkit is installed; torch brings what it needs to run")
