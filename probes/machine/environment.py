"""The probe of the software and resources of this machine."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from traindx.engine.kb.knowledge import Knowledge
from traindx.engine.probe import Findings

from .gives import ENVIRONMENT, variable_facts

if TYPE_CHECKING:
    from .host import Host


class EnvironmentProbe:
    """What is installed on the machine that diagnoses, and what a process may use of it.

    `output` is where the run writes and `data` where its data lies, as its configuration says;
    the working directory counts where nothing else is known. Imports nothing that it looks at.
    """

    id = "environment"
    asked_for = False
    cost = 0.02
    """Seconds: some dozen small files and the names in the folders of installed packages."""

    def __init__(
        self,
        knowledge: Knowledge,
        output: Path | None = None,
        data: Path | None = None,
        host: Host | None = None,
    ) -> None:
        self._knowledge, self._output, self._data, self._host = knowledge, output, data, host

    @property
    def gives(self) -> frozenset[str]:
        """The facts it can give."""
        return frozenset(ENVIRONMENT) | variable_facts(self._knowledge)

    def run(self) -> Findings:
        """Look at everything; what cannot be seen keeps nothing else from being seen."""
        from .commands import PATIENCE, NoAnswer, within
        from .host import Host
        from .observed import Observed
        from .parts import parts

        seen = Observed()
        for facts, look in parts(self._host or Host(), self._knowledge, self._output, self._data):
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
