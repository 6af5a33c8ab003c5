"""The probe of the software and resources of this machine."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TypeAlias

from traindx.engine.kb.knowledge import Knowledge
from traindx.engine.probe import Findings

from . import capacity, python, storage, surroundings, torch_build, variables
from .commands import PATIENCE, NoAnswer, within
from .host import Host
from .observed import Observed

Part: TypeAlias = tuple[Iterable[str], Callable[[Observed], None]]
"""The facts that looking at one thing may give, and the looking."""


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
        return frozenset(fact for facts, _ in self._parts() for fact in facts)

    def run(self) -> Findings:
        """Look at everything; what cannot be seen keeps nothing else from being seen."""
        seen = Observed()
        for facts, look in self._parts():
            part = Observed()
            try:
                # A folder on a server that is gone blocks for ever.
                within(PATIENCE, "the system", partial(look, part))
            except NoAnswer as silence:
                part = Observed()
                part.cannot(facts, str(silence))
            except Exception as error:  # noqa: BLE001 - a system nobody has met; its words are the reason
                part.cannot(facts, f"could not be read: {error}")
            seen.take(part)
        return seen.findings

    def _parts(self) -> Iterable[Part]:
        host, knowledge = self.host, self.knowledge
        yield python.PACKAGES, lambda seen: python.observe_packages(host, knowledge.packages, seen)
        yield torch_build.TORCH, lambda seen: torch_build.observe_torch(host, seen)
        yield torch_build.TOOLKIT, lambda seen: torch_build.observe_toolkit(host, seen)
        yield (
            variables.variable_facts(knowledge),
            lambda seen: variables.observe_variables(host, knowledge, seen),
        )
        yield surroundings.SURROUNDINGS, lambda seen: surroundings.observe_surroundings(host, seen)
        yield capacity.CORES, lambda seen: capacity.observe_cores(host, seen)
        yield capacity.MEMORY, lambda seen: capacity.observe_memory(host, seen)
        yield capacity.LIMITS, lambda seen: capacity.observe_limits(host, seen)
        yield storage.SHARED, lambda seen: storage.observe_shared_memory(host, seen)
        yield storage.DISK, lambda seen: storage.observe_disk(self.output or Path(), seen)
        yield storage.NETWORK, lambda seen: storage.observe_network_storage(host, self.data, seen)
