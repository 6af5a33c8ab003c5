"""YAML as nodes: PyYAML's own parser, with the place of every mistake. No tag constructs anything."""

from __future__ import annotations

import datetime
from typing import Any, TypeAlias

import yaml
from yaml.nodes import MappingNode, Node, ScalarNode

_Base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
TEXT, LIST, MAPPING = "tag:yaml.org,2002:str", "tag:yaml.org,2002:seq", "tag:yaml.org,2002:map"
MERGE = "tag:yaml.org,2002:merge"
_LONGEST_WORD = len("false")
"""Of what begins with a letter, a longer value than this is a text."""
MAX_VALUES = 200_000
"""More values than this in one file is an alias bomb or no configuration."""
MAX_DEPTH = 100
_DEEP = 5000
"""The parser makes nodes by calling itself: four times as many levels are too many for its stack."""
_TOO_DEEP = "exceeded maximum nesting depth"
"""What newer builds of libyaml, which count levels themselves, say of such a text."""

Plain: TypeAlias = Any


class _Loader(_Base):  # type: ignore[misc]
    """PyYAML's own, which asks of every value what else than a text it may be; here most are seen to be none at once."""

    def resolve(self, kind: type[Node], value: Any, implicit: Any) -> str:
        if kind is not ScalarNode:
            return MAPPING if kind is MappingNode else LIST
        if value and (
            value[0] not in self.yaml_implicit_resolvers
            or not implicit[0]
            or (len(value) > _LONGEST_WORD and value[0].isalpha())
        ):
            return TEXT
        return str(super().resolve(kind, value, implicit))


class YamlProblem(ValueError):
    """A text that is not YAML we accept. `line` and `column` count from 1."""

    def __init__(self, message: str, line: int, column: int) -> None:
        super().__init__(message)
        self.message, self.line, self.column = message, line, column


def root_of(text: str) -> Node | None:
    """The node of the one document of a text; None where it is empty. Raises YamlProblem."""
    try:
        if _may_be_deep(text):
            _refuse_depth(text)
        loader = _Loader(text)
        try:
            root: Node | None = loader.get_single_node()
            return root
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as error:
        raise _problem(error) from None
    except yaml.YAMLError as error:
        raise _unreadable(text, error) from None
    except RecursionError:
        raise YamlProblem("nested too deeply", 1, 1) from None


def _may_be_deep(text: str) -> bool:
    """Whether a text has room for very many levels: each takes a bracket, a mark, or stands further to the right."""
    return text.count("[") + text.count("{") > _DEEP or any(
        line[:_DEEP].isspace() or line.count("- ") + line.count("? ") > _DEEP // 4
        for line in text.splitlines()
        if len(line) > _DEEP // 2
    )


def _refuse_depth(text: str) -> None:
    """Count levels by the events: the parser makes nodes by calling itself, and very many levels end the process."""
    depth = 0
    for event in yaml.parse(text, Loader=_Loader):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > _DEEP:
                mark: Any = event.start_mark
                raise YamlProblem("nested too deeply", mark.line + 1, mark.column + 1)
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1


def _problem(error: yaml.MarkedYAMLError) -> YamlProblem:
    mark = error.problem_mark or error.context_mark
    line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
    if error.problem == _TOO_DEEP:
        return YamlProblem("nested too deeply", line, column)
    parts = [part for part in (error.context, error.problem) if part]
    return YamlProblem(", ".join(parts), line, column)


def _unreadable(text: str, error: yaml.YAMLError) -> YamlProblem:
    position = getattr(error, "position", 0) or 0
    before = text[:position]
    line = before.count("\n") + 1
    reason = getattr(error, "reason", None) or str(error)
    return YamlProblem(
        f"a character that YAML does not allow ({reason})", line, position - before.rfind("\n")
    )


_CONSTRUCT = yaml.SafeLoader("")


def scalar(node: ScalarNode) -> Plain:
    """The value of a scalar as YAML 1.1 reads it; dates stay text, an unknown tag is dropped."""
    if node.tag == TEXT or not node.tag.startswith("tag:yaml.org,2002:"):
        return node.value
    try:
        value = _CONSTRUCT.construct_object(node)
    except (yaml.YAMLError, ValueError):
        return node.value
    finally:
        _CONSTRUCT.constructed_objects.clear()
    return node.value if isinstance(value, datetime.date | bytes) else value
