"""Flow patterns: does a value made here arrive there?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from traindx.engine.kb.rules import CodePatternRule, FlowRule

from .callees import Callees, callees_of
from .index import constructs
from .module import Module
from .origins import Tracer
from .program import Program
from .scopes import Key
from .ways import Origin, Way, arguments_of, is_entry, is_splat

if TYPE_CHECKING:
    from ast_grep_py import SgNode


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
        given: set[tuple[SgNode, tuple[Key, ...]]] = set()
        if self.rule.source_argument:
            given = self._handed_to(sources, tracer.callees)
            sources = {node for node, path in given if not is_entry(path)}
        cut = self._everywhere(self.rule.unless)
        wanted = sources - cut
        tracer.stop = wanted | cut
        for place, module, argument in places:
            origins = tracer.origins(argument, module)
            yield (
                self._only(place, module, origins, tracer, cut)
                if self.rule.only
                else self._arrival(place, module, list(origins), wanted, given)
            )

    def _arrival(
        self,
        place: SgNode,
        module: Module,
        origins: list[Origin],
        wanted: set[SgNode],
        given: set[tuple[SgNode, tuple[Key, ...]]],
    ) -> Arrival:
        hits = [
            one
            for one in origins
            if (one.kind == "stopped" and one.node in wanted and (not given or _is_part(one, given)))
            or (one.node, one.way.path) in given
        ]
        hits = [one for one in hits if self.rule.element in (None, *one.way.path[:1])]
        # Where every branch brings it, it does not matter which is taken.
        sure = hits if len(hits) == len(origins) else [one for one in hits if one.sure]
        known = not hits and all(one.kind in ("made", "stopped") for one in origins)
        return Arrival(place, module, sure[0] if sure else None, known)

    def _only(
        self, place: SgNode, module: Module, origins: Iterator[Origin], tracer: Tracer, cut: set[SgNode]
    ) -> Arrival:
        """Nothing that may carry a gradient arrives, and would if it were not cut on the way."""
        hits = []
        for one in origins:
            if one.kind == "stopped" and one.node not in cut:
                hits.append(one)
            elif one.kind != "data":
                return Arrival(place, module, None, known=True)
        dead = next((one for one in hits if one.sure and self._was_alive(one, tracer)), None)
        return Arrival(place, module, dead, known=False)

    def _was_alive(self, hit: Origin, tracer: Tracer) -> bool:
        """Whether what was cut came from an object that is called, and so may have weights."""
        inside = Tracer(self.program, tracer.callees, everything=True)
        return any(origin.kind == "made" for origin in inside.origins(hit.node, hit.module))

    def _tracer(self, stop: set[SgNode]) -> Tracer:
        through = self._everywhere(self.rule.through)
        return Tracer(
            self.program, callees_of(self.program), stop, through, self.rule.everything, self.rule.objects
        )

    def _everywhere(self, rule: Mapping[str, Any] | None) -> set[SgNode]:
        return self.program.everywhere(rule) if rule else set()

    def _places(self, tracer: Tracer) -> Iterator[tuple[SgNode, Module, SgNode]]:
        """The calls that the pattern asks about, with the argument in question."""
        matched = {node: module for module in self.program.modules for node in module.find(self.rule.into)}
        made = {node for node in matched if constructs(node)} if not self.rule.objects else set()
        for node, module in matched.items():
            if node not in made and (argument := argument_of(node, self.rule.argument)) is not None:
                yield node, module, argument
        for name, calls in self.program.calls.items() if made else ():
            for call, module in calls if name in self.program.bound_names or not name else ():
                argument = argument_of(call, self.rule.argument) if call not in matched else None
                if argument is not None and self._is_call_of(made, call, module, tracer):
                    yield call, module, argument

    def _is_call_of(self, made: set[SgNode], call: SgNode, module: Module, tracer: Tracer) -> bool:
        """Whether what is called is for sure one of these objects."""
        function = call.field("function")
        found = tracer.callees.of(Way(function, module)) if function is not None else []
        return bool(found) and all(one.target in made and one.way.sure for one in found)

    def _handed_to(self, sources: set[SgNode], callees: Callees) -> set[tuple[SgNode, tuple[Key, ...]]]:
        """Where the values that the sources are given were made, and what of it they are given."""
        tracer = Tracer(self.program, callees)
        found: set[tuple[SgNode, tuple[Key, ...]]] = set()
        for module in self.program.modules:
            for node in module.find(self.rule.source):
                if node in sources and (argument := argument_of(node, self.rule.source_argument)) is not None:
                    origins = tracer.origins(argument, module)
                    found |= {(one.node, one.way.path) for one in origins if one.kind == "made"}
        return found


def _is_part(origin: Origin, given: set[tuple[SgNode, tuple[Key, ...]]]) -> bool:
    """Whether what was handed over is this value, a part of it or the whole that it is a part of."""
    path = origin.way.path
    return any(
        node == origin.node and all(one == other for one, other in zip(path, way, strict=False))
        for node, way in given
    )


def argument_of(call: SgNode, wanted: tuple[int | str, ...]) -> SgNode | None:
    """The first of these arguments that a call has: positions, keywords, `self` or metavariables."""
    plain, keywords = arguments_of(call)
    for one in wanted:
        found: SgNode | None = None
        if isinstance(one, int):
            found = plain[one] if one < len(plain) and not any(map(is_splat, plain[: one + 1])) else None
        elif one.startswith("$"):
            found = call.get_match(one[1:])
        elif one == "self":
            function = call.field("function")
            found = (
                function.field("object") if function is not None and function.kind() == "attribute" else None
            )
        else:
            found = keywords.get(one)
        if found is not None:
            return found
    return None


def flow_of(program: Program, pattern: CodePatternRule) -> list[Arrival]:
    """What arrives at the places of a flow pattern."""
    return list(Flow(program, pattern.flow).arrivals()) if pattern.flow else []
