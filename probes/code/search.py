"""Looking for rules in one file, fast.

A rule is made ready for the file first: calls become the places where they stand, idioms are found once
a file, and what cannot match is dropped. Most rules turn out to be impossible, or answered, without a
search; the others look only where they can match.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Any, cast

from traindx.engine.regex import regex

from .index import Index, in_order, of_names, outermost
from .ready import (
    NEVER,
    BadRule,
    Ready,
    Rule,
    all_of,
    any_of,
    exactly,
    expression,
    none_of,
    text_test,
)
from .relations import RELATIONS, WHERE, related
from .words import ascii_only, names_in, outer_call

if TYPE_CHECKING:
    from ast_grep_py import Config, SgNode

MAX_SUBTREES = 5
"""Up to so many parts of a file are searched one by one, else all of it at once: each search reads the rule anew."""
_CALLED = r"(?:^|[.\s])(?:{})$"
_METAVARIABLE = regex(r"\$([A-Z_][A-Z0-9_]*)")


@dataclass(eq=False)
class Search:
    """Rules over one file. They may use `named`, `calls`, `reads`, `contains`, `within`, and name idioms."""

    index: Index
    idioms: Mapping[str, Rule]
    vocabulary: str
    """Every word of the file once, in lower case."""
    _found: dict[tuple[int, int], tuple[Rule, object, Sequence[SgNode]]] = field(default_factory=dict)
    """By the identity of rule and constraints, which are kept so that no other gets it."""
    _idioms: dict[str, Ready] = field(default_factory=dict)

    def find(self, rule: Rule, constraints: Mapping[str, Rule] | None = None) -> Sequence[SgNode]:
        """Where a rule matches, in the order of the text.

        Raises BadRule.
        """
        key = (id(rule), id(constraints))
        if key not in self._found:
            self._found[key] = rule, constraints, self._find(rule, constraints or {})
        return self._found[key][2]

    def _find(self, rule: Rule, constraints: Mapping[str, Rule]) -> Sequence[SgNode]:
        utils: dict[str, Rule] = {}
        ready = self._ready(rule, utils)
        if ready.exact and (not constraints or not ready.nodes):
            return in_order(ready.nodes or ())
        # What was dropped from the rule as impossible may have been all that bound a metavariable.
        bound = set(_METAVARIABLE.findall(str(ready.rule)))
        limits = {name: self._ready(one, utils).rule for name, one in constraints.items() if name in bound}
        return self._run({"rule": ready.rule, "utils": utils, "constraints": limits}, ready.nodes)

    def _run(self, config: Mapping[str, Any], nodes: Sequence[SgNode] | None) -> Sequence[SgNode]:
        """Search the smallest trees that hold these nodes, or everything."""
        trees = [self.index.root]
        few = nodes is not None and len(nodes) <= 4 * MAX_SUBTREES
        if few and len(tops := outermost(nodes or ())) <= MAX_SUBTREES:
            trees = tops
        parts = cast("Config", {name: part for name, part in config.items() if part})
        try:
            return [found for tree in trees for found in tree.find_all(parts)]
        except RuntimeError as error:
            raise BadRule(str(error).split("Stack backtrace")[0].strip()) from None

    # -- rules made ready ----------------------------------------------------------------------

    def _ready(self, rule: Rule, utils: dict[str, Rule]) -> Ready:
        """The parts of a rule in the order in which they are written: the first that has a metavariable binds it."""
        if not any(map(self.vocabulary.__contains__, rule.get("words", ("",)))):
            return NEVER
        parts = {key: value for key, value in rule.items() if key != "words"}
        known = (
            [self._names(parts.pop("regex"))]
            if parts.get("kind") == "identifier" and "regex" in parts
            else []
        )
        return all_of(chain(known, (self._part(key, value, utils) for key, value in parts.items())))

    def _part(self, key: str, value: Any, utils: dict[str, Rule]) -> Ready:
        match key:
            case "kind":
                return self._kind(value)
            case "named":
                regex = ascii_only(f"^({'|'.join(value)})$")
                return exactly(of_names(self.index.names, value), {"kind": "identifier", "regex": regex})
            case "calls":
                function = {"field": "function", "regex": ascii_only(_CALLED.format("|".join(value)))}
                return exactly(of_names(self.index.calls, value), {"kind": "call", "has": function})
            case "reads":
                name = {"field": "attribute", "regex": ascii_only(f"^({'|'.join(value)})$")}
                return exactly(of_names(self.index.attributes, value), {"kind": "attribute", "has": name})
            case "matches":
                return self._idiom(value, utils)
            case "pattern":
                return self._pattern(value)
            case "regex":
                return Ready({key: ascii_only(value)}, test=text_test(value))
            case "all":
                return all_of(self._ready(one, utils) for one in value)
            case "any":
                return any_of([self._ready(one, utils) for one in value])
            case "not":
                return none_of(self._ready(value, utils))
            case _ if key in RELATIONS:
                return self._relation(key, value, utils)
            case _:
                return Ready({key: value})

    def _relation(self, name: str, value: Rule, utils: dict[str, Rule]) -> Ready:
        where = {key: part for key, part in value.items() if key in WHERE}
        if isinstance(stop := where.get("stopBy"), Mapping):
            where["stopBy"] = self._ready(stop, utils).rule
        other = self._ready({key: part for key, part in value.items() if key not in WHERE}, utils)
        return related(name, where, other)

    def _names(self, pattern: str) -> Ready:
        """Identifiers: the expression is tried on each name once, however often it stands there."""
        found = [
            node
            for name, nodes in self.index.names.items()
            if expression(pattern).search(name)
            for node in nodes
        ]
        return exactly(found, {"kind": "identifier", "regex": ascii_only(pattern)})

    def _kind(self, kind: str) -> Ready:
        nodes = self.index.kinds.get(kind)
        return NEVER if nodes == [] else Ready({"kind": kind}, nodes, exact=nodes is not None)

    def _pattern(self, pattern: Any) -> Ready:
        """A pattern matches only where every name in it stands, and a call only at calls of that name."""
        text = pattern["context"] if isinstance(pattern, Mapping) else pattern
        if not names_in(text) <= self.index.names.keys():
            return NEVER
        name = outer_call(text)
        return Ready({"pattern": pattern}, self.index.calls.get(name) if name else None)

    def _idiom(self, name: str, utils: dict[str, Rule]) -> Ready:
        """An idiom that says what kind of node it is stands for the places where it is; it is looked for once."""
        if name not in self.idioms:
            raise BadRule(f"there is no idiom `{name}`")
        rule = self.idioms[name]
        if name not in self._idioms:
            self._idioms[name] = exactly(self.find(rule), rule) if self._has_kind(rule) else Ready(rule)
        ready = self._idioms[name]
        if ready is NEVER:
            return NEVER
        if name not in utils:
            utils[name] = ready.rule
            if ready.rule is rule:
                utils[name] = self._ready(rule, utils).rule
        return Ready({"matches": name}, ready.nodes, ready.exact)

    def _has_kind(self, rule: Rule) -> bool:
        """Whether a rule says what kind of node it matches, so that it does not match half the file."""
        return (
            any(key in rule for key in ("kind", "pattern", "named", "calls", "reads"))
            or any(self._has_kind(one) for one in rule.get("all", ()))
            or ("any" in rule and all(self._has_kind(one) for one in rule["any"]))
            or ("matches" in rule and self._has_kind(self.idioms.get(rule["matches"], {})))
        )
