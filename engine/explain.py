"""How was it concluded, why is it asked, and why is it not another cause?"""

from __future__ import annotations

from collections.abc import Sequence

from .facts import Facts
from .infer import Ranked, to_probability
from .kb.knowledge import Knowledge
from .next_tests import NextTest
from .wording import percent, show


def how(one: Ranked, facts: Facts, knowledge: Knowledge) -> list[str]:
    """Every step from the prior to the confidence, with what each line added."""
    lines = [f"{one.cause.id}: {one.cause.title}", f"  {one.prior:+6.1f} dB  {_prior(one, knowledge)}"]
    told = [line for line in one.evidence if line.outcome is not None]
    for line in told:
        if not line.decibans:
            continue
        places = f"  [{', '.join(map(str, line.places))}]" if line.places else ""
        lines.append(f"  {line.decibans:+6.1f} dB  {line.statement or line.rule.rule.text}{places}")
        lines.append(f"             because {line.rule.rule.text}{_values(line.facts, facts)}")
    if quiet := sum(not line.decibans for line in told):
        lines.append(
            f"    +0.0 dB  {quiet} more that are decided and add nothing: not the case, or seen on another machine"
        )
    alone = to_probability(one.decibans)
    raised = f" ({percent(alone)} by itself)" if one.confidence - alone >= 0.01 else ""
    lines.append(
        f"  {one.decibans:+6.1f} dB  in all: confidence {percent(one.confidence)}{raised}, {one.verdict}"
    )
    if one.unknown:
        lines.append(f"  not known: {', '.join(one.unknown)}")
    return lines


def _prior(one: Ranked, knowledge: Knowledge) -> str:
    base = to_probability(one.prior)
    words = [f"{symptom}: {word}" for symptom, word in one.cause.symptoms.items()]
    if abs(base - knowledge.weights.unlisted) < 1e-9:
        return "before any evidence: this symptom is not one it is known for"
    return f"before any evidence: {base:.1%} ({', '.join(words)})"


def _values(names: Sequence[str], facts: Facts) -> str:
    known = [f"{name} = {show(value)}" for name in names if (value := facts.value(name)) is not None]
    return f" ({', '.join(known)})" if known else ""


def why(test: NextTest) -> list[str]:
    """Why a question is asked: which cause each answer would speak for, and which against."""
    lines = [f"{test.fact.ask} ({test.fact.name})", f"  {test.fact.means}"]
    for answer, moves in test.answers:
        sides = [
            f"{side} {', '.join(f'{cause} ({by:+.0f} dB)' for cause, by in found)}"
            for side, found in (
                ("for", [one for one in moves if one[1] > 0]),
                ("against", [one for one in moves if one[1] < 0]),
            )
            if found
        ]
        lines.append(f"  {show(answer)}: {'; '.join(sides) or 'changes nothing'}")
    lines.append(f"  expected: {test.bits:.2f} bits for {test.fact.minutes:g} min")
    return lines


def why_not(one: Ranked, ranked: Sequence[Ranked], facts: Facts, knowledge: Knowledge) -> list[str]:
    """Why a cause does not stand above the first: what it lacks, and what the first has."""
    places = {other.cause.id: index for index, other in enumerate(ranked, 1)}
    if one.cause.id not in places:
        why = f"{one.cause.id} is not in question: none of its symptoms is seen, and nothing strong speaks for it."
        return [why, *how(one, facts, knowledge)]
    first = ranked[0]
    if one.cause.id == first.cause.id:
        return [f"{one.cause.id} is the first.", *how(one, facts, knowledge)]
    gap = first.decibans - one.decibans
    lines = [f"{one.cause.id} stands at place {places[one.cause.id]}, {gap:.1f} dB below {first.cause.id}."]
    lines += ["", "Against it:"] + (_lines(one, negative=True) or ["  nothing"])
    lines += ["", "For it:"] + (_lines(one, negative=False) or ["  nothing"])
    missing = [line for line in one.evidence if line.outcome is None and line.rule.supports]
    lines += ["", "It would rise with:"]
    lines += [f"  {line.rule.rule.text} ({line.rule.supports})" for line in missing] or [
        "  nothing that is not known"
    ]
    lines += ["", f"For {first.cause.id}:", *(_lines(first, negative=False) or ["  only its prior"])]
    return lines


def _lines(one: Ranked, *, negative: bool) -> list[str]:
    counted = [line for line in one.evidence if (line.decibans < 0) == negative and line.decibans]
    return [
        f"  {line.decibans:+6.1f} dB  {line.statement}" + (f"  [{line.places[0]}]" if line.places else "")
        for line in counted
    ]
