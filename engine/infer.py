"""From facts to ranked causes: prior odds times likelihood ratios, kept in decibans."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from .facts import Facts
from .kb.knowledge import Knowledge
from .kb.rules import TELLING, CauseRule, Weights
from .weigh import Weighed, weigh_all


class Ranked(NamedTuple):
    """A cause with all that speaks for and against it."""

    cause: CauseRule
    prior: float
    """Decibans before any evidence."""
    decibans: float
    """Decibans with all evidence."""
    confidence: float
    """From 0 to 1."""
    verdict: str
    evidence: tuple[Weighed, ...]
    unknown: tuple[str, ...]
    """Facts that its undecided evidence asks for and that are not known."""


def rank(
    knowledge: Knowledge,
    facts: Facts,
    symptoms: Mapping[str, float],
    hints: Mapping[str, Weighed] = MappingProxyType({}),
) -> list[Ranked]:
    """Every cause in question, the most likely first.

    `symptoms` holds how sure each symptom is, from 0 to 1; one that a person names is 1, `hints` a line of
    evidence for some causes beside those of their rules. Causes are not exclusive: each is judged on its own.
    Ties are broken by the prior, then by id, so that the same facts always give the same order.
    """
    causes = _in_question(knowledge, facts, symptoms, hints)
    ranked = [judge(cause, facts, symptoms, knowledge.weights, hints.get(cause.id)) for cause in causes]
    ranked.sort(key=lambda one: (-one.decibans, -one.prior, one.cause.id))
    ranked = _since_something_is(ranked, symptoms, knowledge.weights)
    ranked = _led(_explaining_first(ranked, symptoms, knowledge.weights), symptoms, knowledge.weights)
    ranked = _by_words_alone(_beside_rivals(ranked, knowledge.weights), knowledge.weights)
    return _explaining_first(ranked, symptoms, knowledge.weights)


def _led(ranked: list[Ranked], symptoms: Mapping[str, float], weights: Weights) -> list[Ranked]:
    """With what it says for the first that it is the first, where some evidence made it so."""
    first, rest = ranked[:1], ranked[1:]
    sure = weights.leads * max(symptoms.values(), default=0.0)
    return [
        _with_confidence(one, one.confidence + sure * (1 - one.confidence), weights)
        if one.decibans > one.prior and _explains(one, symptoms)
        else one
        for one in first
    ] + rest


def _beside_rivals(ranked: list[Ranked], weights: Weights) -> list[Ranked]:
    """Of two causes that are both likely one is often wrong: each is less sure for the other, unless it is confirmed, and likely still."""

    def less_sure(one: Ranked) -> Ranked:
        if one.confidence < weights.likely or one.verdict == "confirmed":
            return one
        rival = max((other.confidence for other in ranked if other is not one), default=0.0)
        less = one.confidence * (1 - weights.rivals * rival**2)
        return one._replace(confidence=max(weights.likely, less))

    return [less_sure(one) for one in ranked]


def _by_words_alone(ranked: list[Ranked], weights: Weights) -> list[Ranked]:
    """Whatever else was ruled out: what speaks for a cause by words alone is right no more often than this."""
    most = weights.by_words_alone
    return [
        one._replace(confidence=most) if one.confidence > most and _is_hinted(one.evidence) else one
        for one in ranked
    ]


def _is_hinted(evidence: tuple[Weighed, ...]) -> bool:
    """Whether nothing but hints speaks for a cause."""
    return all(one.hint for one in evidence if one.decibans > 0)


def _explaining_first(ranked: list[Ranked], symptoms: Mapping[str, float], weights: Weights) -> list[Ranked]:
    """A cause that can bring no symptom that is seen may be true, and explains nothing.

    It comes after the likely ones that explain something, and where it is not likely itself, after all that do.
    """

    def place(one: Ranked) -> tuple[bool, bool, float]:
        return one.confidence < weights.likely, not _explains(one, symptoms), -one.confidence

    return sorted(ranked, key=place)


def _since_something_is(
    ranked: list[Ranked], symptoms: Mapping[str, float], weights: Weights
) -> list[Ranked]:
    """The confidences, given that each symptom has a cause: one of these that can bring it, several, or something else.

    Judged alone, all of them may be wrong. That is ruled out as far as the symptom is sure, so a
    cause that stands alone gains much, and one among many equals little. What is sure to bring one symptom
    says nothing of another that it cannot bring: where a rank ran out of memory and the others hang, both have a cause.
    """
    none = {
        symptom: sure
        * (1 - weights.something_else)
        * math.prod(1 - one.confidence for one in ranked if symptom in one.cause.symptoms)
        for symptom, sure in symptoms.items()
    }

    def since(one: Ranked) -> Ranked:
        most = max((none[symptom] for symptom in none if symptom in one.cause.symptoms), default=0.0)
        return _with_confidence(one, one.confidence / (1 - most), weights) if most else one

    return [since(one) for one in ranked]


def _explains(one: Ranked, symptoms: Mapping[str, float]) -> bool:
    """Whether it can bring one of the symptoms that are seen, if any are."""
    return not symptoms or not symptoms.keys().isdisjoint(one.cause.symptoms)


def _with_confidence(one: Ranked, confidence: float, weights: Weights) -> Ranked:
    return one._replace(confidence=confidence, verdict=verdict_of(confidence, one.evidence, weights))


def _in_question(
    knowledge: Knowledge, facts: Facts, symptoms: Mapping[str, float], hints: Iterable[str]
) -> list[CauseRule]:
    """The causes that a symptom that is seen can have, and those that telling evidence or a hint brings up by itself."""
    by_symptom, by_fact = knowledge.asked_by["symptom"], knowledge.asked_by["fact"]
    listed = {name for symptom in symptoms for name in by_symptom.get(symptom, ())}
    asking = {name for fact in ("", *facts.not_false()) for name in by_fact.get(fact, ())} - listed
    told = {name for name in asking if _is_told(knowledge.causes[name], facts)}
    return [knowledge.causes[name] for name in sorted(listed | told | set(hints))]


def _is_told(cause: CauseRule, facts: Facts) -> bool:
    return any(line.rule.of(facts) is True for line in cause.evidence if line.supports in TELLING)


def judge(
    cause: CauseRule,
    facts: Facts,
    symptoms: Mapping[str, float],
    weights: Weights,
    hint: Weighed | None = None,
) -> Ranked:
    """One cause against the facts, as if there were no other."""
    prior = to_decibans(_prior(cause, symptoms, weights))
    evidence = weigh_all(cause.evidence, facts, weights) + ((hint,) if hint else ())
    total = prior + math.fsum(one.decibans for one in evidence)
    confidence = to_probability(total)
    verdict = verdict_of(confidence, evidence, weights)
    return Ranked(cause, prior, total, confidence, verdict, evidence, _unknown(evidence, facts))


def _unknown(evidence: tuple[Weighed, ...], facts: Facts) -> tuple[str, ...]:
    known = facts.known
    undecided = [one.rule.rule.names for one in evidence if one.outcome is None]
    return tuple(dict.fromkeys([name for names in undecided for name in names if name not in known]))


def _prior(cause: CauseRule, symptoms: Mapping[str, float], weights: Weights) -> float:
    """How often the cause is behind what is seen: of several symptoms, the one that points to it most.

    Where no symptom is seen, as with a script alone, what telling evidence brings up is rare.
    """
    if not symptoms:
        return weights.priors["rare"]
    listed = (sure * cause.priors[symptom] for symptom, sure in symptoms.items() if symptom in cause.symptoms)
    return max(max(listed, default=0.0), weights.unlisted)


def verdict_of(confidence: float, evidence: tuple[Weighed, ...], weights: Weights) -> str:
    """Confirmed needs decisive evidence: many weak hints make a cause likely, never certain.

    Likely needs more than that a text reads like it.
    """
    if confidence >= weights.confirmed and any(one.decisive and one.decibans > 0 for one in evidence):
        return "confirmed"
    if confidence >= weights.likely and not _is_hinted(evidence):
        return "likely"
    return "possible" if confidence >= weights.possible else "unlikely"


def to_decibans(probability: float) -> float:
    """Ten times the decimal logarithm of the odds (Good, 1950)."""
    return 10 * math.log10(probability / (1 - probability))


def to_probability(decibans: float) -> float:
    """The probability of odds given in decibans."""
    return 1 / (1 + 10 ** (-max(-300.0, min(300.0, decibans)) / 10))
