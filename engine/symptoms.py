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
    seen = []
    for symptom in knowledge.symptoms.values():
        evidence = weigh_all(symptom.detect, facts, knowledge.weights)
        total = to_decibans(knowledge.weights.symptom) + math.fsum(one.decibans for one in evidence)
        one = Seen(symptom, symptom.id in given, to_probability(total), evidence)
        if one.given or one.detected:
            seen.append(one)
    return sorted(seen, key=lambda one: (not one.given, -one.confidence, one.symptom.id))


def imply_symptom(knowledge: Knowledge, facts: Facts) -> list[Seen]:
    """Where no symptom is named or seen: the one that the causes the evidence speaks for most often show as.

    A script alone must make some cause likely; where a person describes a run, something is wrong
    with it, and a possible cause suffices.
    """
    weights = knowledge.weights
    ranked = rank(knowledge, facts, {})
    enough = weights.possible if facts.value("log.prose") else weights.likely
    if not ranked or ranked[0].confidence < enough:
        return []

    def score(symptom: SymptomRule) -> float:
        shown = (
            one.confidence * weights.priors[one.cause.symptoms[symptom.id]]
            for one in ranked
            if symptom.id in one.cause.symptoms
        )
        own = math.fsum(one.decibans for one in weigh_all(symptom.detect, facts, weights))
        return math.fsum(shown) * weights.priors[symptom.silent] * 10 ** (own / 10)

    best = max(knowledge.symptoms.values(), key=lambda symptom: (score(symptom), symptom.id))
    return [Seen(best, given=False, confidence=DETECTED, evidence=())]


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
