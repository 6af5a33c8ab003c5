"""What was gathered and reasoned, as the diagnosis shows it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .diagnosis import (
    SCHEMA,
    CauseFound,
    ChangedSetting,
    Diagnosis,
    Evidence,
    FactFound,
    FixOffered,
    Guide,
    GuideStep,
    SymptomFound,
    TestToRun,
)
from .facts import Fact, Facts, Origin
from .fixes import Offer
from .gather import Gathered
from .infer import Ranked
from .kb.knowledge import Knowledge
from .next_tests import NextTest
from .not_seen import not_seen
from .symptoms import Seen
from .timeline import timeline
from .weigh import Weighed
from .wording import fill, show

_WORTH_SAYING_GIB = 0.1


def describe(
    knowledge: Knowledge,
    gathered: Gathered,
    causes: Sequence[Ranked],
    tests: Sequence[NextTest],
    offered: Sequence[Offer],
    *,
    version: str,
) -> Diagnosis:
    """Write a diagnosis down: plain records that hold all that a report shows, best causes first."""
    return Diagnosis(
        schema=SCHEMA,
        version=version,
        outcome=_outcome(causes, gathered.seen),
        symptoms=tuple(_symptom(one) for one in gathered.seen),
        causes=tuple(_cause(one, gathered.facts, knowledge, gathered.seen) for one in causes),
        next_tests=tuple(_test(one) for one in tests),
        fixes=tuple(fix_offered(one, gathered.facts) for one in offered),
        procedure=_procedure(knowledge, gathered),
        timeline=timeline(gathered),
        facts=tuple(_fact(one, knowledge) for one in gathered.facts if _worth_listing(one, knowledge)),
        inputs=tuple(gathered.inputs),
        not_seen=not_seen(gathered),
        notes=tuple(dict.fromkeys(gathered.notes)),
        packs=knowledge.packs,
    )


def _outcome(ranked: Sequence[Ranked], seen: Sequence[Seen]) -> str:
    # What a text only reads like may stand before a likely cause, and is none.
    if any(one.verdict in ("confirmed", "likely") for one in ranked):
        return "cause-found"
    return "symptom-only" if any(one.detected for one in seen) else "nothing-found"


def _symptom(one: Seen) -> SymptomFound:
    symptom = one.symptom
    confidence = round(one.confidence, 3)
    return SymptomFound(
        symptom.id, symptom.title, one.given, one.detected, confidence, _evidence(one.evidence)
    )


def _cause(one: Ranked, facts: Facts, knowledge: Knowledge, seen: Sequence[Seen]) -> CauseFound:
    # What a person can find out comes first; what symptom there is, they have said or cannot say.
    unknown = [
        name for name in one.unknown if not name.startswith("symptom.") and _can_be(name, facts, knowledge)
    ]
    unknown.sort(key=lambda name: name not in knowledge.facts or not knowledge.facts[name].ask)
    return CauseFound(
        id=one.cause.id,
        title=one.cause.title,
        family=one.cause.family,
        confidence=round(one.confidence, 3),
        verdict=one.verdict,
        decibans=round(one.decibans, 1),
        prior_decibans=round(one.prior, 1),
        evidence=_evidence(one.evidence),
        unknown=tuple(unknown),
        fixes=one.cause.fixes,
        explains=tuple(symptom.symptom.id for symptom in seen if symptom.symptom.id in one.cause.symptoms),
        is_mistake=one.cause.is_mistake,
    )


def _can_be(name: str, facts: Facts, knowledge: Knowledge) -> bool:
    """Whether what the fact is about happened: of a NaN that nobody saw, no step is unknown."""
    rule = knowledge.facts.get(name)
    return rule is None or rule.supposes is None or rule.askable(facts)


def _evidence(lines: Iterable[Weighed]) -> tuple[Evidence, ...]:
    """The lines that count, those that say most first, and a likeness of words last."""
    counted = [one for one in lines if one.decibans]
    counted.sort(key=lambda one: (one.hint, -abs(one.decibans)))
    return tuple(
        Evidence(one.statement, round(one.decibans, 1), one.facts, one.places, one.hint, one.rule.is_mistake)
        for one in counted
    )


def _test(one: NextTest) -> TestToRun:
    fact = one.fact
    return TestToRun(fact.name, fact.ask, fact.measure, fact.minutes, round(one.gain, 4), one.splits)


def fix_offered(one: Offer, facts: Facts) -> FixOffered:
    """A fix as a report shows it."""
    fix = one.fix
    return FixOffered(
        id=fix.id,
        title=fix.title,
        safety=fix.safety,
        effort_minutes=fix.effort_minutes,
        causes=one.causes,
        expect=fill(fix.expect, facts),
        why=fill(fix.why, facts),
        proviso=one.proviso,
        gives_gib=_gives(one, facts),
        settings=tuple(ChangedSetting(change.name, change.before, change.after) for change in one.settings),
        by_hand=one.notes,
        command=fill(fix.command, facts),
        steps=tuple(fill(step, facts) for step in fix.steps),
        take_back_when=fix.take_back_when,
        take_back_steps=fix.take_back_steps,
    )


def _gives(one: Offer, facts: Facts) -> float | None:
    """The device memory that a fix gives back, where that can be reckoned and is worth a word."""
    gib = one.fix.gives(facts.value) if one.fix.gives is not None else None
    return round(gib, 1) if isinstance(gib, int | float) and gib >= _WORTH_SAYING_GIB else None


def _procedure(knowledge: Knowledge, gathered: Gathered) -> Guide | None:
    """The procedure for the first symptom that has one, with what is known already."""
    for one in gathered.seen:
        for guide in knowledge.procedures.values():
            if one.symptom.id in guide.symptoms:
                steps = tuple(
                    GuideStep(
                        step.do,
                        step.minutes,
                        step.fact,
                        step.tells,
                        _known(step.fact, gathered.facts, knowledge),
                    )
                    for step in guide.steps
                )
                return Guide(guide.id, guide.title, steps)
    return None


def _known(name: str, facts: Facts, knowledge: Knowledge) -> str:
    """What is known already, with what it means: a number alone tells nothing."""
    value = facts.value(name) if name else None
    if value is None:
        return ""
    rule = knowledge.facts.get(name)
    means, unit = (rule.means.rstrip("."), rule.unit) if rule else (name, "")
    return f"{means}: {show(value)}{f' {unit}' if unit else ''}"


def _fact(fact: Fact, knowledge: Knowledge) -> FactFound:
    declared = knowledge.facts.get(fact.name)
    places = fact.places
    return FactFound(
        fact.name, fact.value, declared.unit if declared else "", str(fact.origin), places, fact.note
    )


def _worth_listing(fact: Fact, knowledge: Knowledge) -> bool:
    """Hundreds of error texts that were not found say nothing to a reader."""
    if fact.value is not False:
        return True
    if fact.origin is Origin.LOG and fact.name in knowledge.once(_error_texts):
        return False
    declared = knowledge.facts.get(fact.name)
    return bool(declared and (declared.ask or fact.origin is Origin.ANSWER))


def _error_texts(knowledge: Knowledge) -> frozenset[str]:
    """The facts of what is looked for in logs. Nobody is asked for them, so their declarations need not be read."""
    return frozenset(knowledge.signature_facts.values())
