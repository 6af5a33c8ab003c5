"""Rules over source code as their authors write them, to plain ast-grep rules.

Five short words stand for what would be long in ast-grep: `calls`, `reads`, `contains`, `within`
and, where a rule names shared idioms, `matches`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeAlias

from .literals import literals

Words: TypeAlias = list[list[str]]
"""Of each group of texts a file must hold at least one, or the rule cannot match. Lower case."""

_WHERE = ("field", "stopBy")
_RELATIONS = ("has", "inside", "precedes", "follows", "contains", "within")
_IDENTIFIER = re.compile(r"(?<![$\w])[A-Za-z_]\w{2,}")
_LAST_NAME = r"(^|[.\s])({})$"
_HARMLESS = re.compile(r"\\[wdsb.()\[\]{}|*+?^$/-]|\[[^\]^][^\]]*\]")
_ANY_BYTE = re.compile(r"\.|\[\^|\\[WDSB]")


def idioms_in(rule: Any) -> Iterator[str]:
    """The idioms that a rule names, itself only: not those that they name in turn."""
    if isinstance(rule, Mapping):
        for key, value in rule.items():
            if key == "matches" and isinstance(value, str):
                yield value
            else:
                yield from idioms_in(value)
    elif isinstance(rule, list):
        for one in rule:
            yield from idioms_in(one)


def words(rule: Mapping[str, Any], idioms: Mapping[str, Any]) -> Words:
    """What a file must hold for the rule to match: a fast scan spares most files most rules."""
    groups: dict[tuple[str, ...], None] = {}
    for group in _words(rule, idioms, frozenset()):
        groups[tuple(sorted({text.lower() for text in group}))] = None
    return [list(group) for group in groups]


def _words(rule: Mapping[str, Any], idioms: Mapping[str, Any], above: frozenset[str]) -> Iterator[Iterable[str]]:
    for key, value in rule.items():
        match key:
            case "pattern":
                text = value["context"] if isinstance(value, Mapping) else value
                yield from ([word] for word in _IDENTIFIER.findall(text))
            case "calls" | "reads":
                found = [literals(name) for name in value]
                if all(found):
                    yield [text for texts in found for text in texts]
            case "regex":
                if found_texts := literals(value):
                    yield found_texts
            case "all":
                for one in value:
                    yield from _words(one, idioms, above)
            case "any":
                branches = [_best(_words(one, idioms, above)) for one in value]
                if all(branches):
                    yield [text for branch in branches for text in branch]
            case "matches" if value in idioms and value not in above:
                yield from _words(idioms[value], idioms, above | {value})
            case _ if key in _RELATIONS:
                yield from _words(value, idioms, above)


def _best(groups: Iterable[Iterable[str]]) -> list[str]:
    """The group whose shortest text is longest: the one that says most."""
    return max((list(group) for group in groups), key=lambda texts: min(map(len, texts)), default=[])
