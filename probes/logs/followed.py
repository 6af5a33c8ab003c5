"""The probe that reads a log while it is written."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Event
from typing import cast

from traindx.engine.kb.knowledge import Knowledge
from traindx.engine.probe import Findings

from ..inputs import Input, Kind
from ..printed import PrintedSettings
from ..text import BLOCK
from .follow import Following
from .noticing import Noticed, Noticing
from .probe import LogProbe


class FollowedLog:
    """Follows one log until `stop` is set or nothing came for `patience` seconds, then gives its facts.

    It implements the Probe protocol. `say` is called with what is noticed on the way, `tell` with what happened
    to the file: it was rotated, or another run began to write into it. What is kept does not grow with the log.
    """

    id = "logs"
    cost = 0.0
    asked_for = True

    def __init__(
        self,
        path: Path,
        kind: Kind,
        knowledge: Knowledge,
        *,
        stop: Event,
        say: Callable[[Noticed], None],
        tell: Callable[[str], None],
        patience: float | None = None,
    ) -> None:
        self._path, self._kind, self._knowledge = path, kind, knowledge
        self._stop, self._say, self._tell, self._patience = stop, say, tell, patience
        self._probe = LogProbe([Input(str(path), kind)], knowledge)

    @property
    def gives(self) -> frozenset[str]:
        """What any log gives."""
        return self._probe.gives

    @property
    def printed_settings(self) -> Sequence[PrintedSettings]:
        """The settings that the log prints."""
        return self._probe.printed_settings

    def run(self) -> Findings:
        """Follow. Where another run takes the file over, what went before is forgotten."""
        while True:
            noticing = Noticing(self._knowledge, self._say)
            with Following(self._path, self._stop, noticing.idle, self._patience) as following:
                stream = io.BufferedReader(following, BLOCK)
                source = Input(str(self._path), self._kind, stream=cast("io.BufferedReader", stream))
                self._probe = LogProbe([source], self._knowledge, noticing=noticing)
                findings = self._probe.run()
                noticing.look()
                if not following.found:
                    findings.inputs = [
                        one._replace(note="there is no such file yet") for one in findings.inputs
                    ]
                if following.rotated:
                    findings.notes.append(f"{self._path}: rotated; line numbers count on from the first file")
            if not following.restarted or self._stop.is_set():
                return findings
            self._tell(f"{self._path} was cut short: another run writes into it, and is read from its start")
