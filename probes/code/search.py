"""Looking for a rule in one file, fast.

What a rule names is resolved first: calls by their name from an index, idioms to the places where they
stand, each found once a file. Most rules turn out to be impossible then, or possible at a few places only,
and those few are handed to ast-grep.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from ast_grep_py import SgNode

MAX_PLACES = 60
"""More places than this are not written into a rule: so many would be slower to compare than to match."""
MAX_SUBTREES = 6
"""Up to so many parts of a file are searched one by one, else the whole file once."""
_RELATIONS = {"has": "has", "inside": "inside", "contains": "has", "within": "inside", "precedes": "precedes", "follows": "follows"}
_WHERE = ("field", "stopBy")
_LAST_NAME = r"(?:^|[.\s])(?:{})$"
_ALWAYS: Mapping[str, Any] = {"regex": ""}

Rule: TypeAlias = Mapping[str, Any]


class BadRule(ValueError):
    """A rule that ast-grep does not take. The message says why."""


@dataclass(frozen=True, slots=True)
class Ready:
    """A rule made ready for one file."""

    rule: Rule | None
    """In ast-grep's own words; None where nothing in the file can match."""
    nodes: Sequence[SgNode] | None = None
    """Where it can match at all; None for anywhere."""
    exact: bool = False
    """Whether it matches all of these."""


NEVER = Ready(None, (), exact=True)


@dataclass(eq=False)
class Search:
    """Rules over one syntax tree. Rules may use `calls`, `reads`, `contains`, `within` and name idioms."""

    root: SgNode
    idioms: Mapping[str, Rule]
    _found: dict[str, Sequence[SgNode]] = field(default_factory=dict)
    _idioms: dict[str, Ready] = field(default_factory=dict)
    _calls: dict[str, list[SgNode]] | None = None

    @property
    def calls(self) -> Mapping[str, list[SgNode]]:
        """All calls, by the last name of what is called."""
        if self._calls is None:
            self._calls = {}
            for call in self.root.find_all(kind="call"):
                self._calls.setdefault(called_name(call), []).append(call)
        return self._calls

    def find(self, rule: Rule, constraints: Mapping[str, Rule] | None = None) -> Sequence[SgNode]:
        """Where a rule matches.

        Raises BadRule.
        """
        key = f"{rule} {constraints}" if constraints else str(rule)
        if key not in self._found:
            utils: dict[str, Any] = {}
            ready = self._ready(rule, utils)
            bounds = {name: self._ready(one, utils).rule or _nowhere() for name, one in (constraints or {}).items()}
            self._found[key] = self._run(ready, utils, bounds)
        return self._found[key]

    def _run(self, ready: Ready, utils: Mapping[str, Any], constraints: Mapping[str, Any]) -> Sequence[SgNode]:
        if ready.rule is None or (ready.exact and ready.nodes is not None and not constraints):
            return ready.nodes or ()
        config = {"rule": ready.rule, "utils": utils, "constraints": constraints}
        config = {name: part for name, part in config.items() if part}
        try:
            tops = _outermost(ready.nodes) if ready.nodes is not None else None
            if tops is None or len(tops) > MAX_SUBTREES:
                return self.root.find_all(config)
            return [found for top in tops for found in top.find_all(config)]
        except RuntimeError as error:
            raise BadRule(str(error).split("Stack backtrace")[0].strip()) from None

    # -- rules made ready ----------------------------------------------------------------------

    def _ready(self, rule: Rule, utils: dict[str, Any]) -> Ready:
        """The parts of a rule in the order in which they are written: the first that has a metavariable binds it."""
        where = {key: value for key, value in rule.items() if key in _WHERE}
        if isinstance(stop := where.get("stopBy"), Mapping):
            where["stopBy"] = self._ready(stop, utils).rule or _nowhere()
        joined = self._all([self._part(key, value, utils) for key, value in rule.items() if key not in _WHERE])
        return joined if joined.rule is None or not where else Ready({**joined.rule, **where})

    def _part(self, key: str, value: Any, utils: dict[str, Any]) -> Ready:
        match key:
            case "calls":
                return self._called(value)
            case "reads":
                return Ready({"kind": "attribute", "has": {"field": "attribute", "regex": _ascii(f"^({'|'.join(value)})$")}})
            case "matches":
                return self._idiom(value, utils)
            case "pattern":
                return self._pattern(value)
            case "regex":
                return Ready({key: _ascii(value)})
            case "all":
                return self._all([self._ready(one, utils) for one in value])
            case "any":
                return _any([self._ready(one, utils) for one in value])
            case "not":
                inner = self._ready(value, utils)
                return Ready(_ALWAYS if inner.rule is None else {"not": inner.rule})
            case _ if key in _RELATIONS:
                inner = self._ready(value, utils)
                stop = {"stopBy": "end"} if key in ("contains", "within") else {}
                return NEVER if inner.rule is None else Ready({_RELATIONS[key]: {**stop, **inner.rule}})
            case _:
                return Ready({key: value})

    def _all(self, parts: list[Ready]) -> Ready:
        if any(part.rule is None for part in parts):
            return NEVER
        parts = [part for part in parts if part.rule is not _ALWAYS] or [Ready(_ALWAYS)]
        if len(parts) == 1:
            return parts[0]
        known = [part.nodes for part in parts if part.nodes is not None]
        return Ready({"all": [part.rule for part in parts]}, min(known, key=len, default=None))

    def _called(self, names: Sequence[str]) -> Ready:
        patterns = [re.compile(name) for name in names if not name.isidentifier()]
        called = [name for name in names if name in self.calls]
        called += [name for name in self.calls if any(one.fullmatch(name) for one in patterns) and name not in called]
        found = [call for name in called for call in self.calls[name]]
        function = {"field": "function", "regex": _ascii(_LAST_NAME.format("|".join(names)))}
        return _places(found) or Ready({"kind": "call", "has": function}, found, exact=True)

    def _pattern(self, pattern: Any) -> Ready:
        """A pattern that is a call can only match calls of that name."""
        name = _outer_call(pattern) if isinstance(pattern, str) else ""
        if not name:
            return Ready({"pattern": pattern})
        return Ready({"pattern": pattern}, self.calls[name]) if name in self.calls else NEVER

    def _idiom(self, name: str, utils: dict[str, Any]) -> Ready:
        if name not in self.idioms:
            raise BadRule(f"there is no idiom `{name}`")
        if name not in self._idioms:
            rule = self.idioms[name]
            self._idioms[name] = Ready({"matches": name})
            if self._has_kind(rule):
                self._idioms[name] = _places(self.find(rule)) or Ready({"matches": name}, self.find(rule), exact=True)
        ready = self._idioms[name]
        if ready.rule is not None and "matches" in ready.rule and name not in utils:
            utils[name] = {}
            utils[name] = self._ready(self.idioms[name], utils).rule or _nowhere()
        return ready

    def _has_kind(self, rule: Rule) -> bool:
        """Whether a rule says what kind of node it matches, so that it does not match half the file."""
        return (
            any(key in rule for key in ("kind", "pattern", "calls", "reads"))
            or any(self._has_kind(one) for one in rule.get("all", ()))
            or ("any" in rule and all(self._has_kind(one) for one in rule["any"]))
            or ("matches" in rule and self._has_kind(self.idioms.get(rule["matches"], {})))
        )


