"""Goal-directed gathering: the engine names the facts it needs, the cheapest probe that has them runs.

A probe whose input a person handed in always runs. Any other runs only while it could still
change the order of the causes or whether a fix may be offered, and while time is left.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from .derive import derive
from .devices import add_device_facts
from .facts import Facts, Origin
from .infer import Ranked, rank, to_decibans, to_probability, verdict_of
from .kb.knowledge import Knowledge
from .kb.rules import DerivationRule, EvidenceRule, Weights
from .probe import Event, Findings, InputSeen, Probe
from .symptoms import Seen, certainty, imply_symptom, note_symptoms, see_symptoms

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

    def settle(self, knowledge: Knowledge, given: tuple[str, ...]) -> None:
        """Draw what follows from the facts: derived facts, symptoms, and what those bring."""
        add_device_facts(self.facts, knowledge)
        derive(self.facts, knowledge)
        self.seen = see_symptoms(knowledge, self.facts, given) or imply_symptom(knowledge, self.facts)
        note_symptoms(self.facts, self.seen)
        derive(self.facts, knowledge)
        self.ranked = rank(knowledge, self.facts, certainty(self.seen))


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
        matters = {one.id: _matters(one, result, knowledge, wanted) for one in waiting}
        probe = min(waiting, key=lambda one: (not matters[one.id], one.cost))
        waiting.remove(probe)
        if not matters[probe.id]:
            result.skipped[probe.id] = "nothing it could tell would change the answer"
        elif probe.cost > left:
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
    wanted = _given(probe, result.facts, knowledge)
    if wanted & asked:
        return True
    contenders = [one for one in ranked[:_CONTENDERS] if one.decibans > ranked[0].decibans - _REACH]
    # What nobody handed in is read off this machine, which may not be the one that trained.
    elsewhere = result.facts.of_a_run
    trust = knowledge.weights.trust["elsewhere" if elsewhere else Origin.HERE]
    return _could_reorder(contenders, wanted, knowledge.weights, trust) or (
        not elsewhere and _decides_a_fix(contenders, wanted, knowledge)
    )


def _given(probe: Probe, facts: Facts, knowledge: Knowledge) -> frozenset[str]:
    """The unknown facts a probe may give, and those that may follow from them."""
    prefixes = tuple(name[:-1] for name in probe.gives if name.endswith(".*"))
    wanted = {name for name in probe.gives if name not in facts}
    wanted |= {
        name for name in knowledge.facts if prefixes and name.startswith(prefixes) and name not in facts
    }
    following = {
        rule.name for rule in knowledge.derived if rule.name not in facts and _rests_on(rule.derive, wanted)
    }
    return frozenset(wanted | following)


def _rests_on(ways: Iterable[DerivationRule], names: set[str]) -> bool:
    return any(part.needs & names for way in ways for part in (way.when, way.expression) if part is not None)


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


def _decides_a_fix(contenders: Sequence[Ranked], wanted: frozenset[str], knowledge: Knowledge) -> bool:
    conditions = (
        knowledge.fixes[fix].when
        for one in contenders
        if one.verdict != "unlikely"
        for fix in one.cause.fixes
    )
    return any(when.needs & wanted for when in conditions if when is not None)
