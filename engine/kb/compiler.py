"""Valid entries to the compiled form: plain JSON, every name and condition checked on the way."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

from .literals import literals, needs
from .machine import MACHINE
from .scope import Scope, fact_of
from .validate import Located

Stored: TypeAlias = dict[str, Any]
SHORTEST_LITERAL = 3
"""A signature whose surest literal is shorter would make every line a candidate."""
SHORTEST_IN_PROSE = 2
"""The same for what only sentences are searched for: `lr`, or a word of Chinese."""


def compile_all(scope: Scope) -> dict[str, Stored]:
    """All sections of the compiled knowledge base. Mistakes are noted in the scope.

    `core` is what every diagnosis needs, `reading` what a log needs, `prose` what sentences need, `code` and
    `dialects` what a script and a configuration need, `machine` what is known about devices and installations,
    `pages` the texts that only explanations and reports show.
    """
    entries = scope.entries
    core: Stored = {
        kind: {name: compile_one(scope, one) for name, one in entries.of(kind).items()}
        for kind, compile_one in _CORE.items()
    }
    core["fact"] |= _automatic_facts(scope)
    core["weights"] = {name: one.model.model_dump() for name, one in entries.of("weights").items()}
    core["limit"] = dict(scope.limits)
    reading = _section(scope, _READING)
    sections = {
        "core": core,
        "reading": reading,
        "prose": _prose(scope, reading["signature"]),
        "code": _section(scope, {"idiom": _idiom, "code-pattern": _pattern}),
        "dialects": _section(scope, {"dialect": _dialect, "setting": _setting, "check": _check}),
        "machine": _section(scope, MACHINE),
        "pages": _pages(scope),
    }
    for entry in entries.of("cause").values():
        _examples(scope, entry)
    return sections


def _section(scope: Scope, kinds: Mapping[str, Callable[[Scope, Located], Stored]]) -> Stored:
    return {
        kind: {name: compile_one(scope, one) for name, one in scope.entries.of(kind).items()}
        for kind, compile_one in kinds.items()
    }


def _prose(scope: Scope, signatures: Stored) -> Stored:
    """The phrases, the trials, and out of the signatures those of prose, with what each wording needs."""
    prose = _section(scope, {"phrase": _phrase, "trial": _trial})
    groups: dict[tuple[str, ...], int] = {}
    prose["signature"] = {
        name: signatures.pop(name) | {
            "words": [],
            "needs": [
                [groups.setdefault(group, len(groups)) for group in wording]
                for wording in needs(signature["pattern"])
            ],
        }
        for name, signature in list(signatures.items())
        if signature["where"] == "prose"
    }  # fmt: skip
    prose["group"] = list(groups)
    return prose


def _evidence(scope: Scope, entry: Located, key: str, rules: list[Any]) -> list[Stored]:
    stored = []
    for index, one in enumerate(rules):
        path = (key, index)
        if (one.supports is None) == (one.against is None):
            scope.problems.append(entry.problem(path, "give `supports` or `against`, and not both"))
        if one.absent and one.against:
            scope.problems.append(entry.problem(path, "`absent` goes with `supports`, not with `against`"))
        rule = scope.condition(entry, (*path, "if"), one.if_)
        stored.append({
            "rule": rule,
            "because": scope.text(entry, (*path, "because"), one.because),
            "otherwise": scope.text(entry, (*path, "otherwise"), one.otherwise or ""),
            "supports": one.supports,
            "against": one.against,
            "absent": one.absent,
        })
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
        "pack": entry.raw.document.pack,
        "symptoms": cause.symptoms,
        "evidence": _evidence(scope, entry, "evidence", cause.evidence),
        "fixes": cause.fixes,
    }


def _symptom(scope: Scope, entry: Located) -> Stored:
    symptom = entry.model
    return {
        "title": symptom.title,
        "aliases": symptom.aliases,
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
    return _declared(fact) | {"derive": derive}


def _declared(fact: Any) -> Stored:
    stored = {"type": fact.type, "means": fact.means, "minutes": fact.minutes}
    for key in ("unit", "values", "ask", "measure"):
        if getattr(fact, key, None):
            stored[key] = getattr(fact, key)
    return stored


def _automatic_facts(scope: Scope) -> Stored:
    facts: Stored = {}
    for kind in ("signature", "code-pattern", "symptom", "check"):
        for name, one in scope.entries.of(kind).items():
            means = getattr(one.model, "means", None) or getattr(one.model, "says", None) or one.model.title
            facts[fact_of(kind, name)] = {"type": "bool", "means": means, "minutes": 2.0}
    for name, one in scope.entries.of("setting").items():
        facts[fact_of("setting", name)] = _declared(one.model)
    return facts


def _fix(scope: Scope, entry: Located) -> Stored:
    fix = entry.model
    for index, other in enumerate(fix.conflicts):
        scope.refer(entry, ("conflicts", index), "fix", other)
    if fix.snippet and fix.snippet not in scope.snippets:
        scope.problems.append(entry.problem(("snippet",), f"there is no snippet `{fix.snippet}`"))
    settings = {name: _change(scope, entry, name, change) for name, change in fix.settings.items()}
    return {
        "title": fix.title,
        "safety": fix.safety,
        "effort_minutes": fix.effort_minutes,
        "expect": scope.text(entry, ("expect",), fix.expect),
        "why": scope.text(entry, ("why",), fix.why or ""),
        "when": scope.condition(entry, ("when",), fix.when) if fix.when else None,
        "settings": settings,
        "snippet": fix.snippet or "",
        "command": scope.text(entry, ("command",), fix.command or ""),
        "steps": [scope.text(entry, ("steps", index), step) for index, step in enumerate(fix.steps)],
        "take_back_when": fix.take_back.when if fix.take_back else "",
        "take_back_steps": fix.take_back.steps if fix.take_back else [],
        "conflicts": fix.conflicts,
    }


def _change(scope: Scope, entry: Located, name: str, change: Any) -> Stored:
    path = ("settings", name)
    scope.refer(entry, path, "setting", name, on_key=True)
    if not hasattr(change, "multiply"):
        scope.value(entry, path, f"config.{name}", change)
        return {"way": "set", "value": change}
    way = next(way for way in ("set", "multiply", "at_least", "at_most", "compute") if getattr(change, way) is not None)
    if way == "set":
        scope.value(entry, (*path, "set"), f"config.{name}", change.set)
    stored = {"way": way, "otherwise": change.otherwise, "digits": change.digits}
    if way == "compute":
        checked = scope.condition(entry, (*path, "compute"), change.compute, "number")
        return stored | {"expression": checked}
    return stored | {"value": getattr(change, way)}


def _guide(scope: Scope, entry: Located) -> Stored:
    guide = entry.model
    for index, symptom in enumerate(getattr(guide, "symptoms", [])):
        scope.refer(entry, ("symptoms", index), "symptom", symptom)
    steps = []
    for index, step in enumerate(getattr(guide, "steps", None) or guide.items):
        if fact := getattr(step, "fact", None):
            scope.fact(entry, ("steps", index, "fact"), fact)
        passes = getattr(step, "passes", None)
        steps.append({
            "do": getattr(step, "do", None) or step.text,
            "minutes": getattr(step, "minutes", 0.0),
            "fact": fact or "",
            "tells": getattr(step, "tells", None) or "",
            "passes": scope.condition(entry, ("items", index, "passes"), passes) if passes else None,
            "owner": getattr(step, "owner", None) or "",
        })
    return {"title": guide.title, "symptoms": getattr(guide, "symptoms", []), "steps": steps}


def _surest(scope: Scope, entry: Located, key: str, pattern: str, shortest: int = SHORTEST_LITERAL) -> list[str]:
    found = list(literals(pattern))
    if not found or min(map(len, found)) < shortest:
        message = f"`{key}` has no literal text of {shortest} characters that every match must contain"
        scope.problems.append(entry.problem((key,), message, "write a part of the message out"))
    return found


def _signature(scope: Scope, entry: Located) -> Stored:
    signature = entry.model
    for group, fact in signature.captures.items():
        scope.fact(entry, ("captures", group), fact)
    for fact, value in signature.facts.items():
        scope.value(entry, ("facts", fact), fact, value)
        scope.used.add(fact)
    shortest = SHORTEST_IN_PROSE if signature.where == "prose" else SHORTEST_LITERAL
    return {
        "fact": fact_of("signature", signature.id),
        "pattern": signature.pattern,
        "words": _surest(scope, entry, "pattern", signature.pattern, shortest),
        "means": signature.means,
        "role": signature.role,
        "where": signature.where,
        "lines": signature.lines,
        "captures": signature.captures,
        "facts": signature.facts,
    }


def _phrase(scope: Scope, entry: Located) -> Stored:
    return {"pattern": entry.model.pattern}


def _trial(scope: Scope, entry: Located) -> Stored:
    trial = entry.model
    scope.value(entry, ("gives",), trial.gives, True)
    scope.used.add(trial.gives)
    pattern, otherwise = "|".join(trial.any), "|".join(trial.otherwise)
    return {
        "gives": trial.gives,
        "pattern": pattern,
        "otherwise": otherwise,
        "words": _surest(scope, entry, "any", f"{pattern}|{otherwise}" if otherwise else pattern, SHORTEST_IN_PROSE),
        "trouble_counts": trial.trouble_counts,
    }


def _format(scope: Scope, entry: Located) -> Stored:
    one = entry.model
    for name, metric in one.fields.items():
        scope.refer(entry, ("fields", name), "metric", metric)
    return {
        "trainer": one.trainer,
        "title": one.title,
        "recognise": one.recognise,
        "words": _surest(scope, entry, "recognise", one.recognise),
        "pattern": one.pattern or "",
        "fields": one.fields,
        "quirks": one.quirks,
    }


def _frame(scope: Scope, entry: Located) -> Stored:
    if entry.model.fact:
        scope.fact(entry, ("fact",), entry.model.fact)
    return {"fact": entry.model.fact or "", "pattern": entry.model.pattern}


def _words(scope: Scope, entry: Located) -> Stored:
    return {"words": entry.model.words}


def _metric(scope: Scope, entry: Located) -> Stored:
    return {"names": [name.lower() for name in entry.model.names], "unit": entry.model.unit or ""}


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
        "flow": flow and {
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


def _setting(scope: Scope, entry: Located) -> Stored:
    one = entry.model
    return {"type": one.type, "means": one.means, "values": one.values or [], "low": one.low, "high": one.high}


def _check(scope: Scope, entry: Located) -> Stored:
    check = entry.model
    return {"rule": scope.condition(entry, ("if",), check.if_), "says": scope.text(entry, ("says",), check.says)}


def _dialect(scope: Scope, entry: Located) -> Stored:
    dialect = entry.model
    if dialect.base:
        scope.refer(entry, ("base",), "dialect", dialect.base)
    for key in ("agrees", "never_added"):
        for index, name in enumerate(getattr(dialect, key)):
            scope.refer(entry, (key, index), "setting", name)
    for name, ways in dialect.settings.items():
        path = ("settings", name)
        scope.refer(entry, path, "setting", name, on_key=True)
        for way in ways:
            for value in (*way.values, *way.implied.values(), *([way.default] if way.default is not None else ())):
                scope.value(entry, path, f"config.{name}", _literal(scope.type_of(f"config.{name}"), value))
            if way.ratio_as:
                scope.refer(entry, path, "setting", way.ratio_as)
    return dict(dialect.model_dump(exclude={"id", "sources"}, exclude_defaults=True))


def _literal(wanted: str | None, value: Any) -> Any:
    """A canonical value that stands as a key of YAML, in its own type."""
    if wanted == "bool" and value in ("true", "false"):
        return value == "true"
    if wanted in ("int", "float") and isinstance(value, str):
        return float(value) if value.replace(".", "", 1).isdigit() else value
    return value


def _examples(scope: Scope, entry: Located) -> None:
    for index, example in enumerate(entry.model.examples):
        path = ("examples", index)
        for fact, value in example.facts.items():
            scope.value(entry, (*path, "facts", fact), fact, value)
        if example.symptom:
            scope.refer(entry, (*path, "symptom"), "symptom", example.symptom)
        for name in example.series:
            scope.refer(entry, (*path, "series", name), "metric", name, on_key=True)


def _pages(scope: Scope) -> Stored:
    pages: Stored = {"explanation": {}, "sources": {}, "checklist": {}, "playbook": {}}
    for kind, name, model in _models(scope):
        if sources := getattr(model, "sources", None):
            pages["sources"].setdefault(kind, {})[name] = sources
    for name, one in scope.entries.of("cause").items():
        pages["explanation"][name] = one.model.explanation
    for name, one in scope.entries.of("checklist").items():
        pages["checklist"][name] = _guide(scope, one)
    for name, one in scope.entries.of("playbook-item").items():
        pages["playbook"][name] = {"kind": one.model.kind, "says": one.model.says, "later": one.model.later or ""}
    _cited(scope)
    return pages


def _cited(scope: Scope) -> None:
    """A source that looks like a playbook item must be one."""
    items = scope.entries.of("playbook-item")
    for kind in scope.entries.entries.values():
        for entry in kind.values():
            for index, source in enumerate(getattr(entry.model, "sources", None) or []):
                if len(source) == 3 and source[0] in "abcde" and source[1:].isdigit() and source not in items:
                    scope.refer(entry, ("sources", index), "playbook-item", source)


def _models(scope: Scope) -> Iterator[tuple[str, str, Any]]:
    for kind, entries in scope.entries.entries.items():
        for name, one in entries.items():
            yield kind, name, one.model


_CORE: Mapping[str, Callable[[Scope, Located], Stored]] = {
    "symptom": _symptom, "cause": _cause, "fact": _fact, "fix": _fix, "procedure": _guide,
}  # fmt: skip
_READING: Mapping[str, Callable[[Scope, Located], Stored]] = {
    "signature": _signature, "log-format": _format, "metric": _metric,
    "frame": _frame, "words": _words,
}  # fmt: skip
