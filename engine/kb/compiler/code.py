"""Idioms and code patterns to their compiled form: everything a script needs."""

from __future__ import annotations

import re
from keyword import iskeyword
from typing import Any

from ..literals import literals
from ..scope import Scope, fact_of
from ..validate import Located
from .parts import Compilers, Stored

_WORD = re.compile(r"\w+")
_NAME = re.compile(r"(?<![$\w])[A-Za-z_]\w*")
_STRING = re.compile(r"\"[^\"]*\"|'[^']*'")


def _idiom(scope: Scope, entry: Located) -> Stored:
    _uses_idioms(scope, entry, entry.model.rule)
    return {"rule": _with_words(entry.model.rule, scope)}


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
        "rule": _with_words(pattern.rule, scope),
        "flow": flow
        and {
            "source": _with_words(flow.from_, scope),
            "element": flow.element,
            "source_argument": flow.from_argument or [],
            "into": _with_words(flow.into, scope),
            "argument": flow.argument,
            "through": None if flow.through == "everything" else _with_words(flow.through, scope),
            "everything": flow.through == "everything",
            "unless": _with_words(flow.unless, scope),
            "objects": flow.objects,
            "only": flow.only,
        },
        "constraints": pattern.constraints,
        "scope": _with_words(pattern.scope, scope),
        "unless": _with_words(pattern.unless, scope),
        "absent": pattern.absent,
        "captures": pattern.captures,
        "facts": pattern.facts,
    }


def _with_words(rule: Any, scope: Scope) -> Any:
    """A code rule with the words beside it, and beside every rule within, of which a file needs one for it to match."""
    if isinstance(rule, list):
        return [_with_words(part, scope) for part in rule]
    if not isinstance(rule, dict):
        return rule
    found = {key: _with_words(part, scope) for key, part in rule.items()}
    words = _words(found, scope)
    return found | {"words": sorted(words)} if words else found


def _words(rule: Stored, scope: Scope) -> frozenset[str]:
    """The words of a rule, in lower case: of the sets that it could go by, the one that is hardest to meet."""
    if "words" in rule:
        return frozenset(rule["words"])
    return _hardest([_words_of(key, value, scope) for key, value in rule.items()])


def _hardest(sets: list[frozenset[str]]) -> frozenset[str]:
    return min(filter(None, sets), key=lambda one: (len(one), -min(map(len, one))), default=frozenset())


def _words_of(key: str, value: Any, scope: Scope) -> frozenset[str]:
    """The words that one part of a rule needs; none where it needs no certain one."""
    match key:
        case "regex":
            return _of_each([_longest(text) for text in literals(value)])
        case "named" | "calls" | "reads":
            return _of_each([_longest(text) for name in value for text in _texts_of(name)])
        case "pattern":
            return _of_source(value if isinstance(value, str) else value["context"])
        case "has" | "inside" | "precedes" | "follows" | "contains" | "within":
            return _words(value, scope)
        case "all":
            return _hardest([_words(one, scope) for one in value])
        case "any":
            parts = [_words(one, scope) for one in value]
            return frozenset().union(*parts) if all(parts) else frozenset()
        case "matches":
            return _words_of_idiom(value, scope)
        case _:
            return frozenset()


def _texts_of(name: str) -> tuple[str, ...]:
    """A name, or what an expression for names needs."""
    return (name,) if name.isidentifier() else literals(name) or ("",)


def _of_source(text: str) -> frozenset[str]:
    """The longest name of a piece of code, outside of its strings."""
    names = [name for name in _NAME.findall(_STRING.sub("", text)) if not iskeyword(name)]
    return frozenset([max(names, key=len).lower()] if names else ())


def _words_of_idiom(name: str, scope: Scope) -> frozenset[str]:
    """The words of an idiom, which many rules name; none for one that does not exist, or comes back to itself."""
    known = scope.idiom_words
    if name not in known:
        known[name] = frozenset()
        if idiom := scope.entries.of("idiom").get(name):
            known[name] = _words(idiom.model.rule, scope)
    return known[name]


def _of_each(words: list[str]) -> frozenset[str]:
    """These words; none where one is empty, so that its alternative needs none."""
    return frozenset(words) if all(words) else frozenset()


def _longest(text: str) -> str:
    return max(_WORD.findall(text.lower()), key=len, default="")


def _uses_idioms(scope: Scope, entry: Located, rule: Any) -> None:
    """Check that the idioms a rule names exist, however deep they are named."""
    if isinstance(rule, dict):
        if isinstance(name := rule.get("matches"), str):
            scope.refer(entry, (), "idiom", name)
        rule = list(rule.values())
    for part in rule if isinstance(rule, list) else ():
        _uses_idioms(scope, entry, part)


CODE: Compilers = {"idiom": _idiom, "code-pattern": _pattern}
