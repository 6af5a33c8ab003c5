"""Lists of packages: requirements.txt, pip freeze, pip list, conda environments, pyproject.toml."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from traindx.engine.regex import regex

_PART = regex(r"\d+|[a-z]+")
_REQUIREMENT = regex(
    r"^(?P<name>[A-Za-z0-9][\w.\-]*)(?:\[[^\]]*\])?[ \t]*(?:\([^)]*\))?[ \t]*(?P<sign>===?|~=|>=|<=|!=|>|<|=|@|$|;|#)[ \t]*(?P<version>[\w.+!*\-]*)"
)
_COLUMNS = regex(r"^(?P<name>[A-Za-z_][\w.\-]*)[ \t]{1,80}(?P<version>v?\d[\w.+!\-]*)(?:[ \t]|$)")
_EXACT = ("==", "===", "=")
_SAME = {
    "pytorch": "torch",
    "pytorch_gpu": "torch",
    "pytorch_cuda": "cuda",
    "cudatoolkit": "cuda",
    "cuda_version": "cuda",
}
_CUDA_BUILD = regex(r"\+cu(\d{2,3})|cuda(\d+\.\d+)|_cuda(\d{3})")
_NAME = regex(
    r"(?i)^(?:requirements|constraints)[\w.-]*\.(?:txt|in)$|^(?:environment|conda)[\w.-]*\.(?:ya?ml|txt)$|"
    r"^(?:pip|conda)[-_ ]?(?:freeze|list)[\w.-]*$|^pyproject\.toml$"
)


class Package(NamedTuple):
    """A package and the version asked for or installed."""

    name: str
    """Normalised: lower case with underscores; `pytorch` is `torch`."""
    version: str
    """Empty where none is given."""
    exact: bool
    at: int
    """Where it stands in the text."""
    build: str = ""


def is_package_list(name: str) -> bool:
    """Whether a file's name says that it lists packages."""
    return bool(_NAME.search(name.rsplit("/", 1)[-1]))


def read_packages(text: str) -> Iterator[Package]:
    """The packages of any such list, line by line. What is no package is passed over."""
    at, section = 0, ""
    for line in text.splitlines(keepends=True):
        start = at
        at += len(line)
        bare = line.strip()
        if bare.endswith(":"):
            section = bare[:-1].lstrip("- ")
        if section == "channels":
            continue
        # `- python=3.9` in a conda environment, `"torch==2.1",` in pyproject.toml.
        inner = bare.removeprefix("-").strip().strip("\"',").strip()
        if not inner or bare.startswith(("#", "--", "[", "name:", "prefix:", "channels:", "//")):
            continue
        if package := _package(inner, start + line.index(inner)):
            yield package


def _package(text: str, at: int) -> Package | None:
    found = _REQUIREMENT.match(text)
    if found and (found["version"] or found["sign"] in ("", ";", "#")) and found["sign"] != "@":
        rest = text[found.end() :]
        if found["sign"] == "=" and rest.startswith((" ", '"')):
            return None
        build = rest.lstrip("=").split(";")[0].strip() if rest.startswith("=") else ""
        version = found["version"] if found["sign"] not in ("<", "<=", "!=", ";", "#") else ""
        return Package(normal(found["name"]), version.rstrip(".*"), found["sign"] in _EXACT, at, build)
    if columns := _COLUMNS.match(text):
        build = text[columns.end() :].strip().split(" ")[0]
        return Package(normal(columns["name"]), columns["version"], True, at, build)
    return None


def normal(name: str) -> str:
    """`PyTorch-CUDA` as `pytorch_cuda`, and the import names of what is called differently elsewhere."""
    plain = re.sub(r"[-.]+", "_", name.lower())
    return _SAME.get(plain, plain)


def cuda_of(package: Package) -> str:
    """The CUDA version that a version or build names: 12.1 for `2.2.2+cu121`; empty where there is none."""
    if package.name == "cuda":
        return package.version
    found = (
        _CUDA_BUILD.search(f"{package.version} {package.build}") if package.name.startswith("torch") else None
    )
    if not found:
        return ""
    digits = next(one for one in found.groups() if one)
    return digits if "." in digits else f"{digits[:-1]}.{digits[-1]}"


def compare(one: str, other: str) -> int:
    """Order two versions as far as the shorter one goes: below 0, 0, above 0."""
    parts = [
        [
            (part.isdigit(), int(part) if part.isdigit() else 0)
            for part in _PART.findall(text.lower().split("+")[0])
        ]
        for text in (one, other)
    ]
    for first, second in zip(*parts, strict=False):
        if first != second:
            return -1 if first < second else 1
    return 0
