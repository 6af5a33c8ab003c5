"""Is a probe worth running? Only while what it may tell could still change the answer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from .facts import Facts, Origin
from .infer import Ranked, to_decibans, to_probability, verdict_of
from .kb.knowledge import Knowledge
from .kb.rules import EvidenceRule, FactRule, Rule, Weights
from .probe import Probe

_CONTENDERS = 10
"""The causes whose order matters to a person."""
_SURE = 1 - 1e-9
_REACH = 30.0
"""Decibans below the first beyond which a cause is out of the race."""


def could_matter(
    probe: Probe, ranked: Sequence[Ranked], facts: Facts, knowledge: Knowledge, asked: frozenset[str]
) -> bool:
    """Whether what a probe may give could change the order of the causes or of what is offered, or is asked for."""
    contenders = [one for one in ranked[:_CONTENDERS] if one.decibans > ranked[0].decibans - _REACH]
    # What nobody handed in is read off this machine, which may not be the one that trained.
    elsewhere = facts.of_a_run
    conditions = [] if elsewhere else _fix_conditions(contenders, knowledge)
    names = {name for one in contenders for name in one.unknown}.union(
        asked, *(one.needs for one in conditions)
    )
    wanted = _given(probe, names, facts, knowledge)
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
    """What decides which fixes of these causes may be offered, and which come first."""
    fixes = (fix for one in contenders if one.verdict != "unlikely" for fix in one.cause.fixes)
    rules = [knowledge.fixes[fix] for fix in dict.fromkeys(fixes)]
    return [rule for fix in rules for rule in (fix.when, fix.leads) if rule is not None]
