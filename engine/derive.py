"""Facts that follow from other facts, to a fixpoint, each with where it comes from."""

from __future__ import annotations

from .conditions import witnesses
from .facts import Fact, Facts, Origin, Place, Value
from .kb.knowledge import Knowledge
from .kb.rules import DerivationRule, FactRule

_ROUNDS = 10
"""Chains of derivations are short; a knowledge base that needs more rounds has a circle."""


def derive(facts: Facts, knowledge: Knowledge) -> None:
    """Add every fact that follows. A fact that is already known is left as it is."""
    waiting = [rule for rule in knowledge.derived if rule.name not in facts]
    for _ in range(_ROUNDS):
        still = []
        for rule in waiting:
            fact = _derived(rule, facts)
            if fact is None:
                still.append(rule)
            else:
                facts.add(fact)
        if len(still) == len(waiting):
            return
        waiting = still


def _derived(rule: FactRule, facts: Facts) -> Fact | None:
    for way in rule.derive:
        if way.when is not None and way.when.of(facts) is not True:
            continue
        value = way.value if way.expression is None else way.expression.of(facts)
        if value is not None:
            return _fact(rule, way, _typed(value, rule.type), facts)
    return None


def _typed(value: Value, wanted: str) -> Value:
    return int(value) if wanted == "int" and isinstance(value, float) and value.is_integer() else value


def _fact(rule: FactRule, way: DerivationRule, value: Value, facts: Facts) -> Fact:
    """The derived fact: as trusted as the least trusted fact it rests on, standing where they stand."""
    used = [
        name for part in (way.when, way.expression) if part for name, _ in witnesses(part.node, facts.value)
    ]
    premises = [fact for name in dict.fromkeys(used) if (fact := facts.get(name))]
    origin = max((fact.origin for fact in premises), key=lambda one: one.rank, default=Origin.DERIVED)
    places: list[Place] = [fact.place for fact in premises if fact.place]
    return Fact(rule.name, value, origin, tuple(dict.fromkeys(places))[:3], "follows from " + ", ".join(used))
