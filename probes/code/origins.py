"""Where does a value come from? Followed backwards through names, tuples, attributes, functions and modules.

What is not seen in the files (a parameter nobody passes, an imported function's inside) ends the way
as lost: then nothing is claimed. A way that depends on a branch of the code is followed, and marked as
not sure.
"""

from __future__ import annotations

import builtins
from collections.abc import Container, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from .program import CALLED_AS, Module, Program, called_name
from .scopes import EACH, Block, Definition, Key, reaching

if TYPE_CHECKING:
    from ast_grep_py import SgNode

MAX_STEPS = 3_000
"""Expressions looked at on the way to one place."""
MAX_CALLS = 8
"""How many calls inside calls are entered."""
_CONSTANTS = frozenset(("integer", "float", "string", "concatenated_string", "none", "true", "false", "ellipsis", "lambda"))
_WRAPPED = ("parenthesized_expression", "await", "list_splat", "dictionary_splat", "as_pattern")


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

    def to(self, node: SgNode, *, sure: bool = True, path: tuple[Key, ...] | None = None) -> Way:
        """The same way one expression further back in the same file."""
        return replace(self, node=node, sure=self.sure and sure, path=self.path if path is None else path)


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a way ends."""

    node: SgNode
    """The expression that makes the value, or the construction of the object whose call makes it."""
    path: tuple[Key, ...]
    sure: bool
    kind: str
    """`made` here, given as `data` (a parameter, or a name from elsewhere), or `lost` from sight."""
    way: Way

    @property
    def module(self) -> Module:
        """The file it is in."""
        return self.way.module


@dataclass(frozen=True, slots=True)
class Known:
    """Calls that the way through modules depends on, as idioms find them."""

    wrappers: Container[SgNode] = ()
    """They give back the module they are given: `.to(device)`, `DataParallel(net)`."""
    sequences: Container[SgNode] = ()
    """Constructions of modules that run others in a row."""
    collections: Container[SgNode] = ()
    """They give back the elements they are given: `ModuleList(...)`, `reversed(...)`."""
    weightless: Container[SgNode] = ()
    """Calls and constructions of what has no weights: losses, activations."""
    libraries: Container[SgNode] = ()
    """Names that stand for a package where the files do not show an import: `torch`, `F`."""


@dataclass(slots=True, eq=False)
class Tracer:
    """Follows values back through a program."""

    program: Program
    stop: Container[SgNode] = ()
    """Expressions (and constructions of objects whose calls are meant) at which a way ends."""
    through: Container[SgNode] = ()
    """Calls that pass the value of their object and arguments on."""
    known: Known = field(default_factory=lambda: Known())
    everything: bool = False
    _steps: int = 0
    _seen: set[tuple[SgNode, tuple[Key, ...], Frame | None, bool]] = field(default_factory=set)
    _makers: dict[tuple[SgNode, Frame | None], list[tuple[SgNode | Block, Way]]] = field(default_factory=dict)

    def origins(self, node: SgNode, module: Module) -> Iterator[Origin]:
        """All origins of an expression's value."""
        self._steps = 0
        self._seen.clear()
        yield from self._trace(Way(node, module))

    def passed(self, node: SgNode, module: Module) -> set[SgNode]:
        """Every expression on the ways to an expression's origins."""
        for _ in self.origins(node, module):
            pass
        return {key[0] for key in self._seen}

    def makers(self, way: Way) -> list[tuple[SgNode | Block, Way]]:
        """What is called by a callee: functions and methods of the files, or constructions of objects."""
        key = (way.node, way.frame)
        if key not in self._makers:
            # What is being looked for already is not looked for again inside itself.
            self._makers[key] = []
            inside = Tracer(self.program, through=self.known.wrappers, known=self.known)
            inside._makers = self._makers
            self._makers[key] = list(inside._callees(way))
        return self._makers[key]

    def _trace(self, way: Way) -> Iterator[Origin]:
        key = (way.node, way.path, way.frame, way.sure)
        self._steps += 1
        if key in self._seen:
            return
        if self._steps > MAX_STEPS:
            yield self._end(way, "lost")
            return
        self._seen.add(key)
        kind = way.node.kind()
        if way.node in self.stop and not _names_only(way.path):
            yield self._end(way, "made")
        elif kind == "identifier":
            yield from self._name(way, way.node.text())
        elif kind == "attribute":
            yield from self._attribute(way)
        elif kind == "call":
            yield from self._call(way)
        elif kind not in _CONSTANTS:
            yield from self._compound(way, kind)

    def _compound(self, way: Way, kind: str) -> Iterator[Origin]:
        parts = [child for child in way.node.children() if child.is_named() and child.kind() != "comment"]
        match kind:
            case "subscript":
                yield from self._subscript(way, parts)
            case "tuple" | "list" | "expression_list" | "set":
                yield from self._elements(way, parts)
            case "dictionary":
                yield from self._entries(way, parts)
            case "conditional_expression" if len(parts) == 3:
                for part in (parts[0], parts[2]):
                    yield from self._trace(way.to(part, sure=False))
            case "boolean_operator":
                for part in parts:
                    yield from self._trace(way.to(part, sure=False))
            case "list_comprehension" | "generator_expression" | "set_comprehension":
                yield from self._trace(way.to(parts[0], path=way.path[1:]))
            case "named_expression" | "keyword_argument" | "pair":
                yield from self._trace(way.to(parts[-1]))
            case _ if kind in _WRAPPED and parts:
                yield from self._trace(way.to(parts[0]))
            case _ if self.everything or way.node in self.through:
                for part in parts:
                    yield from self._trace(way.to(part, path=()))
            case _:
                yield self._end(way, "made")

    def _subscript(self, way: Way, parts: list[SgNode]) -> Iterator[Origin]:
        value, *indices = parts
        key = _constant(indices[0]) if len(indices) == 1 else None
        path = way.path if key is None else (key, *way.path)
        yield from self._trace(way.to(value, path=path))

    def _elements(self, way: Way, parts: list[SgNode]) -> Iterator[Origin]:
        first = way.path[0] if way.path else EACH
        if isinstance(first, int) and -len(parts) <= first < len(parts) and not any(part.kind() == "list_splat" for part in parts):
            yield from self._trace(way.to(parts[first], path=way.path[1:]))
            return
        for part in parts:
            yield from self._trace(way.to(part, path=way.path[1:]))

    def _entries(self, way: Way, parts: list[SgNode]) -> Iterator[Origin]:
        wanted = way.path[0] if way.path else EACH
        for part in parts:
            key, value = part.field("key"), part.field("value")
            if key is None or value is None:
                yield from self._trace(way.to(part))
            elif wanted == EACH or _constant(key) in (None, wanted):
                yield from self._trace(way.to(value, path=way.path[1:]))

    # -- names ---------------------------------------------------------------------------------

    def _name(self, way: Way, name: str) -> Iterator[Origin]:
        here = way.node.range().start.index
        if (taken := _comprehended(way.node, name)) is not None:
            iterated, path = taken
            yield from self._trace(way.to(iterated, path=(EACH, *path, *way.path)))
            return
        block = way.module.block.at(here)
        for scope in block.upwards():
            if scope.kind in ("function", "module") and name in scope.definitions:
                position, around = (here, block) if scope is block.scope else (scope.end, scope)
                yield from self._definitions(way, scope.definitions[name], position, around)
                return
        yield self._end(way, "data")

    def _definitions(self, way: Way, found: list[Definition], position: int, block: Block) -> Iterator[Origin]:
        seen = False
        for one, sure in reaching(found, position, block, through_augment=self.everything):
            seen = True
            yield from self._defined(way, one, sure)
        if not seen:
            yield self._end(way, "lost")

    def _defined(self, way: Way, one: Definition, sure: bool) -> Iterator[Origin]:
        if one.kind == "parameter":
            yield from self._parameter(way if sure else replace(way, sure=False), one)
        elif one.kind == "augment" and one.value is not None and not self.everything:
            yield self._end(way.to(one.value, sure=sure), "made")
        elif one.kind == "augment" and one.value is not None and (right := one.value.field("right")):
            yield from self._trace(way.to(right, sure=sure, path=()))
        elif one.value is not None and not _is_definition(one.value):
            path = way.path[1:] if one.kind == "add" else way.path
            yield from self._trace(way.to(one.value, sure=sure, path=(*one.path, *path)))
        else:
            yield self._end(way, "lost")

    def _parameter(self, way: Way, one: Definition) -> Iterator[Origin]:
        function = one.block
        if way.frame and way.frame.function is function:
            handed = self._handed(way.frame.call, function, one.name)
            if handed is not None:
                yield from self._trace(replace(way, node=handed, module=way.frame.module, frame=way.frame.outer))
            elif one.value is not None:
                yield from self._trace(way.to(one.value))
            else:
                yield self._end(way, "data")
            return
        yield from self._from_callers(way, one)

    def _from_callers(self, way: Way, one: Definition) -> Iterator[Origin]:
        """What the files' own calls of a function hand over; nobody calls what only others use."""
        function = one.block
        name = function.owner.name if function.owner and function.name == "__init__" else function.name
        known = self.program.function(name) is function or function.owner is not None
        calls = self.program.calls.get(name, []) if known and function.name not in CALLED_AS else []
        if not calls:
            yield self._end(way, "data")
        for call, module in calls[:5]:
            handed = self._handed(call, function, one.name) or one.value
            if handed is None:
                yield self._end(way, "data")
            else:
                yield from self._trace(replace(way, node=handed, module=module, frame=None, sure=way.sure and len(calls) == 1))

    def _handed(self, call: SgNode, function: Block, name: str) -> SgNode | None:
        """The argument that a call hands over for a parameter."""
        arguments = call.field("arguments")
        given = [one for one in arguments.children() if one.is_named() and one.kind() != "comment"] if arguments else []
        for one in given:
            if one.kind() == "keyword_argument" and (key := one.field("name")) and key.text() == name:
                return one.field("value")
        position = function.parameters.index(name) - (1 if _bound(function) else 0)
        plain = [one for one in given if one.kind() != "keyword_argument"]
        if position < 0 or any(one.kind() in ("list_splat", "dictionary_splat") for one in plain):
            return None
        return plain[position] if position < len(plain) else None

    # -- attributes ----------------------------------------------------------------------------

    def _attribute(self, way: Way) -> Iterator[Origin]:
        holder, name = way.node.field("object"), way.node.field("attribute")
        if holder is None or name is None:
            return
        here = way.node.range().start.index
        block = way.module.block.at(here)
        text = way.node.text()
        for scope in block.upwards():
            if scope.kind in ("function", "module") and (found := scope.definitions.get(text)):
                before = [one for one in found if one.at <= here] if scope is block.scope else found
                if before or scope.owner is None:
                    yield from self._definitions(way, found, here if scope is block.scope else scope.end, block if scope is block.scope else scope)
                    return
        owner = self._class_of(holder, block)
        found = self.program.attributes(owner, name.text()) if owner else []
        if found:
            yield from self._set_elsewhere(way, found)
        elif self.everything:
            yield from self._trace(way.to(holder, path=()))
        else:
            yield from self._trace(way.to(holder, path=(name.text(), *way.path)))

    def _set_elsewhere(self, way: Way, found: list[Definition]) -> Iterator[Origin]:
        """An attribute that other methods set: sure where just one does, in any case."""
        for one in found:
            always = one.block.kind in ("function", "class") or all(
                block.kind != "branch" for block in one.block.upwards() if block.scope is one.block.scope
            )
            module = self.program.module_of.get(one.block.scope, way.module)
            yield from self._defined(replace(way, module=module, frame=None), one, len(found) == 1 and always)

    def _class_of(self, holder: SgNode, block: Block) -> Block | None:
        """The class of `self` in a method."""
        function = block.scope
        while function.kind == "function" and function.owner is None and function.parent:
            function = function.parent.scope
        if function.owner and function.parameters and holder.text() == function.parameters[0]:
            return function.owner
        return None

    # -- calls ---------------------------------------------------------------------------------

    def _call(self, way: Way) -> Iterator[Origin]:
        function = way.node.field("function")
        if function is None:
            return
        if way.node in self.through or way.node in self.known.collections:
            yield from self._handed_on(way)
            return
        if way.path[:1] == (EACH,) and (taken := self._zipped(way)) is not None:
            yield from self._trace(taken)
            return
        entered = False
        for maker, found in self.makers(way.to(function, path=())):
            sure = way.sure and found.sure
            if not isinstance(maker, Block) and maker in self.stop and not _names_only(way.path):
                yield Origin(maker, way.path, sure, "made", way)
                entered = True
            elif isinstance(maker, Block) and (way.frame.depth if way.frame else 0) < MAX_CALLS:
                entered = True
                yield from self._returned(replace(way, sure=sure), maker)
        if not entered and self.everything:
            yield from self._handed_on(way.to(way.node, path=()))
            if self._may_have_weights(way, function):
                yield self._end(way, "made")
        elif not entered:
            yield self._end(way, "made")

    def _may_have_weights(self, way: Way, function: SgNode) -> bool:
        """Whether what is called is an object held in a name, and not known to be without weights."""
        if function.kind() not in ("identifier", "attribute", "subscript") or way.node in self.known.weightless:
            return False
        if function.kind() == "identifier" and not self._is_variable(function, way.module):
            return False
        holder = function.field("object") if function.kind() == "attribute" else None
        if holder is not None and self._is_module(way.to(holder)):
            return False
        return not any(maker in self.known.weightless for maker, _ in self.makers(way.to(function, path=())))

    def _is_variable(self, node: SgNode, module: Module) -> bool:
        """Whether a name is bound to an object; one that the files do not bind may be, unless Python itself does."""
        name = node.text()
        for scope in module.block.at(node.range().start.index).upwards():
            if scope.kind in ("function", "module") and (found := scope.definitions.get(name)):
                return any(one.kind != "import" and not _is_definition(one.value) for one in found)
        return not hasattr(builtins, name)

    def _zipped(self, way: Way) -> Way | None:
        """`zip(a, b)` gives elements of a and b, `enumerate(a)` a number and an element of a."""
        arguments = way.node.field("arguments")
        given = [one for one in arguments.children() if one.is_named()] if arguments else []
        which = way.path[1] if len(way.path) > 1 else None
        name = called_name(way.node)
        if name == "enumerate" and which == 1 and given:
            return way.to(given[0], path=(EACH, *way.path[2:]))
        if name == "zip" and isinstance(which, int) and which < len(given):
            return way.to(given[which], path=(EACH, *way.path[2:]))
        return None

    def _handed_on(self, way: Way) -> Iterator[Origin]:
        """The object before the dot and the arguments of a call that passes them on."""
        function, arguments = way.node.field("function"), way.node.field("arguments")
        holder = function.field("object") if function and function.kind() == "attribute" else None
        if holder is not None and not self._is_module(way.to(holder)):
            yield from self._trace(way.to(holder))
            if not self.everything:
                return
        for one in arguments.children() if arguments else ():
            if one.is_named() and one.kind() != "comment":
                yield from self._trace(way.to(one))

    def _is_module(self, way: Way) -> bool:
        """Whether a name before a dot is a package: `torch` in `torch.cat`."""
        first = way.node
        while first.kind() == "attribute" and (holder := first.field("object")):
            first = holder
        if first.kind() != "identifier":
            return False
        name = first.text()
        for scope in way.module.block.at(first.range().start.index).upwards():
            if scope.kind in ("function", "module") and name in scope.definitions:
                return all(one.kind == "import" for one in scope.definitions[name])
        return first in self.known.libraries

    def _returned(self, way: Way, function: Block) -> Iterator[Origin]:
        """What a function gives back; a bare `None` is not followed."""
        module = self.program.module_of.get(function, way.module)
        frame = Frame(function, way.node, way.module, way.frame, way.frame.depth + 1 if way.frame else 1)
        values = [(node, block) for node, block in function.returns if node.kind() != "none"]
        if not values:
            yield self._end(way, "lost")
        for node, block in values:
            always = len(values) == 1 and all(one.kind != "branch" for one in block.upwards() if one.scope is function)
            yield from self._trace(Way(node, module, way.path, frame, way.sure and always))

    def _callees(self, way: Way) -> Iterator[tuple[SgNode | Block, Way]]:
        """What an expression stands for when it is called."""
        node = way.node
        if node.kind() == "identifier" and (function := self._function(node, way.module)):
            yield function, way
            return
        if node.kind() == "attribute" and (method := self._method(way)):
            yield method, way
            return
        if node.kind() not in ("identifier", "attribute", "subscript", "call") or self._is_module(way):
            return
        for origin in self._trace(way):
            if origin.kind == "made" and origin.node.kind() == "call":
                yield from self._constructed(origin)
            elif origin.kind != "made":
                yield from self._lone_network(way, node)

    def _lone_network(self, way: Way, node: SgNode) -> Iterator[tuple[SgNode | Block, Way]]:
        """An object from elsewhere that is called with as much as the only network in the files takes: that network."""
        network, call = self.program.lone_network, node.parent()
        if network is None or call is None or call.kind() != "call" or call in self.known.weightless:
            return
        arguments = call.field("arguments")
        given = [one for one in arguments.children() if one.is_named() and one.kind() != "comment"] if arguments else []
        if len(given) == len(network.parameters) - 1:
            yield network, way

    def _constructed(self, origin: Origin) -> Iterator[tuple[SgNode | Block, Way]]:
        """What runs when an object is called: a class's `forward`, or the last of a row of modules."""
        way = replace(origin.way, sure=origin.sure)
        owner = self.program.class_(called_name(origin.node))
        if owner is not None:
            for name in CALLED_AS:
                if method := self.program.method(owner, name):
                    yield method, way
                    return
        if origin.node in self.known.sequences and (last := _last_argument(origin.node)) is not None:
            for inner in self._trace(way.to(last, path=(-1,) if last.kind() == "list_splat" else ())):
                if inner.kind == "made" and inner.node.kind() == "call":
                    yield from self._constructed(inner)
            return
        yield origin.node, way

    def _function(self, node: SgNode, module: Module) -> Block | None:
        name = node.text()
        for scope in module.block.at(node.range().start.index).upwards():
            for inner in scope.inner if scope.kind in ("function", "module") else ():
                if inner.kind == "function" and inner.name == name:
                    return inner
            if scope.kind in ("function", "module") and any(one.kind != "import" for one in scope.definitions.get(name, ())):
                return None
        return self.program.function(name)

    def _method(self, way: Way) -> Block | None:
        holder, name = way.node.field("object"), way.node.field("attribute")
        if holder is None or name is None:
            return None
        owner = self._class_of(holder, way.module.block.at(way.node.range().start.index))
        if owner is None and holder.kind() in ("identifier", "attribute") and not self._is_module(way.to(holder)):
            for origin in self._trace(way.to(holder, path=())):
                if origin.kind == "made" and origin.node.kind() == "call" and owner is None:
                    owner = self.program.class_(called_name(origin.node))
        return self.program.method(owner, name.text()) if owner else None

    def _end(self, way: Way, kind: str) -> Origin:
        return Origin(way.node, way.path, way.sure, kind, way)


