"""From probes to a diagnosis: gather, infer, choose tests and fixes, and describe it all."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from .describe import describe
from .diagnosis import Diagnosis
from .facts import Fact, Facts
from .fixes import Offer, offers, worth_trying
from .gather import BUDGET, Gathered, gather
from .infer import Ranked
from .kb.knowledge import Knowledge
from .next_tests import NextTest, next_tests
from .probe import Probe


class Reasoned(NamedTuple):
    """The diagnosis and what it rests on, for explanations and further questions."""

    diagnosis: Diagnosis
    gathered: Gathered
    ranked: Sequence[Ranked]
    tests: Sequence[NextTest]
    offers: Sequence[Offer]
    """Those of every cause that is at least possible: more than are shown, as a person may name any."""


def diagnose(
    knowledge: Knowledge,
    probes: Sequence[Probe],
    *,
    symptoms: tuple[str, ...] = (),
    answers: Iterable[Fact] = (),
    budget: float = BUDGET,
    version: str = "",
    top: int = 10,
    wanted: frozenset[str] = frozenset(),
) -> Reasoned:
    """Diagnose what the probes can see.

    `symptoms` are ids; where empty, they are detected. `answers` are facts a person gave. `top`
    is how many causes the diagnosis lists, `wanted` are facts to look for whatever the causes are. The
    same inputs give the same diagnosis.
    """
    facts = Facts()
    facts.extend(answers)
    gathered = gather(knowledge, probes, symptoms, facts, budget, wanted)
    return conclude(knowledge, gathered, version=version, top=top)


def answered(reasoned: Reasoned, knowledge: Knowledge, symptoms: tuple[str, ...], answer: Fact) -> Reasoned:
    """The diagnosis with one more fact. No probe runs again."""
    gathered = reasoned.gathered
    gathered.facts.add(answer)
    gathered.settle(knowledge, symptoms)
    before = reasoned.diagnosis
    return conclude(knowledge, gathered, version=before.version, top=len(before.causes))


def conclude(knowledge: Knowledge, gathered: Gathered, *, version: str, top: int) -> Reasoned:
    """Reason over what was gathered, and write it down."""
    ranked = gathered.ranked
    tests = next_tests(ranked, gathered.facts, knowledge)
    # Where nothing is wrong and no cause is likely, there is nothing to change.
    wrong = bool(gathered.seen) or any(one.verdict in ("confirmed", "likely") for one in ranked[:1])
    offered = offers(ranked, gathered.facts, knowledge) if wrong else []
    shown = worth_trying(offered, ranked, knowledge.weights)
    diagnosis = describe(knowledge, gathered, ranked[:top], tests, shown, version=version)
    return Reasoned(diagnosis, gathered, ranked, tests, offered)
