"""The Python environment that trains, and its packages by name and version.

Nothing of it is imported: the versions stand in the names of folders.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from traindx.engine.kb.rules import PackageRule
from traindx.engine.regex import regex

from .host import Host
from .observed import Observed

_METADATA = regex(r"(?P<name>.+?)-(?P<version>[0-9][^-]*)(?:-py[0-9.]+)?\.(?:dist|egg)-info")


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
    if (
        torch_version_file(ours.folders)
        or not os.path.isabs(active)
        or os.path.realpath(active) == os.path.realpath(host.prefix)
    ):
        return ours
    found = (*Path(active).glob("lib/python3*/site-packages"), *Path(active).glob("Lib/site-packages"))
    folders = sorted({os.path.realpath(one) for one in found})
    return Environment(active, _python_of(active, folders) or host.python, folders) if folders else ours


def torch_version_file(folders: Iterable[str]) -> str | None:
    """The file in which torch says how it was built, or None where there is no torch."""
    return next(
        (path for one in folders if os.path.isfile(path := os.path.join(one, "torch", "version.py"))), None
    )


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


def observe_packages(host: Host, wanted: Mapping[str, PackageRule], seen: Observed) -> None:
    """The Python version, and those of the packages worth knowing."""
    here = environment(host)
    versions = installed(here.folders)
    seen.tell("env.python", here.python, here.name)
    for name, package in wanted.items():
        if name in versions:
            seen.tell(package.fact, versions[name], f"{name} in {here.name}")
        else:
            seen.cannot(package.fact, f"the versions of packages that are not installed in {here.name}")
    if cudnn := next((name for name in sorted(versions) if name.startswith("nvidia-cudnn")), None):
        seen.tell("env.cudnn", versions[cudnn], f"{cudnn} in {here.name}")
    seen.cannot("env.cudnn", "no cuDNN distribution is installed; torch may bring its own")
