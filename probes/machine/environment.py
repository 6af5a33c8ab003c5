"""The probe of the software and resources of this machine."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from traindx.engine.kb.knowledge import Knowledge
from traindx.engine.probe import Findings

from . import capacity, python, storage, surroundings, variables
from .host import Host
from .observed import Observed

_FIXED = (
    *python.PACKAGES, *python.TORCH, *surroundings.SURROUNDINGS, *capacity.CORES, *capacity.MEMORY,
    *capacity.LIMITS, *storage.SHARED, *storage.DISK, *storage.NETWORK,
)  # fmt: skip


@dataclass(slots=True)
class EnvironmentProbe:
    """What is installed on the machine that diagnoses, and what a process may use of it.

    `output` is where the run writes and `data` where its data lies, as its configuration says;
    the working directory counts where nothing else is known. Imports nothing that it looks at.
    """

    knowledge: Knowledge
    output: Path | None = None
    data: Path | None = None
    asked_for: bool = False
    host: Host = field(default_factory=Host)
    id: str = "environment"
    cost: float = 0.02
    """Seconds: some dozen small files and the names in the folders of installed packages."""

    @property
    def gives(self) -> frozenset[str]:
        """The facts it can give."""
        return frozenset(_FIXED) | variables.variable_facts(self.knowledge)

    def run(self) -> Findings:
        """Look at everything; what cannot be seen keeps nothing else from being seen."""
        seen, host = Observed(), self.host
        for facts, observe in self._parts(host, seen):
            try:
                observe()
            except Exception as error:
                # A system we have not met must not end the diagnosis; its words become the reason.
                seen.cannot(facts, f"could not be read: {error}")
        return seen.findings

    def _parts(self, host: Host, seen: Observed) -> Iterable[tuple[Iterable[str], Callable[[], None]]]:
        here = python.environment(host)
        yield python.PACKAGES, lambda: python.observe_packages(here, self.knowledge.packages, seen)
        yield python.TORCH, lambda: python.observe_torch(here, host, seen)
        yield variables.VARIABLES, lambda: variables.observe_variables(host, self.knowledge, seen)
        yield surroundings.SURROUNDINGS, lambda: surroundings.observe_surroundings(host, seen)
        yield capacity.CORES, lambda: capacity.observe_cores(host, seen)
        yield capacity.MEMORY, lambda: capacity.observe_memory(host, seen)
        yield capacity.LIMITS, lambda: capacity.observe_limits(host, seen)
        yield storage.SHARED, lambda: storage.observe_shared_memory(host, seen)
        yield storage.DISK, lambda: storage.observe_disk(self.output or Path(), seen)
        yield storage.NETWORK, lambda: storage.observe_network_storage(host, self.data, seen)
