"""One pattern over the files: found, not there, or cannot tell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from traindx.engine.facts import Place
from traindx.engine.kb.rules import CodePatternRule

from .flows import flow_of
from .module import Module
from .program import Program
from .ready import BadRule
from .source import Source

if TYPE_CHECKING:
    from ast_grep_py import SgNode

MAX_PLACES = 5


@dataclass(slots=True)
class Verdict:
    """What a pattern says about the files."""

    holds: bool | None = None
    """None where its scope was not seen, or the code does not show enough."""
    places: list[Place] = field(default_factory=list)
    captured: dict[str, list[tuple[str, Place]]] = field(default_factory=dict)
    """Metavariable -> the texts it stood for, and where."""


def judge(program: Program, pattern: CodePatternRule) -> Verdict:
    """Look for a pattern in all files.

    Raises BadRule where one of its rules is not one.
    """
    modules = [module for module in program.modules if not _found(module, pattern, pattern.unless)]
    if pattern.flow:
        return _judge_flow(Program(modules) if len(modules) < len(program.modules) else program, pattern)
    scopes = [node for module in modules for node in _scope(module, pattern)]
    if pattern.absent and not scopes:
        return Verdict()
    found = [(node, module) for module in modules for node in _matches(module, pattern)]
    if pattern.absent:
        return Verdict(not found, [] if found else _places(scopes))
    if not found:
        return Verdict(False if scopes else None)
    captured: dict[str, list[tuple[str, Place]]] = {}
    for node, module in found:
        for name in pattern.captures:
            if (part := node.get_match(name)) is not None:
                captured.setdefault(name, []).append((part.text(), _place(part, module)))
    return Verdict(True, _places(found), captured)


def _judge_flow(program: Program, pattern: CodePatternRule) -> Verdict:
    scopes = [node for module in program.modules for node in _scope(module, pattern)]
    if pattern.scope and not scopes:
        return Verdict()
    arrivals = flow_of(program, pattern)
    found = [one for one in arrivals if one.source is not None]
    if found:
        places = _places([(one.place, one.module) for one in found])
        places += _places([(one.source.node, one.source.module) for one in found if one.source])
        return Verdict(True, list(dict.fromkeys(places))[:MAX_PLACES])
    followed = bool(arrivals) and all(one.known for one in arrivals)
    return Verdict(False if scopes or followed else None)


def _matches(module: Module, pattern: CodePatternRule) -> Sequence[SgNode]:
    return module.find(pattern.rule, pattern.constraints) if pattern.rule else ()


def _scope(module: Module, pattern: CodePatternRule) -> list[tuple[SgNode, Module]]:
    return [(node, module) for node in module.find(pattern.scope)] if pattern.scope else []


def _found(module: Module, pattern: CodePatternRule, rule: Mapping[str, Any] | None) -> bool:
    return rule is not None and bool(module.find(rule))


def _places(found: Sequence[tuple[SgNode, Module]]) -> list[Place]:
    return [_place(node, module) for node, module in found[:MAX_PLACES]]


def _place(node: SgNode, module: Module) -> Place:
    return module.source.place(node.range().start.line)


def check_pattern(
    pattern: CodePatternRule,
    finds: Sequence[str],
    passes: Sequence[str],
    idioms: Mapping[str, Mapping[str, Any]],
) -> list[str]:
    """Try a pattern on its own examples; the mistakes as text, empty where all is well."""
    mistakes = []
    for wanted, examples in ((True, finds), (False, passes)):
        for code in examples:
            program = Program([Module(Source("example.py", code), idioms)])
            try:
                verdict = judge(program, pattern)
            except BadRule as error:
                return [f"{pattern.id}: not a rule: {error}"]
            if bool(verdict.holds) != wanted:
                what = "`finds` is not found" if wanted else "`passes` is found"
                mistakes.append(f"{pattern.id}: {what}:\n{code}")
    return mistakes
