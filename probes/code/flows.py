"""Flow patterns: does a value made here arrive there?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from traindx.engine.kb.rules import CodePatternRule, FlowRule

from .origins import Known, Origin, Tracer, Way
from .program import Module, Program, called_name

if TYPE_CHECKING:
    from ast_grep_py import SgNode

_KNOWN = {
    "wrappers": "module-wrapper", "sequences": "module-sequence", "collections": "collection",
    "weightless": "weightless", "libraries": "library-name",
}  # fmt: skip
"""The idioms that the way through modules depends on."""


@dataclass(frozen=True, slots=True)
class Arrival:
    """A value at the place where it should not be, or a place of which nothing is known."""

    place: SgNode
    module: Module
    source: Origin | None
    """Where it comes from; None where the place is clear of it."""
    known: bool
    """False where some way to the place was lost from sight."""


@dataclass(slots=True, eq=False)
class Flow:
    """One flow pattern over one program."""

    program: Program
    rule: FlowRule

    def arrivals(self) -> Iterator[Arrival]:
        """Every place that the pattern asks about, and what arrives there."""
        sources = self._everywhere(self.rule.source)
        tracer = self._tracer(stop=sources)
        places = list(self._places(tracer))
        if not places:
            return
        if self.rule.source_argument:
            places = [one for one in places if one[2] not in self._parts_of(sources, tracer.known)]
            tracer.stop = self._handed_to(sources, tracer)
        cut = self._everywhere(self.rule.unless)
        wanted = tracer.stop
        tracer.stop = wanted | cut
        for place, module, argument in places:
            yield self._arrival(place, module, list(tracer.origins(argument, module)), wanted, tracer)

    def _arrival(self, place: SgNode, module: Module, origins: list[Origin], wanted: set[SgNode], tracer: Tracer) -> Arrival:
        hits = [one for one in origins if one.node in wanted]
        known = all(one.kind == "made" for one in origins)
        if self.rule.only and hits:
            alive = [one for one in origins if one.node not in tracer.stop and one.kind != "data"]
            dead = [one for one in hits if self._was_alive(one, tracer)]
            hits, known = ([], known) if alive else (dead, bool(dead))
        sure = [one for one in hits if one.sure]
        return Arrival(place, module, sure[0] if sure else None, known and not hits)

    def _was_alive(self, hit: Origin, tracer: Tracer) -> bool:
        """Whether what was cut came from an object that is called, and so may have weights."""
        inside = Tracer(self.program, known=tracer.known, everything=True)
        return any(origin.kind == "made" for origin in inside.origins(hit.node, hit.module))

    def _tracer(self, stop: set[SgNode]) -> Tracer:
        idioms = self.program.modules[0].idioms if self.program.modules else {}
        known = Known(**{kind: self._everywhere(idioms.get(name)) for kind, name in _KNOWN.items()})
        through = self._everywhere(self.rule.through)
        return Tracer(self.program, stop=stop, through=through, known=known, everything=self.rule.everything)

    def _everywhere(self, rule: Mapping[str, Any] | None) -> set[SgNode]:
        return {node for module in self.program.modules for node in module.find(rule)} if rule else set()

    def _places(self, tracer: Tracer) -> Iterator[tuple[SgNode, Module, SgNode]]:
        """The calls that the pattern asks about, with the argument in question."""
        matched = {node: module for module in self.program.modules for node in module.find(self.rule.into)}
        made = {node for node in matched if constructs(node)}
        for node, module in matched.items():
            if node not in made and (argument := argument_of(node, self.rule.argument)) is not None:
                yield node, module, argument
        for calls in self.program.calls.values() if made else ():
            for call, module in calls:
                function = call.field("function")
                if function is not None and call not in matched and self._is_call_of(made, function, module, tracer):
                    argument = argument_of(call, self.rule.argument)
                    if argument is not None:
                        yield call, module, argument

    def _is_call_of(self, made: set[SgNode], function: SgNode, module: Module, tracer: Tracer) -> bool:
        """Whether what is called is for sure one of these objects."""
        found = tracer.makers(Way(function, module))
        return bool(found) and all(maker in made and way.sure for maker, way in found)

    def _handed_to(self, sources: set[SgNode], tracer: Tracer) -> set[SgNode]:
        """Where the values that the sources are given were made."""
        tracer.stop = set()
        found: set[SgNode] = set()
        for module in self.program.modules:
            for node in module.find(self.rule.source):
                if node in sources and (argument := argument_of(node, self.rule.source_argument)) is not None:
                    found |= {origin.node for origin in tracer.origins(argument, module) if origin.kind == "made"}
        return found


    def _parts_of(self, sources: set[SgNode], known: Known) -> set[SgNode]:
        """Every expression that what the sources are given is computed from: it is no place it arrives at."""
        tracer = Tracer(self.program, known=known, everything=True)
        parts: set[SgNode] = set()
        for module in self.program.modules:
            for node in module.find(self.rule.source):
                if node in sources and (argument := argument_of(node, self.rule.source_argument)) is not None:
                    parts |= tracer.passed(argument, module)
        return parts


def constructs(call: SgNode) -> bool:
    """Whether a call makes an object of a class, by the convention that classes have capitals."""
    return call.kind() == "call" and called_name(call)[:1].isupper()


def argument_of(call: SgNode, wanted: tuple[int | str, ...]) -> SgNode | None:
    """The first of these arguments that a call has: positions, keywords, `self` or metavariables."""
    arguments = call.field("arguments") if call.kind() == "call" else None
    given = [one for one in arguments.children() if one.is_named() and one.kind() != "comment"] if arguments else []
    plain = [one for one in given if one.kind() != "keyword_argument"]
    for one in wanted:
        if isinstance(one, int):
            if one < len(plain) and not any(splat.kind().endswith("splat") for splat in plain[: one + 1]):
                return plain[one]
        elif one.startswith("$"):
            if (captured := call.get_match(one[1:])) is not None:
                return captured
        elif one == "self":
            function = call.field("function")
            if function is not None and function.kind() == "attribute":
                return function.field("object")
        else:
            for keyword in given:
                if keyword.kind() == "keyword_argument" and (name := keyword.field("name")) and name.text() == one:
                    return keyword.field("value")
    return None


def flow_of(program: Program, pattern: CodePatternRule) -> list[Arrival]:
    """What arrives at the places of a flow pattern."""
    return list(Flow(program, pattern.flow).arrivals()) if pattern.flow else []
