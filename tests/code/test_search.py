"""The fast search finds what ast-grep finds by itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from ast_grep_py import SgNode, SgRoot

from traindx.engine.kb.knowledge import Knowledge
from traindx.engine.kb.rules import CodePatternRule
from traindx.probes.code.ready import BadRule

from .reading import program
from .test_examples import PATTERNS

RELATIONS = {"contains": "has", "within": "inside"}
ONE_OF = {
    "named": ("identifier", None, "^({})$"),
    "calls": ("call", "function", r"(?:^|[.\s])(?:{})$"),
    "reads": ("attribute", "attribute", "^({})$"),
}


def plain(rule: Any) -> Any:
    """A rule in ast-grep's own words, with no thought for speed."""
    if isinstance(rule, list):
        return [plain(part) for part in rule]
    if not isinstance(rule, Mapping):
        return rule
    parts: list[dict[str, Any]] = []
    where = {key: plain(value) for key, value in rule.items() if key in ("field", "stopBy")}
    for key, value in rule.items():
        if key in ONE_OF:
            kind, field, text = ONE_OF[key]
            regex = {"regex": text.format("|".join(value))}
            parts.append({"kind": kind, **(regex if field is None else {"has": {"field": field, **regex}})})
        elif key in RELATIONS:
            parts.append({RELATIONS[key]: {"stopBy": "end", **plain(value)}})
        elif key not in ("field", "stopBy", "words"):
            parts.append({key: value if key in ("pattern", "nthChild") else plain(value)})
    return {**(parts[0] if len(parts) == 1 else {"all": parts}), **where}


def slowly(text: str, rule: Any, pattern: CodePatternRule, knowledge: Knowledge) -> list[tuple[int, int]]:
    config: Any = {
        "rule": plain(rule),
        "utils": {
            name: plain(knowledge.idioms[name]) for name in idioms_in([rule, pattern.constraints], knowledge)
        },
        "constraints": {name: plain(one) for name, one in pattern.constraints.items()}
        if rule is pattern.rule
        else {},
    }
    for key in [key for key, part in config.items() if not part]:
        del config[key]
    return spans(SgRoot(text, "python").root().find_all(config))


def idioms_in(rule: Any, knowledge: Knowledge) -> set[str]:
    """The idioms that a rule names, and those that they name."""
    parts = list(rule.values()) if isinstance(rule, Mapping) else rule if isinstance(rule, list) else []
    name = rule.get("matches") if isinstance(rule, Mapping) else None
    found = {name} | idioms_in(knowledge.idioms[name], knowledge) if name else set()
    return found.union(*(idioms_in(part, knowledge) for part in parts))


def spans(nodes: Any) -> list[tuple[int, int]]:
    found: list[SgNode] = list(nodes)
    return sorted({(one.range().start.index, one.range().end.index) for one in found})


@pytest.mark.parametrize("entry", PATTERNS, ids=lambda entry: str(entry["id"]))
def test_each_rule_matches_the_same_nodes(entry: dict[str, list[str]], knowledge: Knowledge) -> None:
    pattern = knowledge.code_patterns[str(entry["id"])]
    # A call of what has no name stands in most scripts.
    text = "\n".join(example.rstrip() for example in [*entry["finds"], *entry["passes"], "blocks[0](x)"])
    module = program(knowledge, text).modules[0]
    flow = pattern.flow
    rules = [pattern.rule, pattern.scope, pattern.unless]
    rules += [flow.source, flow.into, flow.through, flow.unless] if flow else []
    for rule in rules:
        if rule is not None:
            found = module.find(rule, pattern.constraints if rule is pattern.rule else None)
            assert spans(found) == slowly(module.text, rule, pattern, knowledge), rule


def test_unknown_idiom_is_named(knowledge: Knowledge) -> None:
    with pytest.raises(BadRule, match="no idiom `sorcery`"):
        program(knowledge, "x = 1").modules[0].find({"matches": "sorcery"})


def test_long_node_is_left_to_the_linear_search(knowledge: Knowledge) -> None:
    text = f"x = '{'a' * 9_000}'\ny = 'ab'"
    module = program(knowledge, text).modules[0]
    assert len(module.find({"kind": "string", "regex": "^.a+.$"})) == 1
    assert len(module.find({"kind": "string", "regex": "^.ab?"})) == 2
