"""Goal-directed gathering: the engine names the facts it needs, the cheapest probe that has them runs.

A probe whose input a person handed in always runs. Any other runs only while it could still
change the order of the causes or whether a fix may be offered, and while time is left.
"""

from __future__ import annotations

import math
import re
import time
from collections.abc import Iterable, Sequence

from .derive import derive
from .devices import add_device_facts
from .facts import Facts
from .infer import Ranked, rank
from .kb.knowledge import Knowledge
from .probe import Event, Findings, InputSeen, Probe
from .resemblance import likenesses
from .symptoms import Seen, certainty, imply_symptom, in_trouble, note_symptoms, see_symptoms, was_watched
from .weigh import Weighed, reads_like
from .worth import could_matter

BUDGET = 20.0
"""Seconds that probes nobody asked for may take in all."""


class Gathered:
    """All that the probes brought."""

    __slots__ = ("events", "excerpts", "facts", "inputs", "notes", "ran", "ranked", "seen", "skipped")

    def __init__(self, facts: Facts | None = None) -> None:
        self.facts = Facts() if facts is None else facts
        self.events: list[Event] = []
        self.inputs: list[InputSeen] = []
        self.notes: list[str] = []
        self.excerpts: list[str] = []
        self.ran: list[str] = []
        self.skipped: dict[str, str] = {}
        """Probe -> why it did not run."""
        self.seen: list[Seen] = []
        self.ranked: list[Ranked] = []
        """The causes in question, as far as what was gathered tells."""

    def take(self, probe: Probe, findings: Findings) -> None:
        """Add what one probe found."""
        self.ran.append(probe.id)
        self.facts.extend(findings.facts)
        for name, reason in findings.unknowable.items():
            self.facts.cannot_know(name, reason)
        self.events.extend(findings.events)
        self.inputs.extend(findings.inputs)
        self.notes.extend(findings.notes)
        self.excerpts.extend(findings.excerpts)

    def settle(self, knowledge: Knowledge, given: tuple[str, ...]) -> None:
        """Draw what follows from the facts: derived facts, symptoms, and what those bring."""
        add_device_facts(self.facts, knowledge)
        derive(self.facts, knowledge)
        self.seen = see_symptoms(knowledge, self.facts, given) or imply_symptom(knowledge, self.facts)
        note_symptoms(self.facts, self.seen)
        derive(self.facts, knowledge)
        sure = certainty(self.seen)
        self.ranked = rank(knowledge, self.facts, sure)
        trouble, weights = in_trouble(self.facts), knowledge.weights
        settled = weights.confirmed if trouble else weights.likely
        unsettled = not self.ranked or self.ranked[0].confidence < settled
        if unsettled and self.excerpts and self._tells_in_words() and (sure or trouble):
            self.ranked = rank(knowledge, self.facts, sure, self._hints(knowledge))

    def _tells_in_words(self) -> bool:
        """Whether there are words to go by: of a person, an exception, or a script or configuration handed in.

        A log of nothing but numbers has only the names of its columns, and the script of a watched run is no report.
        """
        handed_in = any(self.facts.value(name) for name in ("code.read", "config.files"))
        return in_trouble(self.facts) or (handed_in and not was_watched(self.facts))

    def _words_of_this_run(self, knowledge: Knowledge) -> Iterable[str]:
        """What was handed in, without what libraries print with every error of a kind, whatever its cause."""
        always = knowledge.phrases.get("printed-always")
        return (re.sub(always, " ", text) for text in self.excerpts) if always else self.excerpts

    def _hints(self, knowledge: Knowledge) -> dict[str, Weighed]:
        """The causes that the text reads like: of the symptoms that a person named, or else of all."""
        given = [one.symptom.id for one in self.seen if one.given]
        of_symptom = knowledge.asked_by["symptom"]
        causes = {cause for name in given for cause in of_symptom.get(name, ())} or set(knowledge.causes)
        found = likenesses(self._words_of_this_run(knowledge), knowledge.page_words, frozenset(causes))
        weights = knowledge.weights
        # Who tells of a run or hands in its exception chose the words; settings and scripts have them for other reasons.
        # Words that alone made the symptom are not counted in full again.
        shown = any(one.given or any(not line.hint for line in one.evidence) for one in self.seen)
        most = weights.resemblance if in_trouble(self.facts) and shown else weights.resemblance_of_files
        # A word or two are shared with some page by chance.
        shared = max((one.nearest for one in found.values()), default=0)
        if shared < weights.words_in_full:
            most *= math.sqrt(shared / weights.words_in_full)
        return {name: reads_like(one, most) for name, one in found.items()}


def gather(
    knowledge: Knowledge,
    probes: Sequence[Probe],
    given: tuple[str, ...],
    facts: Facts,
    budget: float = BUDGET,
    wanted: frozenset[str] = frozenset(),
) -> Gathered:
    """Run the probes that are worth it, those asked for in the order given, and derive what follows.

    A probe that may give one of the `wanted` facts is worth it whatever the causes are.
    """
    result = Gathered(facts)
    for probe in probes:
        if probe.asked_for:
            result.take(probe, _run(probe))
    result.settle(knowledge, given)
    waiting = [one for one in probes if not one.asked_for]
    left = budget
    while waiting:
        mattering = [
            one for one in waiting if could_matter(one, result.ranked, result.facts, knowledge, wanted)
        ]
        if not mattering:
            for one in waiting:
                result.skipped[one.id] = "nothing it could tell would change the answer"
            break
        probe = min(mattering, key=lambda one: one.cost)
        waiting.remove(probe)
        if probe.cost > left:
            result.skipped[probe.id] = f"it takes about {probe.cost:.0f} s and {left:.0f} s were left"
        else:
            start = time.monotonic()
            result.take(probe, _run(probe))
            left -= time.monotonic() - start
            result.settle(knowledge, given)
    return result


def _run(probe: Probe) -> Findings:
    """One probe that breaks must not take the others' answers with it."""
    try:
        return probe.run()
    except Exception as error:  # noqa: BLE001 - said to the person, in full
        return Findings(
            notes=[f"the probe of {probe.id} broke, a fault of traindx: {type(error).__name__}: {error}"]
        )
