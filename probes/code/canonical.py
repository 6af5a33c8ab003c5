"""A script with names as its libraries know them: what it looks up in its own constants is written out.

`from torch.nn import CrossEntropyLoss as XE`, `getattr(nn, "Softmax")` and `LOSSES["ce"]` mean the same as the
name they stand for, which is the one that patterns know. No line moves.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, TypeAlias

from traindx.engine.regex import regex

from .index import called_name
from .scopes import constant

if TYPE_CHECKING:
    from ast_grep_py import SgNode

_MAY_CHANGE = regex(r"\bas\b|\bgetattr\(|\[\s*[\"'\d]|\.get\(\s*[\"']")
_CHANGERS = regex(r"(?i)update|merge|overrid|parse|load|set|fill|add|resolve|patch")
"""Functions that may change a dict that is handed to them; most only look things up in it."""
_READERS = frozenset(("get", "keys", "items", "values", "copy"))
_READS = frozenset(
    ("comparison_operator", "if_statement", "dictionary_splat", "interpolation", "parenthesized_expression")
)
_REPLACES = frozenset((
    "assignment", "augmented_assignment", "delete_statement", "expression_list", "for_statement", "pattern_list",
))  # fmt: skip
_BINDS = {
    "assignment": "left", "as_pattern_target": "", "augmented_assignment": "left", "class_definition": "name",
    "default_parameter": "name", "for_statement": "left", "function_definition": "name", "lambda_parameters": "",
    "parameters": "", "pattern_list": "", "tuple_pattern": "", "typed_default_parameter": "name", "typed_parameter": "",
}  # fmt: skip
"""Kinds of nodes in which a name is bound, and the field it then stands in."""
_PACKAGES = {"functional": "F", "nn": "nn", "optim": "optim"}
"""Packages that have a short name everywhere."""
_NAMES = frozenset(("identifier", "attribute"))
_PLAIN = _NAMES | {"string", "integer", "float", "true", "false", "none", "unary_operator"}

Table: TypeAlias = dict[object, "SgNode"]
Names: TypeAlias = Mapping[str, "list[SgNode]"]
"""Every name of a file, with its places."""


def canonical(text: str) -> str:
    """The text with such names written out; the same text where there are none."""
    for written_out in _ROUNDS if _MAY_CHANGE.search(text) else ():
        from ast_grep_py import SgRoot

        root = SgRoot(text, "python").root()
        names: defaultdict[str, list[SgNode]] = defaultdict(list)
        for node in root.find_all(kind="identifier"):
            names[node.text()].append(node)
        edits = {node.range().start.index: node.replace(name) for node, name in written_out(root, names)}
        text = root.commit_edits(list(edits.values())) if edits else text
    return text


def _renamed(root: SgNode, names: Names) -> Iterator[tuple[SgNode, str]]:
    """The nodes that stand for what was imported by another name, and its own name."""
    for alias, name in _aliases(root, names):
        yield from ((node, name) for node in names[alias] if _is_used(node))


def _named(root: SgNode, names: Names) -> Iterator[tuple[SgNode, str]]:
    """The nodes that stand for a name or a literal that they are looked up by, and that."""
    for call in root.find_all(pattern="getattr($HOLDER, $NAME)"):
        holder, named = call.get_match("HOLDER"), call.get_match("NAME")
        if holder and named and holder.kind() in _NAMES and named.kind() == "string":
            name = named.text().strip("\"'")
            if name.isidentifier():
                yield call, f"{holder.text()}.{name}"
    if tables := _tables(root, names):
        yield from _looked_up(root, tables)


_ROUNDS = (_renamed, _named, _named)
"""What is written out is looked through again: `LOSSES[cfg["loss"]]` takes two."""


def _aliases(root: SgNode, names: Names) -> Iterator[tuple[str, str]]:
    """New name and name in the library, of what is imported by another name that stands for nothing else here."""
    for node in root.find_all(kind="aliased_import"):
        around, name, alias = node.parent(), node.field("name"), node.field("alias")
        if around is None or around.kind() != "import_from_statement" or not name or not alias:
            continue
        old, new = name.text(), alias.text()
        is_package = any(map(_holds_a_name, names[new]))
        known = _PACKAGES.get(old, "") if is_package and old.islower() else old
        # A name that the file uses for something of its own is not free to be used for another.
        free = known.isidentifier() and known != new and len(names.get(known, ())) == (known == old)
        if free and not any(map(_is_bound, names[new])):
            yield new, known


def _holds_a_name(node: SgNode) -> bool:
    around = node.parent()
    return around is not None and around.kind() == "attribute" and around.field("object") == node


def _is_bound(node: SgNode) -> bool:
    """Whether a name gets a value here, or is that of a parameter, a function or a class."""
    around = node.parent()
    kind = around.kind() if around else ""
    if around is None or kind not in _BINDS:
        return False
    field = _BINDS[kind]
    return not field or around.field(field) == node


def _is_used(node: SgNode) -> bool:
    """Whether a name stands for a value: not after a dot, before the `=` of a keyword, or in an import."""
    around = node.parent()
    if around is None or around.kind() in ("aliased_import", "dotted_name"):
        return False
    if around.kind() == "attribute":
        return around.field("object") == node
    return around.kind() != "keyword_argument" or around.field("name") != node


def _tables(root: SgNode, names: Names) -> dict[str, Table]:
    """The dicts of the file that are written down once and never changed, by name, with what stands for the same everywhere."""
    found: dict[str, Table] = {}
    for node in root.find_all(kind="assignment"):
        left, right = node.field("left"), node.field("right")
        if left and right and left.kind() == "identifier" and (entries := _entries(right)):
            name = left.text()
            if sum(map(_may_change, names[name])) == 1:
                found[name] = {key: value for key, value in entries.items() if _is_fixed(value, names)}
    return found


def _entries(node: SgNode) -> Table:
    """The entries of `{...}` or `dict(...)` with plain keys; empty where one is not to be seen."""
    called, arguments = node.field("function"), node.field("arguments")
    holder = (
        arguments if called and called.text() == "dict" else node if node.kind() == "dictionary" else None
    )
    found: Table = {}
    for one in holder.children() if holder else ():
        key, value = one.field("key") or one.field("name"), one.field("value")
        if not one.is_named() or one.kind() == "comment":
            continue
        known = constant(key) if key and one.kind() == "pair" else key.text() if key else None
        if known is None or value is None:
            return {}
        found[known] = value
    return found


def _is_fixed(value: SgNode, names: Names) -> bool:
    """Whether it is a literal, or a name that no statement of the file gives a value: a function, a class, a package."""
    text = value.text()
    if value.kind() not in _PLAIN or "\n" in text:
        return False
    own = names.get(text.partition(".")[0], []) if value.kind() in _NAMES else []
    return not any(_is_bound(one) and not _is_code(one) for one in own)


def _is_code(node: SgNode) -> bool:
    around = node.parent()
    return around is not None and around.kind() in ("function_definition", "class_definition")


def _may_change(node: SgNode) -> bool:
    """Whether a name gets a value here, or what it holds may change."""
    around = node.parent()
    kind = around.kind() if around else ""
    if around is None or kind in _READS:
        return False
    if kind == "subscript":
        outer = around.parent()
        return outer is not None and outer.kind() in _REPLACES and outer.field("left") in (around, None)
    if kind == "attribute":
        called = around.field("attribute")
        return called is None or called.text() not in _READERS
    if kind in ("argument_list", "keyword_argument"):
        call = next((one for one in around.ancestors() if one.kind() == "call"), None)
        return call is None or _CHANGERS.search(called_name(call)) is not None
    return True


def _looked_up(root: SgNode, tables: dict[str, Table]) -> Iterator[tuple[SgNode, str]]:
    for node in root.find_all(kind="subscript"):
        around = node.parent()
        stored = around is not None and around.kind() in _REPLACES and around.field("left") == node
        if not stored and (name := _entry(node.field("value"), node.field("subscript"), tables)):
            yield node, name
    for node in root.find_all(pattern="$TABLE.get($KEY)"):
        if name := _entry(node.get_match("TABLE"), node.get_match("KEY"), tables):
            yield node, name


def _entry(holder: SgNode | None, key: SgNode | None, tables: dict[str, Table]) -> str:
    """What stands in a table under a key; nothing within a formatted string, whose quotes it might close."""
    value = tables.get(holder.text(), {}).get(constant(key)) if holder and key else None
    if not holder or not value or any(one.kind() == "interpolation" for one in holder.ancestors()):
        return ""
    return value.text()
