"""What is called? A function or method of the files, or an object, known by the call that made it."""

from __future__ import annotations

import builtins
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from .constants import Literals
from .index import called_name
from .module import Module
from .program import CALLED_AS, Program
from .scopes import Block
from .ways import Known, Origin, Way, arguments_of, is_entry, is_splat

if TYPE_CHECKING:
    from ast_grep_py import SgNode

MAX_LEVEL = 8
"""How deep the search for what is called may lead to other calls."""


KNOWN = {
    "wrappers": "module-wrapper", "sequences": "module-sequence", "collections": "collection",
    "weightless": "weightless", "libraries": "library-name",
}  # fmt: skip
"""The idioms that the way through modules depends on."""


class Callee(NamedTuple):
    """What runs when something is called."""

    target: SgNode | Block
    """A function of the files, or the call that made the object."""
    way: Way
    """Where it was found; sure only where nothing else can be called."""


@dataclass(slots=True, eq=False)
class Callees:
    """Finds what is called, each callee once."""

    program: Program
    known: Known
    _found: dict[tuple[SgNode, object], list[Callee]] = field(default_factory=dict)
    _level: int = 0
    literals: Literals = field(init=False)
    """What is known before the program runs."""

    def __post_init__(self) -> None:
        self.literals = Literals(self.program, self)

    def of(self, way: Way) -> list[Callee]:
        """What an expression stands for when it is called."""
        key = (way.node, way.frame)
        if key not in self._found:
            # What is being looked for already is not looked for again inside itself.
            self._found[key] = []
            if self._level < MAX_LEVEL:
                self._level += 1
                self._found[key] = list(self._search(way))
                self._level -= 1
        return self._found[key]

    def may_have_weights(self, way: Way) -> bool:
        """Whether a call is one of an object held in a name that is not known to be without weights."""
        function = way.node.field("function")
        if function is None or way.node in self.known.weightless:
            return False
        if function.kind() == "identifier" and not self._is_variable(function, way.module):
            return False
        if function.kind() == "attribute" and (
            (holder := function.field("object")) is None or self.is_package(holder, way.module)
        ):
            return False
        # What is handed to a wrapper beside the network, such as the number of a device, does not take its weights away.
        found = self.of(way.to(function, path=()))
        return not found or not all(one.target in self.known.weightless for one in found)

    def is_package(self, node: SgNode, module: Module) -> bool:
        """Whether the name before a dot is a package: `torch` in `torch.nn.functional`."""
        first = node
        while first.kind() == "attribute" and (holder := first.field("object")):
            first = holder
        if first.kind() != "identifier":
            return False
        name = first.text()
        for scope in module.block.at(first.range().start.index).upwards():
            if scope.kind in ("function", "module") and name in scope.definitions:
                return all(one.kind == "import" for one in scope.definitions[name])
        return first in self.known.libraries

    def class_of(self, holder: SgNode, block: Block) -> Block | None:
        """The class of `self` in a method."""
        function = block.scope
        while function.kind == "function" and function.owner is None and function.parent:
            function = function.parent.scope
        if function.owner and function.parameters and holder.text() == function.parameters[0]:
            return function.owner
        return None

    def _is_variable(self, node: SgNode, module: Module) -> bool:
        """Whether a name is bound to an object; one that the files do not bind may be, unless Python itself does."""
        name = node.text()
        for scope in module.block.at(node.range().start.index).upwards():
            if scope.kind in ("function", "module") and (found := scope.definitions.get(name)):
                return any(one.kind != "import" and not one.is_code for one in found)
        return not hasattr(builtins, name)

    def _search(self, way: Way) -> Iterator[Callee]:
        kind = way.node.kind()
        if kind == "identifier" and (function := self._function(way.node, way.module)):
            yield Callee(function, way)
        elif kind == "attribute" and (method := self._method(way)):
            yield Callee(method, way)
        elif kind in ("identifier", "attribute", "subscript", "call") and not self.is_package(
            way.node, way.module
        ):
            for origin in self._origins(way):
                if origin.kind == "made" and not is_entry(origin.way.path):
                    yield from self._object(origin)
                elif origin.kind != "made":
                    yield from self._lone_network(way)

    def _origins(self, way: Way) -> list[Origin]:
        from .origins import Tracer

        return list(Tracer(self.program, self, through=self.known.wrappers).follow(way))

    def _object(self, origin: Origin) -> Iterator[Callee]:
        """What runs when an object is called: its class's `forward`, or the last of a row of modules."""
        if origin.node.kind() != "call":
            return
        owner = self.program.class_(called_name(origin.node))
        methods = [method for name in CALLED_AS if owner and (method := self.program.method(owner, name))]
        if methods:
            yield Callee(methods[0], origin.way)
        elif origin.node in self.known.sequences:
            plain, _ = arguments_of(origin.node)
            for inner in (
                self._origins(origin.way.to(plain[-1], path=(-1,) if is_splat(plain[-1]) else ()))
                if plain
                else ()
            ):
                yield from self._object(inner)
        else:
            yield Callee(origin.node, origin.way)

    def _lone_network(self, way: Way) -> Iterator[Callee]:
        """An object from elsewhere that is called with as much as the only network in the files takes: that network."""
        network, call = self.program.lone_network, way.node.parent()
        if network is None or call is None or call.kind() != "call" or call in self.known.weightless:
            return
        # To make an object is not to call it, and the method of one from elsewhere is no network: `scaler.transform(x)`.
        name = way.node.text()
        if self.program.class_(name) is not None or ("." in name and not name.startswith("self.")):
            return
        plain, keywords = arguments_of(call)
        if len(plain) + len(keywords) == len(network.parameters) - 1:
            yield Callee(network, way)

    def _function(self, node: SgNode, module: Module) -> Block | None:
        name = node.text()
        for scope in module.block.at(node.range().start.index).upwards():
            if scope.kind not in ("function", "module"):
                continue
            for inner in scope.inner:
                if inner.kind == "function" and inner.name == name:
                    return inner
            if any(one.kind != "import" for one in scope.definitions.get(name, ())):
                return None
        return self.program.function(name)

    def _method(self, way: Way) -> Block | None:
        holder, name = way.node.field("object"), way.node.field("attribute")
        if holder is None or name is None:
            return None
        owner = self.class_of(holder, way.module.block.at(way.node.range().start.index))
        if (
            owner is None
            and holder.kind() in ("identifier", "attribute")
            and not self.is_package(holder, way.module)
        ):
            made = [
                one.node
                for one in self._origins(way.to(holder, path=()))
                if one.kind == "made" and one.node.kind() == "call" and not is_entry(one.way.path)
            ]
            owner = self.program.class_(called_name(made[0])) if made else None
        return self.program.method(owner, name.text()) if owner else None


def callees_of(program: Program) -> Callees:
    """What is called in a program, remembered with it: every flow pattern asks for the same."""
    if program.callees is None:
        idioms = program.modules[0].idioms if program.modules else {}
        known = {kind: program.everywhere(idioms[name]) for kind, name in KNOWN.items() if name in idioms}
        program.callees = Callees(program, Known(**known))
    return program.callees
