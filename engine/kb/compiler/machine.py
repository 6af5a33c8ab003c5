"""Devices, packages and variables to their compiled form."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..scope import PACKAGE, Scope
from ..validate import Located
from .parts import Compilers, Stored


def package_fact(name: str) -> str:
    """The fact that holds a distribution's version: `env.package.flash_attn` for `flash-attn`."""
    return PACKAGE + name.replace("-", "_")


def _device(scope: Scope, entry: Located) -> Stored:
    device = entry.model
    _check_facts(scope, entry)
    return {
        "title": device.title,
        "brand": device.brand,
        "facts": device.facts,
        "memory": _sizes(device.memory),
        "laptop": _sizes(device.laptop),
    }


def _sizes(memory: Mapping[str, Any]) -> Stored:
    return {model: sizes if isinstance(sizes, list) else [sizes] for model, sizes in memory.items()}


def _package(scope: Scope, entry: Located) -> Stored:
    return {"fact": package_fact(entry.id), "means": entry.model.means}


def _variable(scope: Scope, entry: Located) -> Stored:
    variable = entry.model
    if variable.fact:
        scope.fact(entry, ("fact",), variable.fact)
    _check_facts(scope, entry)
    return {"means": variable.means, "fact": variable.fact or "", "facts": variable.facts}


def _check_facts(scope: Scope, entry: Located) -> None:
    for fact, value in entry.model.facts.items():
        scope.value(entry, ("facts", fact), fact, value)


def facts_of(section: Stored) -> Stored:
    """The facts that devices and variables may give."""
    return {
        "device": sorted({fact for one in section["device"].values() for fact in one["facts"]}),
        "variable": sorted(
            {fact for one in section["variable"].values() for fact in (*one["facts"], one["fact"]) if fact}
        ),
    }


MACHINE: Compilers = {
    "device": _device, "package": _package, "variable": _variable,
}  # fmt: skip
