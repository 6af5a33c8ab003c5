"""One line of evidence against the facts: did it hold, what does it say, and where does it stand?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from .conditions import witnesses
from .facts import Facts, Place
from .kb.rules import EvidenceRule, Rule, Weights
from .resemblance import Likeness
from .wording import fill

_PLACES = 3
"""How many places one line of evidence names."""


class Weighed(NamedTuple):
    """A line of evidence as it came out."""

    rule: EvidenceRule
    outcome: bool | None
    """None where the facts do not suffice."""
    decibans: float
    """What it adds; below zero speaks against."""
    statement: str
    facts: tuple[str, ...] = ()
    """The facts that decided it."""
    places: tuple[Place, ...] = ()
    decisive: bool = False
    hint: bool = False
    """It makes a cause worth a look, and never likely."""


_READS_LIKE = EvidenceRule(Rule("its words", "null", [], None), "", "", None, None, None)


def reads_like(likeness: Likeness, most: float, places: tuple[Place, ...] = ()) -> Weighed:
    """What it adds to a cause or a symptom that a text reads like what is known of it, at `most` so many decibans.

    All of the weight goes to the nearest page, and little to those that are far behind: the square of the share.
    """
    words = ", ".join(likeness.words)
    decibans = most * likeness.share**2
    statement = f"by its words alone it reads like this: {words}"
    return Weighed(_READS_LIKE, True, decibans, statement, places=places, hint=True)


def weigh_all(rules: Iterable[EvidenceRule], facts: Facts, weights: Weights) -> tuple[Weighed, ...]:
    """Every line of evidence, in the order of the rules."""
    known = facts.known
    # Of most lines nothing is known: they are told apart here, without a call for each.
    return tuple(
        [
            Weighed(line, None, 0.0, "")
            if (rule := line.rule).silent is None and known.isdisjoint(rule.needs)
            else weigh(line, facts, weights)
            for line in rules
        ]
    )


def weigh(evidence: EvidenceRule, facts: Facts, weights: Weights) -> Weighed:
    """Evaluate one line of evidence.

    What it adds is the weight of its word, scaled by the trust in the least trusted fact it
    rests on.
    """
    outcome = evidence.rule.of(facts)
    if outcome is None:
        return Weighed(evidence, None, 0.0, "")
    word, sign = _word(evidence, holds=bool(outcome))
    statement = evidence.because if outcome else evidence.otherwise
    if word is None:
        return Weighed(evidence, bool(outcome), 0.0, "")
    used = witnesses(evidence.rule.node, facts.value)
    names = tuple(dict.fromkeys(name for name, _ in used))
    trust = min((_trust(name, facts, weights) for name in names), default=1.0)
    return Weighed(
        evidence,
        bool(outcome),
        sign * trust * weights.strengths[word],
        fill(statement or f"not the case: {evidence.because}", facts),
        names,
        tuple(_places(used, facts))[:_PLACES],
        decisive=word == "decisive" and trust >= weights.trust["prose"],
    )


def _word(evidence: EvidenceRule, *, holds: bool) -> tuple[str | None, int]:
    if not holds:
        return evidence.absent, -1
    return (evidence.supports, 1) if evidence.supports else (evidence.against, -1)


def _trust(name: str, facts: Facts, weights: Weights) -> float:
    fact = facts.get(name)
    if fact is None:
        return 1.0
    if facts.elsewhere(name):
        # Where the run shows that it was on another machine, this one tells nothing about it.
        return 0.0 if facts.value("env.elsewhere") else weights.trust.get("elsewhere", 1.0)
    return weights.trust.get(fact.origin, 1.0)


def _places(used: Iterable[tuple[str, int | None]], facts: Facts) -> Iterator[Place]:
    seen = set[object]()
    for name, index in used:
        fact = facts.get(name)
        # Where a symptom shows is said with the symptom; what speaks for a cause stands elsewhere.
        if fact is None or not fact.places or name.startswith("symptom."):
            continue
        place = fact.places[min(index or 0, len(fact.places) - 1)]
        # One line is one place, though not every reader of it knows the step.
        spot = (place.input, place.line, place.column) if place.line is not None else place
        if spot not in seen:
            seen.add(spot)
            yield place
