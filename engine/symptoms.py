"""Which symptom is it? Named by a person, in any of its names, or detected from the evidence."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import NamedTuple

from .facts import Fact, Facts, Origin, Place
from .infer import rank, to_decibans, to_probability
from .kb.knowledge import Knowledge
from .kb.rules import SymptomRule
from .weigh import Weighed, weigh_all

DETECTED = 0.5
"""A symptom this sure counts as seen."""


class UnknownSymptom(ValueError):
    """A symptom nobody knows. The message names the nearest ids."""


class Seen(NamedTuple):
    """A symptom: whether a person named it, and what in the evidence shows it."""

    symptom: SymptomRule
    given: bool
    confidence: float
    """How sure the evidence alone makes it, from 0 to 1."""
    evidence: tuple[Weighed, ...]

    @property
    def detected(self) -> bool:
        """Whether the evidence shows it."""
        return self.confidence >= DETECTED


def find_symptom(word: str, knowledge: Knowledge) -> str:
    """The id for what a person typed: an id, or one of its aliases, in any case and spacing.

    Raises UnknownSymptom with the nearest ids.
    """
    names = {_plain(name): symptom.id for symptom in knowledge.symptoms.values() for name in symptom.aliases}
    names |= {_plain(name): name for name in knowledge.symptoms}
    if (found := names.get(_plain(word))) is not None:
        return found
    import difflib

    close = difflib.get_close_matches(_plain(word), names, n=6, cutoff=0.5)
    ids = list(dict.fromkeys(names[name] for name in close))[:3] or sorted(knowledge.symptoms)
    raise UnknownSymptom(f"there is no symptom `{word}`; nearest: {', '.join(ids)}")


def _plain(word: str) -> str:
    return re.sub(r"[\s_-]+", "-", word.strip().lower())


def see_symptoms(knowledge: Knowledge, facts: Facts, given: tuple[str, ...]) -> list[Seen]:
    """Every symptom that a person named or the evidence shows: named ones first, then the surest."""
    looked = (_look(symptom, knowledge, facts, given) for symptom in knowledge.symptoms.values())
    seen = [one for one in looked if one.given or one.detected]
    return sorted(seen, key=lambda one: (not one.given, -one.confidence, one.symptom.id))


def _look(symptom: SymptomRule, knowledge: Knowledge, facts: Facts, given: tuple[str, ...]) -> Seen:
    evidence = weigh_all(symptom.detect, facts, knowledge.weights)
    total = to_decibans(knowledge.weights.symptom) + math.fsum(one.decibans for one in evidence)
    return Seen(symptom, symptom.id in given, to_probability(total), evidence)


def imply_symptom(knowledge: Knowledge, facts: Facts) -> list[Seen]:
    """Where no symptom is named or sure: the one that hints and the likely causes together point to.

    Where a run is in trouble a possible cause suffices; else the cause must be likely: most configurations and scripts are sound. A run
    that was watched shows its symptoms itself: what is silent there is a silent fault.
    """
    if facts.value("log.watched_steps"):
        return []
    weights = knowledge.weights
    causes = rank(knowledge, facts, {})
    hints = [_look(symptom, knowledge, facts, ()) for symptom in knowledge.symptoms.values()]
    enough = weights.possible if in_trouble(facts) else weights.likely
    surest = max([one.confidence for one in causes[:1]] + [one.confidence for one in hints], default=0.0)
    if surest < enough:
        return []

    def odds(one: Seen) -> float:
        own = one.confidence / (1 - one.confidence)
        name = one.symptom.id
        shown = (
            each.confidence * weights.priors[each.cause.symptoms[name]]
            for each in causes
            if name in each.cause.symptoms
        )
        return own + own / weights.symptom * math.fsum(shown) * weights.priors[one.symptom.silent]

    best = max(hints, key=lambda one: (odds(one), one.symptom.id))
    shows = tuple(line for line in best.evidence if line.decibans > 0)
    return [best._replace(confidence=DETECTED, evidence=shows)]


def in_trouble(facts: Facts) -> bool:
    """Whether something is wrong for certain: a person describes the run, or it ended with an exception."""
    return bool(facts.value("log.prose") or facts.value("log.exception.type"))


def certainty(seen: list[Seen]) -> Mapping[str, float]:
    """How sure each symptom is: those that a person named are certain, and then only they count."""
    given = {one.symptom.id: 1.0 for one in seen if one.given}
    return given or {one.symptom.id: one.confidence for one in seen}


def note_symptoms(facts: Facts, seen: list[Seen]) -> None:
    """Make the symptoms facts, so that rules may ask for them."""
    for one in seen:
        name = f"symptom.{one.symptom.id.replace('-', '_')}"
        places = tuple(place for line in one.evidence if line.decibans > 0 for place in line.places)[:1]
        origin = Origin.ANSWER if one.given else Origin.DERIVED
        if name not in facts:
            facts.add(Fact(name, True, origin, places or (Place("--symptom"),)))
