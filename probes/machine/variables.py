"""Environment variables that change how training runs, secrets masked."""

from __future__ import annotations

from collections.abc import Mapping

from traindx.engine.facts import Value
from traindx.engine.kb.knowledge import Knowledge
from traindx.engine.kb.rules import VariableRule
from traindx.engine.redact import safe

from .gives import VARIABLES, variable_facts
from .host import Host, whole
from .observed import Observed

_LONGEST = 300
"""Characters of a value that are shown."""
_YES = ("1", "true", "yes", "on", "y")
_NO = ("0", "false", "no", "off", "n", "")


def observe_variables(host: Host, knowledge: Knowledge, seen: Observed) -> None:
    """What the variables that we know are set to, as texts and as facts of their own."""
    found = [
        (name, value, rule)
        for name, value in sorted(host.environ.items())
        if (rule := _rule(name, knowledge.variables))
    ]
    if found:
        texts = tuple(safe(f"{name}={' '.join(value[:_LONGEST].split())}") for name, value, _ in found)
        seen.tell_each("env.variables", texts, (name for name, _, _ in found))
    for name, value, rule in found:
        for fact, follows in rule.facts.items():
            seen.tell(fact, follows, name)
        if rule.fact:
            _tell(rule.fact, name, value, knowledge, seen)
    seen.cannot(VARIABLES, "none that we know is set")
    for fact in sorted(variable_facts(knowledge)):
        rules = knowledge.variables.values()
        names = (rule.name for rule in rules if fact == rule.fact or fact in rule.facts)
        seen.cannot(fact, f"not set: {', '.join(names)}")


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
        return value.lower() in _YES if value.lower() in (*_YES, *_NO) else None
    if wanted == "int":
        return whole(value)
    return safe(value[:_LONGEST])
