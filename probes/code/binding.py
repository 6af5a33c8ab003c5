"""Statements to blocks and definitions: where each name of a file gets its values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .scopes import EACH, Block, Definition, Key, constant

if TYPE_CHECKING:
    from ast_grep_py import SgNode

MAX_DEPTH = 60
"""Blocks nested deeper are not looked into."""


def blocks_of(root: SgNode) -> Block:
    """The blocks of a file, each with its definitions."""
    end = root.range().end.index + 1
    module = Block("module", root, 0, end, None)
    _statements(root, module, 0)
    return module


def _statements(node: SgNode, block: Block, depth: int) -> None:
    for child in node.children():
        if child.is_named():
            _statement(child, block, depth)


def _statement(node: SgNode, block: Block, depth: int) -> None:
    kind = node.kind()
    if depth > MAX_DEPTH:
        return
    if kind == "expression_statement":
        for child in node.children():
            _expression(child, block)
    elif kind == "decorated_definition":
        if definition := node.field("definition"):
            _statement(definition, block, depth)
    elif kind in ("function_definition", "class_definition"):
        _definition(node, block, kind.split("_")[0], depth)
    elif kind in ("for_statement", "while_statement"):
        if (left := node.field("left")) and (right := node.field("right")):
            _bind(left, right, (EACH,), right.range().end.index, block)
        _bodies(node, block, "loop", depth)
    elif kind in ("if_statement", "try_statement", "match_statement", "case_clause"):
        _bodies(node, block, "branch", depth)
    elif kind == "with_statement":
        _with(node, block)
        _bodies(node, block, "plain", depth)
    elif kind == "return_statement":
        block.scope.returns.extend((child, block) for child in node.children() if child.is_named())
    elif kind in ("import_statement", "import_from_statement"):
        _imports(node, block)
    elif kind in ("ERROR", "block"):
        _statements(node, block, depth + 1)


def _bodies(node: SgNode, block: Block, kind: str, depth: int) -> None:
    """The blocks of a compound statement: one body, or several of which one runs."""
    choice = node.range().start.index if kind == "branch" else -1
    for child in node.children():
        inside = child.kind()
        if inside == "block":
            # The body of `try` runs as far as it comes; its handlers may not.
            first = node.kind() == "try_statement"
            _open(child, block, "plain" if first else kind, -1 if first else choice, depth)
        elif inside in ("elif_clause", "else_clause", "except_clause", "case_clause", "except_group_clause"):
            for body in child.children():
                if body.kind() == "block":
                    _open(body, block, "branch" if kind == "branch" else "plain", choice, depth)
        elif inside == "finally_clause":
            _bodies(child, block, "plain", depth)


def _open(node: SgNode, block: Block, kind: str, choice: int, depth: int, name: str = "") -> Block:
    where = node.range()
    inner = Block(kind, node, where.start.index, where.end.index, block, choice, name)
    block.inner.append(inner)
    if kind not in ("function", "class"):
        _statements(node, inner, depth + 1)
    return inner


def _definition(node: SgNode, block: Block, kind: str, depth: int) -> None:
    name, body = node.field("name"), node.field("body")
    if name is None or body is None:
        return
    inner = _open(node, block, kind, -1, depth, name.text())
    _define(block, Definition(name.text(), node, (), node.range().end.index, block))
    if parameters := node.field("parameters"):
        _parameters(parameters, inner)
    _statements(body, inner, depth + 1)


def _parameters(node: SgNode, function: Block) -> None:
    at = node.range().end.index
    for child in node.children():
        kind = child.kind()
        value = child.field("value") if kind in ("default_parameter", "typed_default_parameter") else None
        named = (
            child
            if kind == "identifier"
            else child.field("name") or (child.child(0) if kind == "typed_parameter" else None)
        )
        if kind in ("list_splat_pattern", "dictionary_splat_pattern"):
            named = child.child(1)
        if named is not None and named.kind() == "identifier":
            function.parameters.append(named.text())
            _define(function, Definition(named.text(), value, (), at, function, "parameter"))


def _expression(node: SgNode, block: Block) -> None:
    kind = node.kind()
    if kind in ("assignment", "augmented_assignment"):
        left, right = node.field("left"), node.field("right")
        if left and right:
            if right.kind() == "assignment":
                _expression(right, block)
                right = _last_value(right)
            at = node.range().end.index
            if kind == "assignment":
                _bind(left, right, (), at, block)
            else:
                _define(block, Definition(left.text(), node, (), at, block, "augment"))
    elif kind == "call":
        _filled(node, block)
    elif kind == "named_expression":
        name, value = node.field("name"), node.field("value")
        if name and value:
            _define(block, Definition(name.text(), value, (), node.range().end.index, block))


def _last_value(node: SgNode) -> SgNode:
    while node.kind() == "assignment" and (right := node.field("right")):
        node = right
    return node


def _filled(node: SgNode, block: Block) -> None:
    """`x.append(v)`: what x holds now holds v too."""
    function, arguments = node.field("function"), node.field("arguments")
    if function is None or arguments is None or function.kind() != "attribute":
        return
    name, holder = function.field("attribute"), function.field("object")
    if (
        name
        and holder
        and name.text() in ("append", "extend", "insert")
        and holder.kind() in ("identifier", "attribute")
    ):
        values = [one for one in arguments.children() if one.is_named()]
        if values:
            _define(block, Definition(holder.text(), values[-1], (), node.range().end.index, block, "add"))


def _bind(left: SgNode, right: SgNode, path: tuple[Key, ...], at: int, block: Block) -> None:
    kind = left.kind()
    if kind in ("identifier", "attribute"):
        _define(block, Definition(left.text(), right, path, at, block))
    elif kind in ("pattern_list", "tuple_pattern", "list_pattern"):
        targets = [one for one in left.children() if one.is_named()]
        for index, target in enumerate(targets):
            _bind(target, right, (*path, index), at, block)
    elif kind == "subscript" and (holder := left.field("value")):
        key = left.field("subscript")
        _define(
            block, Definition(holder.text(), right, path, at, block, "entry", constant(key) if key else None)
        )
    elif kind == "list_splat_pattern" and (inner := left.child(1)):
        _bind(inner, right, path[:-1], at, block)


def _with(node: SgNode, block: Block) -> None:
    for clause in node.children():
        for item in clause.children() if clause.kind() == "with_clause" else ():
            value = item.field("value")
            if (
                value
                and value.kind() == "as_pattern"
                and (held := value.child(0))
                and (alias := value.field("alias"))
            ):
                _define(block, Definition(alias.text(), held, (), value.range().end.index, block))


def _imports(node: SgNode, block: Block) -> None:
    at = node.range().end.index
    for child in node.children():
        kind = child.kind()
        named = child.field("alias") if kind == "aliased_import" else child
        if named and kind in ("aliased_import", "dotted_name"):
            _define(block, Definition(named.text().rpartition(".")[2], None, (), at, block, "import"))


def _define(block: Block, definition: Definition) -> None:
    block.scope.definitions.setdefault(definition.name, []).append(definition)
