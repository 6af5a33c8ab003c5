"""Goal-directed gathering: the engine names the facts it needs, the cheapest probe that has them runs.

A probe whose input a person handed in always runs. Any other runs only while it could still
change the order of the causes or whether a fix may be offered, and while time is left.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from .derive import derive
from .devices import add_device_facts
from .facts import Facts, Origin
from .infer import Ranked, rank, to_decibans, to_probability, verdict_of
from .kb.knowledge import Knowledge
from .kb.rules import EvidenceRule, FactRule, Rule, Weights
from .probe import Event, Findings, InputSeen, Probe
from .resemblance import likenesses
from .symptoms import Seen, certainty, imply_symptom, in_trouble, note_symptoms, see_symptoms
from .weigh import Weighed, reads_like

BUDGET = 20.0
"""Seconds that probes nobody asked for may take in all."""
_CONTENDERS = 10
"""The causes whose order matters to a person."""
_SURE = 1 - 1e-9
_REACH = 30.0
"""Decibans below the first beyond which a cause is out of the race."""


@dataclass(slots=True)
class Gathered:
    """All that the probes brought."""

    facts: Facts = field(default_factory=Facts)
    events: list[Event] = field(default_factory=list)
    inputs: list[InputSeen] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    excerpts: list[str] = field(default_factory=list)
    ran: list[str] = field(default_factory=list)
    skipped: dict[str, str] = field(default_factory=dict)
    """Probe -> why it did not run."""
    seen: list[Seen] = field(default_factory=list)
    ranked: list[Ranked] = field(default_factory=list)
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
        unsettled = not self.ranked or self.ranked[0].confidence < knowledge.weights.likely
        if unsettled and self.excerpts and (sure or in_trouble(self.facts)):
            self.ranked = rank(knowledge, self.facts, sure, self._hints(knowledge))

    def _hints(self, knowledge: Knowledge) -> dict[str, Weighed]:
        """The causes that the text reads like: of the symptoms that a person named, or else of all."""
        given = [one.symptom.id for one in self.seen if one.given]
        of_symptom = knowledge.asked_by["symptom"]
        causes = {cause for name in given for cause in of_symptom.get(name, ())} or set(knowledge.causes)
        found = likenesses(self.excerpts, knowledge.page_words, frozenset(causes))
        return {name: reads_like(one, knowledge.weights) for name, one in found.items()}


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
        mattering = [one for one in waiting if _matters(one, result, knowledge, wanted)]
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


def _matters(probe: Probe, result: Gathered, knowledge: Knowledge, asked: frozenset[str]) -> bool:
    ranked = result.ranked
    contenders = [one for one in ranked[:_CONTENDERS] if one.decibans > ranked[0].decibans - _REACH]
    # What nobody handed in is read off this machine, which may not be the one that trained.
    elsewhere = result.facts.of_a_run
    conditions = [] if elsewhere else _fix_conditions(contenders, knowledge)
    names = {name for one in contenders for name in one.unknown}.union(
        asked, *(one.needs for one in conditions)
    )
    wanted = _given(probe, names, result.facts, knowledge)
    if not wanted:
        return False
    trust = knowledge.weights.trust["elsewhere" if elsewhere else Origin.HERE]
    return (
        bool(wanted & asked)
        or any(one.needs & wanted for one in conditions)
        or _could_reorder(contenders, wanted, knowledge.weights, trust)
    )


def _given(probe: Probe, names: Iterable[str], facts: Facts, knowledge: Knowledge) -> frozenset[str]:
    """Those of some unknown facts that a probe may give, or that may follow from what it gives."""
    gives = probe.gives
    prefixes = tuple(name[:-1] for name in gives if name.endswith(".*"))
    rules = {rule.name: rule for rule in knowledge.derived}
    known: dict[str, bool] = {}

    def may_come(name: str) -> bool:
        if name not in known:
            known[name] = False  # a circle gives nothing
            known[name] = name not in facts and (
                name in gives
                or name.startswith(prefixes)
                or (name in rules and any(map(may_come, _premises(rules[name]))))
            )
        return known[name]

    return frozenset(filter(may_come, names))


def _premises(rule: FactRule) -> Iterator[str]:
    parts = (part for way in rule.derive for part in (way.when, way.expression) if part is not None)
    return (name for part in parts for name in part.names)


def _could_reorder(
    contenders: Sequence[Ranked], wanted: frozenset[str], weights: Weights, trust: float
) -> bool:
    """Whether the unknown facts could put some cause above one that now stands before it, or shake the first.

    `trust` is what facts that nobody handed in count.
    """
    spans = [_span(one, wanted, weights, trust) for one in contenders]
    for index, (above, (down, _)) in enumerate(zip(contenders, spans, strict=True)):
        for below, (_, up) in zip(contenders[index + 1 :], spans[index + 1 :], strict=True):
            if (down or up) and below.decibans + up >= above.decibans - down:
                return True
    return any(
        _shakes(one, down, up, weights) for one, (down, up) in zip(contenders[:1], spans, strict=False)
    )


def _shakes(one: Ranked, down: float, up: float, weights: Weights) -> bool:
    """Whether a cause could get another verdict."""
    now = to_decibans(min(one.confidence, _SURE))
    ends = (to_probability(now + change) for change in (-down, up))
    return len({verdict_of(end, one.evidence, weights) for end in ends} | {one.verdict}) > 1


def _span(one: Ranked, wanted: frozenset[str], weights: Weights, trust: float) -> tuple[float, float]:
    """How far a cause could still fall and rise."""
    down = up = 0.0
    for line in one.evidence:
        if line.outcome is None and line.rule.rule.needs & wanted:
            low, high = _bounds(line.rule, weights)
            down, up = down + low * trust, up + high * trust
    return down, up


def _bounds(rule: EvidenceRule, weights: Weights) -> tuple[float, float]:
    strengths = weights.strengths
    up = strengths[rule.supports] if rule.supports else 0.0
    down = max(
        strengths[rule.absent] if rule.absent else 0.0, strengths[rule.against] if rule.against else 0.0
    )
    return down, up


def _fix_conditions(contenders: Sequence[Ranked], knowledge: Knowledge) -> list[Rule]:
    """What decides whether the fixes of these causes may be offered."""
    fixes = (fix for one in contenders if one.verdict != "unlikely" for fix in one.cause.fixes)
    conditions = (knowledge.fixes[fix].when for fix in dict.fromkeys(fixes))
    return [when for when in conditions if when is not None]
