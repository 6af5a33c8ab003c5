"""YAML as a tree in which every value knows its place. Safe: no tags, no bombs, no duplicate keys."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from typing import Any, TypeAlias

import yaml
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

_Base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_TEXT, _LIST, _MAPPING = "tag:yaml.org,2002:str", "tag:yaml.org,2002:seq", "tag:yaml.org,2002:map"
_MERGE = "tag:yaml.org,2002:merge"
_LONGEST_WORD = len("false")
"""Of what begins with a letter, a longer value than this is a text."""
MAX_VALUES = 200_000
"""More values than this in one file is an alias bomb or no configuration."""
MAX_DEPTH = 100

Plain: TypeAlias = Any
Path: TypeAlias = tuple[str | int, ...]


class _Loader(_Base):  # type: ignore[misc]
    """PyYAML's own, which asks of every value what else than a text it may be; here most are seen to be none at once."""

    def resolve(self, kind: type[Node], value: Any, implicit: Any) -> str:
        if kind is not ScalarNode:
            return _MAPPING if kind is MappingNode else _LIST
        if value and (
            value[0] not in self.yaml_implicit_resolvers
            or not implicit[0]
            or (len(value) > _LONGEST_WORD and value[0].isalpha())
        ):
            return _TEXT
        return str(super().resolve(kind, value, implicit))


class YamlProblem(ValueError):
    """A text that is not YAML we accept. `line` and `column` count from 1."""

    def __init__(self, message: str, line: int, column: int) -> None:
        super().__init__(message)
        self.message, self.line, self.column = message, line, column


class Tree:
    """A value, where it stands and what is below it."""

    __slots__ = (
        "children", "column", "end_column", "end_line", "key_column", "key_line", "key_style", "line", "style", "value",
    )  # fmt: skip

    def __init__(self, value: Plain, line: int, column: int, end_line: int, end_column: int) -> None:
        self.value = value
        """The value as Python sees it: for a mapping or a list, the plain values below."""
        self.line, self.column = line, column
        self.end_line, self.end_column = end_line, end_column
        """Just behind the value's last character. All four count from 1, columns in characters."""
        self.style = ""
        """How a scalar is quoted: empty, `'`, `"`, `|` or `>`."""
        self.key_line, self.key_column, self.key_style = 0, 0, ""
        self.children: dict[str | int, Tree] = {}

    def at(self, path: Path) -> Tree:
        """The tree at a path, or the deepest one on the way to it."""
        here = self
        for part in path:
            if part not in here.children:
                break
            here = here.children[part]
        return here

    def leaves(self, path: Path = ()) -> Iterator[tuple[Path, Tree]]:
        """Every value that holds no others, with its path, in the order of the file."""
        if not self.children:
            yield path, self
        for part, child in self.children.items():
            yield from child.leaves((*path, part))


def read_tree(text: str, forgiven: list[YamlProblem] | None = None) -> Tree:
    """Read one YAML document.

    Raises YamlProblem with the place for a text that does not parse, a tag, a duplicate key,
    a key that is no plain value, and a document that unfolds beyond MAX_VALUES or MAX_DEPTH.
    Where a list is given, tags, duplicate and other keys are put into it instead, and read as
    PyYAML's own loader would: the last of two equal keys counts, a tag is passed over.
    """
    root = _root(text)
    return Tree(None, 1, 1, 1, 1) if root is None else _Builder(forgiven).build(root, 0)


def read_value(text: str) -> Plain:
    """The value of one YAML document without its places, in less than half the time.

    Raises YamlProblem as `read_tree` does.
    """
    root = _root(text)
    try:
        return None if root is None else _Values().of(root, 0)
    except _Unusual:
        return read_tree(text).value


def _root(text: str) -> Node | None:
    try:
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


def _problem(error: yaml.MarkedYAMLError) -> YamlProblem:
    mark = error.problem_mark or error.context_mark
    parts = [part for part in (error.context, error.problem) if part]
    line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
    return YamlProblem(", ".join(parts), line, column)


def _unreadable(text: str, error: yaml.YAMLError) -> YamlProblem:
    position = getattr(error, "position", 0) or 0
    before = text[:position]
    line = before.count("\n") + 1
    reason = getattr(error, "reason", None) or str(error)
    return YamlProblem(
        f"a character that YAML does not allow ({reason})", line, position - before.rfind("\n")
    )


class _Unusual(Exception):
    """Something that takes a closer look: a mistake, or keys that are merged in."""


