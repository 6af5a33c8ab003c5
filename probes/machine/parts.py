"""What there is to look at on this machine, part by part."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeAlias

from traindx.engine.kb.knowledge import Knowledge

from . import capacity, gives, python, storage, surroundings, torch_build, variables
from .host import Host
from .observed import Observed

Part: TypeAlias = tuple[Iterable[str], Callable[[Observed], None]]
"""The facts that looking at one thing may give, and the looking."""


def parts(host: Host, knowledge: Knowledge, output: Path | None, data: Path | None) -> Iterable[Part]:
    """Everything to look at; `output` and `data` are the folders of the run, where they are known."""
    yield gives.PACKAGES, lambda seen: python.observe_packages(host, knowledge.packages, seen)
    yield gives.TORCH, lambda seen: torch_build.observe_torch(host, seen)
    yield gives.TOOLKIT, lambda seen: torch_build.observe_toolkit(host, seen)
    yield gives.variable_facts(knowledge), lambda seen: variables.observe_variables(host, knowledge, seen)
    yield gives.SURROUNDINGS, lambda seen: surroundings.observe_surroundings(host, seen)
    yield gives.CORES, lambda seen: capacity.observe_cores(host, seen)
    yield gives.MEMORY, lambda seen: capacity.observe_memory(host, seen)
    yield gives.LIMITS, lambda seen: capacity.observe_limits(host, seen)
    yield gives.SHARED, lambda seen: storage.observe_shared_memory(host, seen)
    yield gives.DISK, lambda seen: storage.observe_disk(output or Path(), seen)
    yield gives.NETWORK, lambda seen: storage.observe_network_storage(host, data, seen)
