"""Environment variables that change how training runs, secrets masked."""

from __future__ import annotations

from collections.abc import Mapping

from traindx.engine.facts import Value
from traindx.engine.kb.knowledge import Knowledge
from traindx.engine.kb.rules import VariableRule
from traindx.engine.redact import safe

from .host import Host
from .observed import Observed

VARIABLES = ("env.variables",)
_LONGEST = 300
"""Characters of a value that are shown."""
_WORDS = {"1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False, "off": False, "": False}


def variable_facts(knowledge: Knowledge) -> frozenset[str]:
    """The facts that variables may give."""
    rules = knowledge.variables.values()
    return frozenset(VARIABLES) | {rule.fact for rule in rules if rule.fact} | {one for rule in rules for one in rule.facts}


def observe_variables(host: Host, knowledge: Knowledge, seen: Observed) -> None:
    """What the variables that we know are set to, as texts and as facts of their own."""
    found = [(name, value, rule) for name, value in sorted(host.environ.items()) if (rule := _rule(name, knowledge.variables))]
    if found:
        texts = tuple(safe(f"{name}={value[:_LONGEST]}") for name, value, _ in found)
        seen.tell_each("env.variables", texts, (name for name, _, _ in found))
    for name, value, rule in found:
        for fact, follows in rule.facts.items():
            seen.tell(fact, follows, name)
        if rule.fact:
            _tell(rule.fact, name, value, knowledge, seen)
    names = {rule.fact: name for name, rule in knowledge.variables.items() if rule.fact}
    for fact in sorted(variable_facts(knowledge)):
        seen.cannot(fact, f"{names[fact]} is not set" if fact in names else "no variable says so")


def _rule(name: str, rules: Mapping[str, VariableRule]) -> VariableRule | None:
    """What we know of a variable: under its own name, else under the longest beginning with a star."""
    if name in rules:
        return rules[name]
    stars = [rule for rule in rules.values() if rule.name.endswith("*") and name.startswith(rule.name[:-1])]
    return max(stars, key=lambda rule: len(rule.name), default=None)


def _tell(fact: str, name: str, value: str, knowledge: Knowledge, seen: Observed) -> None:
    typed = _typed(value.strip(), knowledge.fact_type(fact) or "str")
    if typed is None:
        seen.cannot(fact, f"{name} is set to `{safe(value[:40])}`, which cannot be read")
    else:
        seen.tell(fact, typed, name)


def _typed(value: str, wanted: str) -> Value | None:
    if wanted == "bool":
        return _WORDS.get(value.lower())
    if wanted == "int":
        return int(value) if value.isdecimal() and len(value) < 10 else None
    return safe(value[:_LONGEST])
