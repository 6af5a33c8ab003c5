"""What stands where in one file: nodes by kind, calls and attributes by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from .ready import expression

if TYPE_CHECKING:
    from ast_grep_py import SgNode

KINDS = (
    "ERROR", "argument_list", "assignment", "attribute", "augmented_assignment", "binary_operator", "block",
    "break_statement", "call", "class_definition", "comparison_operator", "conditional_expression",
    "continue_statement", "decorated_definition", "decorator", "default_parameter", "dictionary",
    "dictionary_comprehension", "dictionary_splat", "dotted_name", "else_clause", "except_clause",
    "exec_statement", "expression_list", "expression_statement", "float", "for_in_clause", "for_statement",
    "function_definition", "generator_expression", "identifier", "if_statement", "import_from_statement",
    "import_statement", "integer", "keyword_argument", "lambda", "list", "list_comprehension", "list_splat",
    "module", "none", "pair", "parameters", "parenthesized_expression", "pattern_list", "print_statement",
    "raise_statement", "return_statement", "slice", "string", "subscript", "tuple",
    "typed_default_parameter", "typed_parameter", "unary_operator", "while_statement", "with_clause",
    "with_statement", "yield",
)  # fmt: skip
"""The kinds of nodes that rules begin with."""


LONGEST_WALKED = 4_000
"""Characters up to which all nodes are gone through here: a search takes a quarter of a millisecond to read so long a rule."""


class Index:
    """One syntax tree, read once from start to end."""

    def __init__(self, root: SgNode) -> None:
        self.root = root
        self.kinds: dict[str, list[SgNode]] = {kind: [] for kind in KINDS}
        for node in _nodes(root):
            if (nodes := self.kinds.get(node.kind())) is not None:
                nodes.append(node)

    @cached_property
    def calls(self) -> dict[str, list[SgNode]]:
        """Calls by the last name of what is called."""
        return _by(called_name, self.kinds["call"])

    @cached_property
    def attributes(self) -> dict[str, list[SgNode]]:
        """`x.name` by name."""
        return _by(
            lambda node: name.text() if (name := node.field("attribute")) else "", self.kinds["attribute"]
        )

    @cached_property
    def names(self) -> dict[str, list[SgNode]]:
        """Every name that stands in the file, of attributes and keywords too, with its places."""
        return _by(lambda node: node.text(), self.kinds["identifier"])


def _nodes(root: SgNode) -> Iterable[SgNode]:
    """The nodes of a tree in the order of the text; of a long one, those of our kinds."""
    if root.range().end.index > LONGEST_WALKED:
        return root.find_all({"rule": {"any": [{"kind": kind} for kind in KINDS]}})
    return _walked(root)


def _walked(root: SgNode) -> Iterator[SgNode]:
    waiting = [root]
    while waiting:
        yield (node := waiting.pop())
        waiting.extend(reversed(node.children()))


def of_names(nodes: Mapping[str, list[SgNode]], names: Sequence[str]) -> list[SgNode]:
    """The nodes of these names, which may be regular expressions."""
    found = [name for name in names if name in nodes]
    for pattern in (expression(name) for name in names if not name.isidentifier()):
        found += [name for name in nodes if pattern.fullmatch(name)]
    return [node for name in dict.fromkeys(found) for node in nodes[name]]


def _by(name_of: Callable[[SgNode], str], nodes: list[SgNode]) -> dict[str, list[SgNode]]:
    found: dict[str, list[SgNode]] = {}
    for node in nodes:
        found.setdefault(name_of(node), []).append(node)
    return found


def called_name(call: SgNode) -> str:
    """The last name of what is called: `cross_entropy` for `F.cross_entropy(x, y)`, empty where it has none."""
    function = call.field("function")
    if function is None:
        return ""
    if function.kind() == "attribute":
        name = function.field("attribute")
        return name.text() if name else ""
    return function.text() if function.kind() == "identifier" else ""


def constructs(call: SgNode) -> bool:
    """Whether a call makes an object of a class, by the convention that classes have capitals."""
    return call.kind() == "call" and called_name(call)[:1].isupper()


def in_order(nodes: Sequence[SgNode]) -> Sequence[SgNode]:
    """Nodes in the order of the text."""
    return sorted(nodes, key=lambda node: node.range().start.index) if len(nodes) > 1 else nodes


def outermost(nodes: Iterable[SgNode]) -> list[SgNode]:
    """Those of some nodes that lie in no other of them."""
    spans = sorted(
        ((where.start.index, -where.end.index, node) for node in nodes for where in (node.range(),)),
        key=lambda one: one[:2],
    )
    tops: list[SgNode] = []
    end = -1
    for start, last, node in spans:
        if start >= end:
            tops.append(node)
            end = -last
    return tops
