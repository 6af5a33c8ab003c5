"""All files of code together: parsed once, with their functions, classes and calls by name."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from .module import Module
from .ready import Rule
from .scopes import Block, Definition

if TYPE_CHECKING:
    from ast_grep_py import SgNode

    from .callees import Callees


CALLED_AS = ("forward", "__call__", "call", "hybrid_forward", "construct")
"""The method that runs when an object is called, as PyTorch, Python, Keras, MXNet and MindSpore name it."""


@dataclass(eq=False)
class Program:
    """The files, and what they define between them."""

    modules: list[Module]
    callees: Callees | None = None
    """What is called in them, once it was asked for."""

    def everywhere(self, rule: Rule) -> set[SgNode]:
        """Where a rule matches, in all files.

        Raises BadRule.
        """
        return {node for module in self.modules for node in module.find(rule)}

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
            for name, calls in module.index.calls.items():
                found.setdefault(name, []).extend((call, module) for call in calls)
        return found

    @cached_property
    def lone_network(self) -> Block | None:
        """The `forward` of the one class that runs others and is no part of another; None where there are several."""
        forwards = [
            block for block, _ in self.blocks
            if block.name in CALLED_AS[:1] and block.owner and block.owner.node.field("superclasses")
        ]  # fmt: skip
        inside = {
            name
            for name, calls in self.calls.items()
            for call, module in calls
            if self._in_class(call, module)
        }
        outer = [
            one
            for one in forwards
            if one.owner and one.owner.name not in inside and not one.owner.name.endswith("Loss")
        ]
        return outer[0] if len(outer) == 1 else None

    def _in_class(self, call: SgNode, module: Module) -> bool:
        return any(block.kind == "class" for block in module.block.at(call.range().start.index).upwards())

    @cached_property
    def own_attributes(self) -> set[str]:
        """What the objects of the files' classes keep: the names that their methods set."""
        return {
            name.removeprefix(f"{method.parameters[0]}.")
            for method, _ in self.blocks
            if method.owner is not None and method.parameters
            for name in method.definitions
            if name.startswith(f"{method.parameters[0]}.")
        }

    @cached_property
    def bound_names(self) -> set[str]:
        """The last names of everything that is bound to a value: only these can be objects that are called."""
        blocks = [*(module.block for module in self.modules), *(block for block, _ in self.blocks)]
        return {
            name.rpartition(".")[2]
            for block in blocks
            for name, found in block.definitions.items()
            if any(one.kind != "import" and not one.is_code for one in found)
        }

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
        names = (
            [one.text().rpartition(".")[2] for one in around.children() if one.is_named()] if around else []
        )
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
