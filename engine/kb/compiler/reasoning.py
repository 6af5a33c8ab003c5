"""Symptoms, causes and facts to their compiled form: everything a diagnosis reasons with."""

from __future__ import annotations

from collections import Counter
from typing import Any

from ...conditions import triggers
from ..rules import TELLING, Rule
from ..scope import Scope, fact_of
from ..validate import Located
from .parts import Compilers, Stored


def _evidence(scope: Scope, entry: Located, key: str, rules: list[Any]) -> list[Stored]:
    stored = []
    for index, one in enumerate(rules):
        path = (key, index)
        if (one.supports is None) == (one.against is None):
            scope.problems.append(entry.problem(path, "give `supports` or `against`, and not both"))
        if one.absent and one.against:
            scope.problems.append(entry.problem(path, "`absent` goes with `supports`, not with `against`"))
        rule = scope.condition(entry, (*path, "if"), one.if_)
        stored.append(
            {
                "rule": rule,
                "because": scope.text(entry, (*path, "because"), one.because),
                "otherwise": scope.text(entry, (*path, "otherwise"), one.otherwise or ""),
                "supports": one.supports,
                "against": one.against,
                "absent": one.absent,
                "is_mistake": one.is_mistake,
            }
        )
    return stored


def _cause(scope: Scope, entry: Located) -> Stored:
    cause = entry.model
    for symptom in cause.symptoms:
        scope.refer(entry, ("symptoms", symptom), "symptom", symptom, on_key=True)
    for index, fix in enumerate(cause.fixes):
        scope.refer(entry, ("fixes", index), "fix", fix)
    return {
        "title": cause.title,
        "family": entry.raw.document.path.parent.name,
        "pack": entry.raw.document.pack.name,
        "symptoms": cause.symptoms,
        "evidence": _evidence(scope, entry, "evidence", cause.evidence),
        "fixes": cause.fixes,
        "is_mistake": cause.is_mistake,
    }


def _symptom(scope: Scope, entry: Located) -> Stored:
    symptom = entry.model
    return {
        "title": symptom.title,
        "aliases": symptom.aliases,
        "silent": symptom.silent,
        "met": symptom.met,
        "detect": _evidence(scope, entry, "detect", symptom.detect),
    }


def _fact(scope: Scope, entry: Located) -> Stored:
    fact = entry.model
    derive = []
    for index, one in enumerate(fact.derive):
        path = ("derive", index)
        when = scope.condition(entry, (*path, "if"), one.if_) if one.if_ else None
        value: Any = one.value
        expression: Stored | list[Any] | None = None
        if isinstance(value, str) and value.startswith("="):
            expect = "bool" if fact.type == "bool" else "number" if fact.type in ("int", "float") else "any"
            value, expression = None, scope.condition(entry, (*path, "value"), value[1:].strip(), expect)
        else:
            scope.value(entry, (*path, "value"), fact.name, value)
        derive.append({"when": when, "value": value, "expression": expression})
    stored = _declared(fact) | {"derive": derive}
    if fact.supposes:
        stored["supposes"] = scope.condition(entry, ("supposes",), fact.supposes)
    return stored


def _declared(fact: Any) -> Stored:
    stored = {"type": fact.type, "means": fact.means, "minutes": fact.minutes}
    for key in ("unit", "values", "ask", "measure"):
        if getattr(fact, key, None):
            stored[key] = getattr(fact, key)
    return stored


def automatic_facts(scope: Scope) -> Stored:
    """The facts that other entries bring with them."""
    facts: Stored = {}
    for kind in ("signature", "code-pattern", "symptom", "check"):
        for name, one in scope.entries.of(kind).items():
            means = getattr(one.model, "means", None) or getattr(one.model, "says", None) or one.model.title
            facts[fact_of(kind, name)] = {"type": "bool", "means": means, "minutes": 2.0}
    for name, one in scope.entries.of("setting").items():
        facts[fact_of("setting", name)] = _declared(one.model)
    return facts


def asked_by(scope: Scope, causes: Stored) -> Stored:
    """The causes by the symptoms that they explain, and by the facts that bring them into question.

    Telling evidence that may hold while every fact it asks for is unknown or false stands under an empty name.
    """
    found: dict[str, dict[str, list[str]]] = {"symptom": {}, "fact": {}}
    telling: dict[str, list[Rule]] = {}
    for name, cause in causes.items():
        for symptom in cause["symptoms"]:
            found["symptom"].setdefault(symptom, []).append(name)
        stored = [one["rule"] for one in cause["evidence"] if one["supports"] in TELLING and one["rule"]]
        telling[name] = [Rule(*one) for one in stored]
    # What many rules ask for is known in many runs, and says little.
    common = Counter(fact for rules in telling.values() for rule in rules for fact in rule.names)

    def may_be_false(fact: str) -> bool:
        return scope.type_of(fact) == "bool" and not fact.startswith("symptom.")

    for name, rules in telling.items():
        facts = {
            fact for rule in rules for fact in triggers(rule.node, may_be_false, common.__getitem__) or ("",)
        }
        for fact in sorted(facts):
            found["fact"].setdefault(fact, []).append(name)
    return found


def check_examples(scope: Scope) -> None:
    """Check the names and values in the examples of all causes."""
    for entry in scope.entries.of("cause").values():
        _check_examples(scope, entry)


def _check_examples(scope: Scope, entry: Located) -> None:
    for index, example in enumerate(entry.model.examples):
        path = ("examples", index)
        for fact, value in example.facts.items():
            scope.value(entry, (*path, "facts", fact), fact, value)
        if example.symptom:
            scope.refer(entry, (*path, "symptom"), "symptom", example.symptom)
        for name in example.series:
            scope.refer(entry, (*path, "series", name), "metric", name, on_key=True)


REASONING: Compilers = {"symptom": _symptom, "cause": _cause, "fact": _fact}
