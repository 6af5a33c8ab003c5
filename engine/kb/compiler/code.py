"""Idioms and code patterns to their compiled form: everything a script needs."""

from __future__ import annotations

import re
from typing import Any

from ..literals import literals
from ..scope import Scope, fact_of
from ..validate import Located
from .parts import Compilers, Stored


def _idiom(scope: Scope, entry: Located) -> Stored:
    _uses_idioms(scope, entry, entry.model.rule)
    return {"rule": _with_words(entry.model.rule)}


def _pattern(scope: Scope, entry: Located) -> Stored:
    pattern = entry.model
    for name, fact in pattern.captures.items():
        scope.fact(entry, ("captures", name), fact)
    for fact, value in pattern.facts.items():
        scope.value(entry, ("facts", fact), fact, value)
        scope.used.add(fact)
    flow = pattern.flow
    _uses_idioms(scope, entry, [pattern.rule, pattern.scope, pattern.unless, pattern.constraints])
    if flow:
        _uses_idioms(scope, entry, [flow.from_, flow.into, flow.through, flow.unless])
    return {
        "fact": fact_of("code-pattern", pattern.id),
        "means": pattern.means,
        "rule": _with_words(pattern.rule),
        "flow": flow
        and {
            "source": _with_words(flow.from_),
            "element": flow.element,
            "source_argument": flow.from_argument or [],
            "into": _with_words(flow.into),
            "argument": flow.argument,
            "through": None if flow.through == "everything" else _with_words(flow.through),
            "everything": flow.through == "everything",
            "unless": _with_words(flow.unless),
            "objects": flow.objects,
            "only": flow.only,
        },
        "constraints": pattern.constraints,
        "scope": _with_words(pattern.scope),
        "unless": _with_words(pattern.unless),
        "absent": pattern.absent,
        "captures": pattern.captures,
        "facts": pattern.facts,
    }


def _with_words(rule: Any) -> Any:
    """A code rule with the words that each of its regular expressions cannot match without, beside it."""
    if isinstance(rule, list):
        return [_with_words(part) for part in rule]
    if not isinstance(rule, dict):
        return rule
    found = {key: _with_words(part) for key, part in rule.items()}
    if isinstance(pattern := rule.get("regex"), str):
        words = {max(re.findall(r"\w+", text), key=len, default="") for text in literals(pattern)}
        if words and all(words):
            found["words"] = sorted(words)
    return found


def _uses_idioms(scope: Scope, entry: Located, rule: Any) -> None:
    """Check that the idioms a rule names exist, however deep they are named."""
    if isinstance(rule, dict):
        if isinstance(name := rule.get("matches"), str):
            scope.refer(entry, (), "idiom", name)
        rule = list(rule.values())
    for part in rule if isinstance(rule, list) else ():
        _uses_idioms(scope, entry, part)


CODE: Compilers = {"idiom": _idiom, "code-pattern": _pattern}
