"""Which symptom is it? Named by a person, in any of its names, or detected from the evidence."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from .facts import Fact, Facts, Origin, Place
from .infer import Ranked, rank, to_decibans, to_probability
from .kb.knowledge import Knowledge
from .kb.rules import SymptomRule, Weights
from .resemblance import Likeness, likenesses
from .weigh import Weighed, reads_like, weigh_all

DETECTED = 0.5
"""A symptom this sure counts as seen."""
CLEAR = 0.9
"""Where the second nearest symptom is no nearer than this share of the nearest, words alone hint at which one it is. Below
0.7 nine in ten came out right, up to here one in two, and beyond it one in four; of the causes no fewer came out right."""


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
    # What is told of a run that is praised, and that nobody complains of, shows no symptom.
    if facts.value("log.contentment") and not facts.value("log.exception.type") and symptom.id not in given:
        evidence = tuple(one for one in evidence if one.decibans <= 0 or not _is_told(one, facts))
    total = to_decibans(knowledge.weights.symptom) + math.fsum(one.decibans for one in evidence)
    return Seen(symptom, symptom.id in given, to_probability(total), evidence)


def imply_symptom(knowledge: Knowledge, facts: Facts) -> list[Seen]:
    """Where no symptom is named or sure: the one that hints and the likely causes together point to.

    What a person writes is compared with how people tell of each symptom, if it tells of trouble at all. Where a run is
    in trouble a possible cause suffices; else the cause must be likely: most configurations and scripts are sound. A run
    that was watched shows its symptoms itself: what is silent there is a silent fault.
    """
    if facts.value("log.watched_steps"):
        return []
    weights = knowledge.weights
    causes = rank(knowledge, facts, {})
    hints = [_look(symptom, knowledge, facts, ()) for symptom in knowledge.symptoms.values()]
    trouble = bool(facts.value("log.complaint") or facts.value("log.exception.type"))
    enough = weights.possible if trouble else weights.likely
    surest = max([one.confidence for one in causes[:1]] + [one.confidence for one in hints], default=0.0)
    told = _told(knowledge, facts) if trouble else {}
    if surest < enough and not _is_clear(told, weights):
        return []
    hints = _with_told(hints, told, facts, weights)
    # What the evidence makes likely shows itself: words alone point past none of its symptoms.
    own = {name for each in causes[:1] if each.confidence >= weights.likely for name in each.cause.symptoms}
    open_ = [one for one in hints if one.symptom.id in own or _is_shown(one)] if own else hints
    run = any(fact.origin in (Origin.LOG, Origin.PROSE) for fact in facts)
    best = max(open_ or hints, key=lambda one: (_odds(one, causes, weights, run=run), one.symptom.id))
    shows = tuple(line for line in best.evidence if line.decibans > 0)
    return [best._replace(confidence=DETECTED, evidence=shows)]


def _odds(one: Seen, causes: Sequence[Ranked], weights: Weights, *, run: bool) -> float:
    """The odds of a symptom: its own, and what each cause that brings it adds to them. A run that was seen would show a loud one."""
    own, name = one.confidence / (1 - one.confidence), one.symptom.id
    shown = (
        each.confidence * weights.priors[each.cause.symptoms[name]]
        for each in causes
        if name in each.cause.symptoms
    )
    met = weights.priors[one.symptom.met] / weights.priors["common"]
    unseen = weights.priors[one.symptom.silent] if run else 1.0
    return own + own / weights.symptom * math.fsum(shown) * met * unseen


def _with_told(hints: list[Seen], told: Mapping[str, Likeness], facts: Facts, weights: Weights) -> list[Seen]:
    """The symptoms with what words say for each. A rule knows better than words what a sentence tells.

    Where one hears a symptom, words only tell such apart.
    """
    heard = {one.symptom.id for one in hints if _is_said(one, facts)}
    return [
        one if heard and one.symptom.id not in heard else _with_words(one, told, facts, weights)
        for one in hints
    ]


def _told(knowledge: Knowledge, facts: Facts) -> dict[str, Likeness]:
    """How much what a person wrote reads like each symptom."""
    prose = facts.value("log.prose")
    if not isinstance(prose, tuple):
        return {}
    return likenesses(prose, knowledge.symptom_words, frozenset(knowledge.symptoms))


def _is_clear(told: Mapping[str, Likeness], weights: Weights) -> bool:
    """Whether one symptom stands out from the next, and by more than a word or two of any text."""
    shares = sorted((one.share for one in told.values()), reverse=True)
    enough = any(one.nearest >= weights.words_tell for one in told.values())
    return enough and (len(shares) == 1 or shares[1] <= CLEAR)


def _is_said(one: Seen, facts: Facts) -> bool:
    """Whether a rule hears a person tell of a symptom."""
    return any(line.decibans > 0 and _is_told(line, facts) for line in one.evidence)


def _is_told(line: Weighed, facts: Facts) -> bool:
    """Whether a line of evidence rests on what a person tells."""
    return any(_from_prose(name, facts) for name in line.facts)


def _is_shown(one: Seen) -> bool:
    """Whether anything but words speaks for a symptom."""
    return any(line.decibans > 0 and not line.hint for line in one.evidence)


def _from_prose(name: str, facts: Facts) -> bool:
    fact = facts.get(name)
    return name == "log.prose" or (fact is not None and fact.origin is Origin.PROSE)


def _with_words(one: Seen, told: Mapping[str, Likeness], facts: Facts, weights: Weights) -> Seen:
    """A symptom with what the words of a person say for it."""
    if one.symptom.id not in told:
        return one
    fact = facts.get("log.prose")
    line = reads_like(told[one.symptom.id], weights.resemblance, fact.places[:1] if fact else ())
    confidence = to_probability(to_decibans(one.confidence) + line.decibans)
    return one._replace(confidence=confidence, evidence=(*one.evidence, line))


def in_trouble(facts: Facts) -> bool:
    """Whether something is wrong for certain: a person describes the run, or it ended with an exception."""
    return bool(facts.value("log.prose") or facts.value("log.exception.type"))


def was_watched(facts: Facts) -> bool:
    """Whether the run was observed from inside, so that it was seen and not told of."""
    return "log.watched_steps" in facts


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
