"""One diagnosis from its inputs: which probes there are, and how it is repeated."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, cast

from traindx import __version__
from traindx.engine.diagnose import Reasoned, answered, diagnose
from traindx.engine.diagnosis import Diagnosis
from traindx.engine.facts import Fact
from traindx.engine.kb.knowledge import Knowledge
from traindx.engine.probe import Probe
from traindx.engine.symptoms import UnknownSymptom, find_symptom
from traindx.probes.answers import BadAnswer, read_answers
from traindx.probes.discover import Found
from traindx.probes.registry import probes_for

from .errors import BadCall
from .progress import ProgressLine

if TYPE_CHECKING:
    from traindx.probes.configs.probe import ConfigProbe


class Session:
    """The knowledge, the inputs and the probes of one call.

    `wanted` are facts to look for whatever the causes are, `probes` those that are there already, such as that
    of a run that was watched; they run first.
    """

    def __init__(
        self,
        knowledge: Knowledge,
        found: Found,
        *,
        scan: Literal["auto", "full", "triage"] = "auto",
        machine: bool = True,
        budget: float = 20.0,
        top: int = 10,
        wanted: frozenset[str] = frozenset(),
        probes: Sequence[Probe] = (),
    ) -> None:
        self.knowledge, self.found = knowledge, found
        self.scan, self.machine, self.budget, self.top = scan, machine, budget, top
        self.wanted, self.probes = wanted, probes
        self.symptoms: tuple[str, ...] = ()
        self.configs: ConfigProbe | None = None

    def run(self, symptoms: Sequence[str], answers: Sequence[str]) -> Reasoned:
        """Diagnose.

        Raises BadCall for an unknown symptom, an answer that does not fit its fact, and where nothing
        of what was handed in can be read.
        """
        try:
            self.symptoms = tuple(dict.fromkeys(find_symptom(word, self.knowledge) for word in symptoms))
            given = read_answers(answers, self.knowledge)
        except (UnknownSymptom, BadAnswer) as error:
            raise BadCall(str(error)) from None
        with ProgressLine() as progress:
            probes = self._probes(progress)
            reasoned = diagnose(
                self.knowledge, probes, symptoms=self.symptoms, answers=given, budget=self.budget,
                version=__version__, top=self.top, wanted=self.wanted,
            )  # fmt: skip
        _refuse_unread(reasoned.diagnosis, self.found.notes)
        notes = (*self.found.notes, *reasoned.diagnosis.notes)
        return reasoned._replace(diagnosis=reasoned.diagnosis._replace(notes=notes, command=repeat()))

    def more(self, reasoned: Reasoned, fact: Fact) -> Reasoned:
        """The same diagnosis with one more answer."""
        again = answered(reasoned, self.knowledge, self.symptoms, fact)
        notes, command = reasoned.diagnosis.notes, reasoned.diagnosis.command
        return again._replace(diagnosis=again.diagnosis._replace(notes=notes, command=command))

    def _probes(self, progress: ProgressLine) -> list[Probe]:
        made = probes_for(
            self.found.inputs, self.knowledge, scan=self.scan, machine=self.machine, progress=progress
        )
        made = [*self.probes, *made]
        self.configs = cast("ConfigProbe | None", next((one for one in made if one.id == "configs"), None))
        return made


def _refuse_unread(diagnosis: Diagnosis, notes: Sequence[str]) -> None:
    """A diagnosis of nothing would look like a clean bill of health. `notes` say what was handed in and is no input."""
    if not diagnosis.found and all(one.bad for one in diagnosis.inputs):
        reasons = [f"{one.name}: {one.note}" for one in diagnosis.inputs] or notes
        if not reasons:
            return
        raise BadCall("\n  ".join(["nothing could be read", *reasons]))


def repeat() -> str:
    """The command line of this call."""
    return " ".join(["diagnose", *map(shlex.quote, sys.argv[1:])])