def _constant(node: SgNode) -> Key | None:
    """A literal key or index."""
    text = node.text()
    if node.kind() == "string":
        return text.strip("\"'")
    if node.kind() in ("integer", "unary_operator"):
        try:
            return int(text)
        except ValueError:
            return None
    return None


def _names_only(path: tuple[Key, ...]) -> bool:
    """Whether an attribute or entry is meant, and not the value or an element of it."""
    return any(isinstance(key, str) and key != EACH for key in path)


def _bound(function: Block) -> bool:
    """Whether the first parameter is the object itself."""
    return function.owner is not None and bool(function.parameters) and function.parameters[0] in ("self", "cls")


def _last_argument(call: SgNode) -> SgNode | None:
    arguments = call.field("arguments")
    given = [one for one in arguments.children() if one.is_named() and one.kind() not in ("comment", "keyword_argument")] if arguments else []
    return given[-1] if given else None


def _comprehended(node: SgNode, name: str) -> tuple[SgNode, tuple[Key, ...]] | None:
    """What a comprehension around a name takes it from, and what of each element."""
    for around in node.ancestors():
        kind = around.kind()
        if kind.endswith("_comprehension") or kind == "generator_expression":
            for clause in around.children():
                left, right = (clause.field("left"), clause.field("right")) if clause.kind() == "for_in_clause" else (None, None)
                if left and right and (path := _place_in(left, name)) is not None:
                    return right, path
        elif kind in ("function_definition", "module", "block"):
            return None
    return None


def _place_in(target: SgNode, name: str) -> tuple[Key, ...] | None:
    """Where a name stands in `a, (b, c)`: `(1, 0)` for b."""
    if target.kind() == "identifier":
        return () if target.text() == name else None
    for index, part in enumerate(child for child in target.children() if child.is_named()):
        if (path := _place_in(part, name)) is not None:
            return index, *path
    return None


def _is_definition(node: SgNode | None) -> bool:
    return node is not None and node.kind() in ("function_definition", "class_definition")
