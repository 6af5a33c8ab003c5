"""All files of code together: parsed once, with their functions, classes and calls by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from .scopes import Block, Definition, blocks_of
from .source import Source

if TYPE_CHECKING:
    from ast_grep_py import SgNode


class BadRule(ValueError):
    """A rule that ast-grep does not take. The message says why."""


@dataclass(eq=False)
class Module:
    """One file."""

    source: Source
    idioms: Mapping[str, Mapping[str, Any]]
    _found: dict[str, list[SgNode]] = field(default_factory=dict)

    @cached_property
    def root(self) -> SgNode:
        """The syntax tree. It has a tree for any text; what does not parse is an ERROR node in it."""
        from ast_grep_py import SgRoot

        return SgRoot(self.source.text, "python").root()

    @cached_property
    def block(self) -> Block:
        """The blocks and definitions."""
        return blocks_of(self.root)

    def find(self, rule: Mapping[str, Any], idioms: Iterable[str] = (), constraints: Mapping[str, Any] | None = None) -> list[SgNode]:
        """Where a rule matches, in the order of the text. Idioms it names are given by id.

        Raises BadRule.
        """
        key = f"{rule} {constraints}" if constraints else str(rule)
        if key not in self._found:
            config = {"rule": rule, "utils": {name: self.idioms[name] for name in idioms}, "constraints": constraints or {}}
            try:
                self._found[key] = self.root.find_all({name: part for name, part in config.items() if part})
            except RuntimeError as error:
                raise BadRule(str(error).split("Stack backtrace")[0].strip()) from None
        return self._found[key]


@dataclass(eq=False)
class Program:
    """The files, and what they define between them."""

    modules: list[Module]

    @cached_property
    def blocks(self) -> list[tuple[Block, Module]]:
        """Every function and class."""
        waiting = [(module.block, module) for module in self.modules]
        found = []
        while waiting:
            block, module = waiting.pop()
            if block.kind in ("function", "class"):
                found.append((block, module))
            waiting.extend((inner, module) for inner in block.inner)
        return found

    @cached_property
    def functions(self) -> dict[str, list[Block]]:
        """Functions outside classes, by name."""
        return self._by_name("function")

    @cached_property
    def classes(self) -> dict[str, list[Block]]:
        """Classes by name."""
        return self._by_name("class")

    @cached_property
    def module_of(self) -> dict[Block, Module]:
        """The file of a function or class."""
        return dict(self.blocks)

    @cached_property
    def calls(self) -> dict[str, list[tuple[SgNode, Module]]]:
        """Calls by the last name of what is called."""
        found: dict[str, list[tuple[SgNode, Module]]] = {}
        for module in self.modules:
            for call in module.find({"kind": "call"}):
                found.setdefault(called_name(call), []).append((call, module))
        return found

    def function(self, name: str) -> Block | None:
        """The function of this name, where there is just one."""
        found = self.functions.get(name, ())
        return found[0] if len(found) == 1 else None

    def class_(self, name: str) -> Block | None:
        """The class of this name, where there is just one."""
        found = self.classes.get(name, ())
        return found[0] if len(found) == 1 else None

    def method(self, owner: Block, name: str, depth: int = 0) -> Block | None:
        """A method of a class, or of a class it derives from."""
        for inner in owner.inner:
            if inner.kind == "function" and inner.name == name:
                return inner
        for base in self.bases(owner) if depth < 5 else ():
            if found := self.method(base, name, depth + 1):
                return found
        return None

    def bases(self, owner: Block) -> list[Block]:
        """The classes that a class derives from, as far as they are in these files."""
        around = owner.node.field("superclasses")
        names = [one.text().rpartition(".")[2] for one in around.children() if one.is_named()] if around else []
        return [base for name in names if (base := self.class_(name)) and base is not owner]

    def attributes(self, owner: Block, name: str, depth: int = 0) -> list[Definition]:
        """What a class's methods set an attribute of theirs to."""
        found = list(owner.definitions.get(name, ()))
        for method in owner.inner:
            if method.kind == "function" and method.parameters:
                found += method.definitions.get(f"{method.parameters[0]}.{name}", ())
        if not found and depth < 5:
            return [one for base in self.bases(owner) for one in self.attributes(base, name, depth + 1)]
        return found

    def _by_name(self, kind: str) -> dict[str, list[Block]]:
        found: dict[str, list[Block]] = {}
        for block, _ in self.blocks:
            if block.kind == kind and block.owner is None:
                found.setdefault(block.name, []).append(block)
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