def called_name(call: SgNode) -> str:
    """The last name of what is called: `cross_entropy` for `F.cross_entropy(x, y)`, empty where it has none."""
    function = call.field("function")
    if function is None:
        return ""
    if function.kind() == "attribute":
        name = function.field("attribute")
        return name.text() if name else ""
    return function.text() if function.kind() == "identifier" else ""


def _any(parts: list[Ready]) -> Ready:
    parts = [part for part in parts if part.rule is not None]
    if not parts:
        return NEVER
    if len(parts) == 1:
        return parts[0]
    known = [part.nodes for part in parts if part.nodes is not None]
    nodes = list(dict.fromkeys(node for some in known for node in some)) if len(known) == len(parts) else None
    return Ready({"any": [part.rule for part in parts]}, nodes, nodes is not None and all(part.exact for part in parts))


def _places(found: Sequence[SgNode]) -> Ready | None:
    """A rule that matches just these nodes; None where they are too many."""
    if not found:
        return NEVER
    if len(found) > MAX_PLACES:
        return None
    kinds: dict[str, list[Rule]] = {}
    for node in found:
        where = node.range()
        ends = {name: {"line": end.line, "column": end.column} for name, end in (("start", where.start), ("end", where.end))}
        kinds.setdefault(node.kind(), []).append({"range": ends})
    return Ready({"any": [{"kind": kind, "any": places} for kind, places in kinds.items()]}, found, exact=True)


def _nowhere() -> Rule:
    return {"kind": "module", "inside": {"kind": "module"}}


def _outermost(nodes: Iterable[SgNode]) -> list[SgNode]:
    """Those of some nodes that lie in no other of them."""
    tops: list[SgNode] = []
    end = -1
    for start, last, node in sorted(((one.range().start.index, -one.range().end.index, one) for one in nodes), key=lambda one: one[:2]):
        if start >= end:
            tops.append(node)
            end = -last
    return tops


def _outer_call(pattern: str) -> str:
    """The name that a pattern calls: `step` for `$O.step($X)`; empty where it is no call, or calls a metavariable."""
    if not pattern.endswith(")"):
        return ""
    depth = 0
    for index in range(len(pattern) - 1, -1, -1):
        depth += {")": 1, "(": -1}.get(pattern[index], 0)
        if depth == 0:
            match = re.search(r"(?:^|\.)([A-Za-z_]\w*)$", pattern[:index])
            return match[1] if match and re.fullmatch(r"[\w.$()\[\], ]*", pattern[:index]) and "=" not in pattern[:index] else ""
    return ""


_HARMLESS = re.compile(r"\\[wdsb.()\[\]{}|*+?^$/-]|\[[^\]^][^\]]*\]")
_ANY_BYTE = re.compile(r"\.|\[\^|\\[WDSB]")


def _ascii(regex: str) -> str:
    r"""The same expression with `\w` and its like for ASCII alone, where that cannot match half a character.

    Unicode classes cost the search a millisecond each time a rule is made ready.
    """
    return regex if _ANY_BYTE.search(_HARMLESS.sub("", regex)) else f"(?-u){regex}"
