"""Where does a value come from? Followed backwards through names, tuples, attributes, functions and modules.

What is not seen in the files (a parameter nobody passes, an imported function's inside) ends the way:
then nothing is claimed. A way that depends on a branch of the code is followed, and marked as not sure.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeAlias

from .callees import Callees
from .constants import looked_up, returns_of
from .definitions import defined, passed
from .index import constructs
from .module import Module
from .parts import inside, zipped
from .program import Program
from .scopes import EACH, Block, Definition, Key, constant, reaching
from .ways import Frame, Origin, Way, arguments_of, comprehended, is_entry, named_parts

if TYPE_CHECKING:
    from ast_grep_py import SgNode

MAX_STEPS = 2_000
"""Expressions looked at on the way to one place."""
MAX_CALLS = 8
"""How many calls inside calls are entered."""
_CONSTANTS = frozenset(
    ("integer", "float", "string", "concatenated_string", "none", "true", "false", "ellipsis", "lambda")
)

Steps: TypeAlias = Iterator[Way | Origin]


@dataclass(slots=True, eq=False)
class Tracer:
    """Follows values back through a program."""

    program: Program
    callees: Callees
    stop: Container[SgNode] = ()
    """Expressions (and constructions of objects whose calls are meant) at which a way ends."""
    through: Container[SgNode] = ()
    """Expressions that pass their parts on: of a method call the object, else the arguments."""
    everything: bool = False
    """Whether any computation passes its parts on."""
    objects: bool = False
    """Whether the objects that the constructions in `stop` make are meant, and not what calls of them give."""
    literals: bool = False
    """Whether a way ends at a literal too."""
    _frames: dict[tuple[SgNode, Block, Frame | None], Frame] = field(default_factory=dict)

    def origins(self, node: SgNode, module: Module) -> Iterator[Origin]:
        """All origins of an expression's value."""
        return self.follow(Way(node, module))

    def follow(self, start: Way) -> Iterator[Origin]:
        """All origins of what a way follows."""
        waiting, seen = [start], {_key(start)}
        while waiting:
            way = waiting.pop()
            if len(seen) > MAX_STEPS:
                yield way.end("lost")
                return
            for one in self._step(way):
                if isinstance(one, Origin):
                    yield one
                elif (key := _key(one)) not in seen:
                    seen.add(key)
                    waiting.append(one)

    def _step(self, way: Way) -> Steps:
        kind = way.node.kind()
        if way.node in self.stop and not is_entry(way.path) and (self.objects or not constructs(way.node)):
            yield way.end("stopped")
        elif kind == "identifier":
            yield from self._name(way, way.node.text())
        elif kind == "attribute":
            yield from self._attribute(way)
        elif kind == "call":
            yield from self._call(way)
        elif kind == "subscript" and (place := looked_up(way, self._literal)) is not None:
            yield place
        elif kind not in _CONSTANTS:
            yield from inside(way, kind, mixes=self.everything or way.node in self.through)
        elif self.literals:
            yield way.end("made")

    # -- names ---------------------------------------------------------------------------------

    def _name(self, way: Way, name: str) -> Steps:
        if (taken := comprehended(way.node, name)) is not None:
            iterated, path = taken
            yield way.to(iterated, path=(EACH, *path, *way.path))
            return
        here = way.node.range().start.index
        block = way.module.block.at(here)
        for scope in block.upwards():
            if scope.kind in ("function", "module") and (found := scope.definitions.get(name)):
                yield from self._reaching(way, found, here, block, scope)
                return
        yield way.end("data")

    def _reaching(self, way: Way, found: list[Definition], here: int, block: Block, scope: Block) -> Steps:
        """What a name of this scope may be: seen from inside a function, what it is in the end."""
        position, around = (here, block) if scope is block.scope else (scope.end, scope)
        seen = False
        for one, sure in reaching(found, position, around, through_augment=self.everything):
            seen = True
            yield from self._defined(way.doubtful(sure), one)
        if not seen:
            yield way.end("lost")

    def _defined(self, way: Way, one: Definition) -> Steps:
        if one.kind == "parameter":
            return passed(way, one, self.program)
        return defined(way, one, mixes=self.everything)

    # -- attributes ----------------------------------------------------------------------------

    def _attribute(self, way: Way) -> Steps:
        holder, name = way.node.field("object"), way.node.field("attribute")
        if holder is None or name is None:
            return
        here, text = way.node.range().start.index, way.node.text()
        block = way.module.block.at(here)
        for scope in block.upwards():
            found = scope.definitions.get(text, []) if scope.kind in ("function", "module") else []
            if any(one.at <= here for one in found) or (found and scope.owner is None):
                yield from self._reaching(way, found, here, block, scope)
                return
        owner = self.callees.class_of(holder, block)
        elsewhere = self.program.attributes(owner, name.text()) if owner else []
        for one in elsewhere:
            module = self.program.module_of.get(one.block.scope, way.module)
            yield from self._defined(
                replace(way, module=module, frame=None, sure=way.sure and len(elsewhere) == 1 and one.always),
                one,
            )
        # A method whose class is not in the files: what its object keeps was filled where nobody looks.
        unseen = holder.text() == "self" or name.text() in self.program.own_attributes
        from_elsewhere = unseen if owner is None else not elsewhere
        if self.everything and from_elsewhere:
            # What an object of the files' own classes keeps may be filled from anywhere, or by the class that they extend.
            yield way.end("lost")
        elif not elsewhere:
            yield way.to(holder, path=() if self.everything else (name.text(), *way.path))

    # -- calls ---------------------------------------------------------------------------------

    def _call(self, way: Way) -> Steps:
        function = way.node.field("function")
        if function is None:
            return
        if way.node in self.through or way.node in self.callees.known.collections:
            yield from self._handed_on(way, function)
        elif (
            way.path
            and function.text() == "dict"
            and (named := arguments_of(way.node)[1].get(str(way.path[0])))
        ):
            yield way.to(named, path=way.path[1:])
        elif way.path[:1] == (EACH,) and (taken := zipped(way)) is not None:
            yield taken
        else:
            yield from self._entered(way, function)

    def _entered(self, way: Way, function: SgNode) -> Steps:
        """The results of the functions that are called; where none is seen, the call makes the value."""
        entered = False
        for target, found in self.callees.of(way.to(function, path=())):
            if isinstance(target, Block):
                if way.frame is None or way.frame.depth < MAX_CALLS:
                    entered = True
                    yield from self._returned(way.doubtful(found.sure), target)
            elif target in self.stop and not self.objects and not is_entry(way.path):
                entered = True
                yield Origin(target, "stopped", way.doubtful(found.sure))
        if entered:
            return
        if not self.everything:
            yield way.end("made")
            return
        yield from self._handed_on(way.to(way.node, path=()), function)
        if self.callees.may_have_weights(way):
            yield way.end("made")

    def _handed_on(self, way: Way, function: SgNode) -> Steps:
        """The object before the dot, the arguments, or both of a call that passes them on."""
        holder = function.field("object") if function.kind() == "attribute" else None
        has_object = holder is not None and not self.callees.is_package(holder, way.module)
        if holder is not None and has_object:
            yield way.to(holder)
        if not has_object or self.everything:
            yield from (way.to(one) for one in named_parts(way.node.field("arguments")))

    def _returned(self, way: Way, function: Block) -> Steps:
        """What a function gives back; a bare `None` is not followed."""
        module = self.program.module_of.get(function, way.module)
        key = (way.node, function, way.frame)
        if key not in self._frames:
            self._frames[key] = Frame(
                function, way.node, way.module, way.frame, way.frame.depth + 1 if way.frame else 1
            )
        entered = Way(way.node, module, way.path, self._frames[key], way.sure)
        lost = True
        for node, sure in returns_of(function, lambda node: self._literal(entered.to(node, path=()))):
            lost = False
            yield entered.to(node, sure=sure)
        if lost:
            yield way.end("lost")

    def _literal(self, way: Way) -> Key | None:
        """What decides on a literal is not followed in turn: a program may go round in circles."""
        return constant(way.node) if self.literals else self.callees.literals.of(way)


def _key(way: Way) -> tuple[object, ...]:
    return way.node, way.path, way.frame, way.sure
