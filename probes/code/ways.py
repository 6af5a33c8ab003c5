"""The steps of a way back from a value to where it was made."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from .module import Module
from .scopes import EACH, Block, Key

if TYPE_CHECKING:
    from ast_grep_py import SgNode

MAX_PATH = 6
"""Entries of entries of a value that are told apart."""


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """A call that was entered: what its function's parameters stand for."""

    function: Block
    call: SgNode
    module: Module
    outer: Frame | None
    depth: int


@dataclass(frozen=True, slots=True)
class Way:
    """An expression on the way back, and what of it is followed."""

    node: SgNode
    module: Module
    path: tuple[Key, ...] = ()
    frame: Frame | None = None
    sure: bool = True
    """False where a branch of the code decides whether the value comes this way."""

    def to(self, node: SgNode, *, sure: bool = True, path: tuple[Key, ...] | None = None) -> Way:
        """One expression further back in the same file."""
        return Way(
            node,
            self.module,
            (self.path if path is None else path)[:MAX_PATH],
            self.frame,
            self.sure and sure,
        )

    def doubtful(self, sure: bool) -> Way:
        """The same step, sure only where this is too."""
        return self if sure or not self.sure else replace(self, sure=False)

    def end(self, kind: str) -> Origin:
        """The way ends here."""
        return Origin(self.node, kind, self)


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a way ends."""

    node: SgNode
    """The expression that makes the value, or the construction of the object whose call makes it."""
    kind: str
    """`stopped` where the tracer was told to, `made` here, given as `data` (a parameter, or a name from
    elsewhere), or `lost` from sight."""
    way: Way

    @property
    def sure(self) -> bool:
        """Whether the value comes from here in any case."""
        return self.way.sure

    @property
    def module(self) -> Module:
        """The file it is in."""
        return self.way.module


@dataclass(frozen=True, slots=True)
class Known:
    """What the way depends on beyond the language, as idioms find it in the files."""

    wrappers: Container[SgNode] = ()
    """Calls that give back the module they are given: `.to(device)`, `DataParallel(net)`."""
    sequences: Container[SgNode] = ()
    """Constructions of modules that run others in a row."""
    collections: Container[SgNode] = ()
    """Calls that give back the elements they are given: `ModuleList(...)`, `reversed(...)`."""
    weightless: Container[SgNode] = ()
    """Calls and constructions of what has no weights: losses, activations."""
    libraries: Container[SgNode] = ()
    """Names that stand for a package where the files do not show an import: `torch`, `F`."""


def named_parts(node: SgNode | None) -> list[SgNode]:
    """The parts of an expression or an argument list, without comments and punctuation."""
    return [one for one in node.children() if one.is_named() and one.kind() != "comment"] if node else []


def arguments_of(call: SgNode) -> tuple[list[SgNode], dict[str, SgNode]]:
    """The positional and the keyword arguments of a call."""
    plain: list[SgNode] = []
    keywords: dict[str, SgNode] = {}
    for one in named_parts(call.field("arguments")):
        name, value = (
            (one.field("name"), one.field("value")) if one.kind() == "keyword_argument" else (None, None)
        )
        if name and value:
            keywords[name.text()] = value
        else:
            plain.append(one)
    return plain, keywords


def is_splat(node: SgNode) -> bool:
    """`*values` or `**values`."""
    return node.kind() in ("list_splat", "dictionary_splat")


def is_entry(path: tuple[Key, ...]) -> bool:
    """Whether an attribute or entry is meant, and not the value or an element of it."""
    return any(isinstance(key, str) and key != EACH for key in path)


def comprehended(node: SgNode, name: str) -> tuple[SgNode, tuple[Key, ...]] | None:
    """What a comprehension around a name takes it from, and what of each element."""
    for around in node.ancestors():
        kind = around.kind()
        if kind.endswith("_comprehension") or kind == "generator_expression":
            for clause in around.children():
                left, right = (
                    (clause.field("left"), clause.field("right"))
                    if clause.kind() == "for_in_clause"
                    else (None, None)
                )
                if left and right and (path := _place_in(left, name)) is not None:
                    return right, path
        elif kind in ("function_definition", "module", "block"):
            return None
    return None


def _place_in(target: SgNode, name: str) -> tuple[Key, ...] | None:
    """Where a name stands in `a, (b, c)`: `(1, 0)` for b."""
    if target.kind() == "identifier":
        return () if target.text() == name else None
    for index, part in enumerate(named_parts(target)):
        if (path := _place_in(part, name)) is not None:
            return index, *path
    return None