class _Values:
    """Plain values of what is plainly right."""

    def __init__(self) -> None:
        self.left = MAX_VALUES - 1

    def of(self, node: Node, depth: int) -> Plain:
        parts = node.value
        if isinstance(node, ScalarNode):
            return parts if node.tag == _TEXT else _scalar(node)
        self.left -= len(parts)
        if self.left < 0 or depth >= MAX_DEPTH or node.tag not in (_LIST, _MAPPING):
            raise _Unusual
        if isinstance(node, SequenceNode):
            return [self.of(part, depth + 1) for part in parts]
        value = {
            key.value: self.of(part, depth + 1)
            for key, part in parts
            if isinstance(key, ScalarNode) and key.tag != _MERGE
        }
        if len(value) < len(parts):
            raise _Unusual
        return value


class _Builder:
    def __init__(self, forgiven: list[YamlProblem] | None) -> None:
        self.count = 0
        self.open: set[int] = set()
        self.forgiven = forgiven

    def refuse(self, message: str, line: int, column: int) -> None:
        problem = YamlProblem(message, line, column)
        if self.forgiven is None:
            raise problem
        self.forgiven.append(problem)

    def build(self, node: Node, depth: int) -> Tree:
        self.count += 1
        start, end = node.start_mark, node.end_mark
        line, column = start.line + 1, start.column + 1
        if self.count > MAX_VALUES:
            raise YamlProblem(f"unfolds to more than {MAX_VALUES} values", line, column)
        if depth > MAX_DEPTH or id(node) in self.open:
            raise YamlProblem("nested too deeply", line, column)
        tree = Tree(None, line, column, end.line + 1, end.column + 1)
        if isinstance(node, ScalarNode):
            tree.style = node.style or ""
            tree.value = _scalar(node)
            return tree
        self.open.add(id(node))
        if isinstance(node, SequenceNode):
            self._refuse_tag(node, _LIST)
            tree.children = {index: self.build(part, depth + 1) for index, part in enumerate(node.value)}
            tree.value = [child.value for child in tree.children.values()]
        elif isinstance(node, MappingNode):
            self._refuse_tag(node, _MAPPING)
            self._mapping(node, tree, depth)
        self.open.discard(id(node))
        return tree

    def _mapping(self, node: MappingNode, tree: Tree, depth: int) -> None:
        merged: dict[str | int, Tree] = {}
        for key_node, value_node in node.value:
            line, column = key_node.start_mark.line + 1, key_node.start_mark.column + 1
            if not isinstance(key_node, ScalarNode):
                self.refuse("a key must be a plain value", line, column)
                continue
            if key_node.tag == _MERGE:
                merged |= self._merge(value_node, depth)
                continue
            key = str(key_node.value)
            if key in tree.children:
                first = tree.children[key].key_line
                self.refuse(f"the key `{key}` stands twice; first in line {first}", line, column)
            child = self.build(value_node, depth + 1)
            child.key_line, child.key_column, child.key_style = line, column, key_node.style or ""
            tree.children[key] = child
        for inherited, child in merged.items():
            tree.children.setdefault(inherited, child)
        tree.value = {key: child.value for key, child in tree.children.items()}

    def _merge(self, node: Node, depth: int) -> dict[str | int, Tree]:
        parts = node.value if isinstance(node, SequenceNode) else [node]
        merged: dict[str | int, Tree] = {}
        for part in parts:
            if isinstance(part, MappingNode):
                for key, child in self.build(part, depth + 1).children.items():
                    merged.setdefault(key, child)
        return merged

    def _refuse_tag(self, node: Node, plain: str) -> None:
        if node.tag not in (plain, "tag:yaml.org,2002:omap", "tag:yaml.org,2002:set"):
            self.refuse(
                f"the tag {node.tag} is not read here", node.start_mark.line + 1, node.start_mark.column + 1
            )


_CONSTRUCT = yaml.SafeLoader("")


def _scalar(node: ScalarNode) -> Plain:
    """The value of a scalar as YAML 1.1 reads it; dates stay text, an unknown tag is dropped."""
    if node.tag == _TEXT or not node.tag.startswith("tag:yaml.org,2002:"):
        return node.value
    try:
        value = _CONSTRUCT.construct_object(node)
    except (yaml.YAMLError, ValueError):
        return node.value
    finally:
        _CONSTRUCT.constructed_objects.clear()
    return node.value if isinstance(value, datetime.date | bytes) else value
