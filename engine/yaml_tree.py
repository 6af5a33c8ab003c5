"""YAML as a tree in which every value knows its place. Safe: no tags, no bombs, no duplicate keys."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from .yaml_nodes import (
    LIST,
    MAPPING,
    MAX_DEPTH,
    MAX_VALUES,
    MERGE,
    Plain,
    YamlProblem,
    root_of,
    scalar,
)  # fmt: skip

Path: TypeAlias = tuple[str | int, ...]


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
    root = root_of(text)
    return Tree(None, 1, 1, 1, 1) if root is None else _Builder(forgiven).build(root, 0)


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
            tree.value = scalar(node)
            return tree
        self.open.add(id(node))
        if isinstance(node, SequenceNode):
            self._refuse_tag(node, LIST)
            tree.children = {index: self.build(part, depth + 1) for index, part in enumerate(node.value)}
            tree.value = [child.value for child in tree.children.values()]
        elif isinstance(node, MappingNode):
            self._refuse_tag(node, MAPPING)
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
            if key_node.tag == MERGE:
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
