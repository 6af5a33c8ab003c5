"""Looking for rules in one file, fast.

A rule is made ready for the file first: calls become the places where they stand, idioms are found once
a file, and what cannot match is dropped. Many rules turn out to be impossible, or answered, without a
search. One pass then finds the places where any of the others matches, and each looks only there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from .index import Index, outermost

if TYPE_CHECKING:
    from ast_grep_py import SgNode

MAX_PLACES = 60
"""More places than this are not written into a rule: so many would be slower to compare than to match."""
MAX_SUBTREES = 5
"""Up to so many parts of a file are searched one by one, else the whole file once: each search reads the rule anew."""
_RELATIONS = {"has": "has", "inside": "inside", "contains": "has", "within": "inside", "precedes": "precedes", "follows": "follows"}
_WHERE = ("field", "stopBy", "words")
_CALLED = r"(?:^|[.\s])(?:{})$"
_WORD = re.compile(r"(?<![$\w])[A-Za-z_]\w*")
_TEXT = re.compile(r"\"[^\"]*\"|'[^']*'")
_KEYWORDS = frozenset(("not", "and", "or", "in", "is", "if", "else", "for", "lambda", "None", "True", "False", "return", "import", "from"))

Rule: TypeAlias = Mapping[str, Any]


class BadRule(ValueError):
    """A rule that ast-grep does not take. The message says why."""


@dataclass(frozen=True, slots=True)
class Ready:
    """A rule made ready for one file."""

    rule: Rule
    """In ast-grep's own words."""
    nodes: Sequence[SgNode] | None = None
    """Where it can match at all; None for anywhere."""
    exact: bool = False
    """Whether it matches all of these."""


NEVER = Ready({"kind": "module", "inside": {"kind": "module"}}, (), exact=True)
ALWAYS = Ready({"regex": ""})


@dataclass(eq=False)
class Search:
    """Rules over one file. They may use `named`, `calls`, `reads`, `contains`, `within`, and name idioms."""

    index: Index
    idioms: Mapping[str, Rule]
    vocabulary: str
    """Every word of the file once, in lower case."""
    _found: dict[str, Sequence[SgNode]] = field(default_factory=dict)
    _idioms: dict[str, Ready] = field(default_factory=dict)
    _sifted: dict[str, Sequence[SgNode]] = field(default_factory=dict)

    def find(self, rule: Rule, constraints: Mapping[str, Rule] | None = None) -> Sequence[SgNode]:
        """Where a rule matches, in the order of the text.

        Raises BadRule.
        """
        key = f"{rule} {constraints}" if constraints else str(rule)
        if key not in self._found:
            utils: dict[str, Rule] = {}
            ready = self._ready(rule, utils)
            bounds = {name: self._ready(one, utils).rule for name, one in (constraints or {}).items()}
            if ready.exact and not bounds:
                self._found[key] = ready.nodes or ()
            else:
                nodes = self._sifted.get(key, ready.nodes)
                self._found[key] = self._run({"rule": ready.rule, "utils": utils, "constraints": bounds}, nodes)
        return self._found[key]

    def sift(self, rules: Iterable[Rule]) -> None:
        """Find in one pass where any of these rules can match; `find` then looks for each of them only there."""
        utils: dict[str, Rule] = {}
        ready = {str(rule): self._ready(rule, utils) for rule in rules}
        ready = {key: one for key, one in ready.items() if not one.exact}
        try:
            found = self._run({"rule": {"any": [one.rule for one in ready.values()]}, "utils": utils}, None) if ready else ()
        except BadRule:
            return  # Each rule is looked for alone, and the bad one is named then.
        for key, one in ready.items():
            possible = set(one.nodes) if one.nodes is not None else None
            self._sifted[key] = [node for node in found if possible is None or node in possible]

    def _run(self, config: Mapping[str, Any], nodes: Sequence[SgNode] | None) -> Sequence[SgNode]:
        """Search the smallest trees that hold these nodes, or everything."""
        trees = [self.index.root]
        if nodes is not None and len(nodes) <= 4 * MAX_SUBTREES and len(tops := outermost(nodes)) <= MAX_SUBTREES:
            trees = tops
        config = {name: part for name, part in config.items() if part}
        try:
            return [found for tree in trees for found in tree.find_all(config)]
        except RuntimeError as error:
            raise BadRule(str(error).split("Stack backtrace")[0].strip()) from None

    # -- rules made ready ----------------------------------------------------------------------

    def _ready(self, rule: Rule, utils: dict[str, Rule]) -> Ready:
        """The parts of a rule in the order in which they are written: the first that has a metavariable binds it."""
        if not any(word in self.vocabulary for word in rule.get("words", ("",))):
            return NEVER
        where = {key: value for key, value in rule.items() if key in _WHERE and key != "words"}
        if isinstance(stop := where.get("stopBy"), Mapping):
            where["stopBy"] = self._ready(stop, utils).rule
        joined = _all([self._part(key, value, utils) for key, value in rule.items() if key not in _WHERE])
        return Ready({**joined.rule, **where}) if where and joined is not NEVER else joined

    def _part(self, key: str, value: Any, utils: dict[str, Rule]) -> Ready:
        match key:
            case "kind":
                return self._kind(value)
            case "named":
                rule = {"kind": "identifier", "regex": _ascii(f"^({'|'.join(value)})$")}
                return self._places(_of_names(self.index.names, value), rule)
            case "calls":
                rule = {"kind": "call", "has": {"field": "function", "regex": _ascii(_CALLED.format("|".join(value)))}}
                return self._places(_of_names(self.index.calls, value), rule)
            case "reads":
                rule = {"kind": "attribute", "has": {"field": "attribute", "regex": _ascii(f"^({'|'.join(value)})$")}}
                return self._places(_of_names(self.index.attributes, value), rule)
            case "matches":
                return self._idiom(value, utils)
            case "pattern":
                return self._pattern(value)
            case "regex":
                return Ready({key: _ascii(value)})
            case "all":
                return _all([self._ready(one, utils) for one in value])
            case "any":
                return _any([self._ready(one, utils) for one in value])
            case "not":
                inner = self._ready(value, utils)
                return ALWAYS if inner is NEVER else Ready({"not": inner.rule})
            case _ if key in _RELATIONS:
                inner = self._ready(value, utils)
                anywhere = {"stopBy": "end"} if key in ("contains", "within") else {}
                return NEVER if inner is NEVER else Ready({_RELATIONS[key]: {**anywhere, **inner.rule}})
            case _:
                return Ready({key: value})

    def _kind(self, kind: str) -> Ready:
        nodes = self.index.kinds.get(kind)
        return NEVER if nodes == [] else Ready({"kind": kind}, nodes, exact=nodes is not None)

    def _pattern(self, pattern: Any) -> Ready:
        """A pattern can match only where every name in it stands, and one that is a call only at calls of that name."""
        text = pattern["context"] if isinstance(pattern, Mapping) else pattern
        words = set(_WORD.findall(_TEXT.sub("", text))) - _KEYWORDS
        return Ready({"pattern": pattern}, self.index.calls.get(_outer_call(text))) if words <= self.index.names.keys() else NEVER

    def _idiom(self, name: str, utils: dict[str, Rule]) -> Ready:
        """An idiom that says what kind of node it is stands for the places where it is; it is looked for once."""
        if name not in self.idioms:
            raise BadRule(f"there is no idiom `{name}`")
        rule = self.idioms[name]
        if name not in self._idioms:
            self._idioms[name] = self._places(self.find(rule), rule) if self._has_kind(rule) else Ready(rule)
        ready = self._idioms[name]
        if ready is NEVER:
            return NEVER
        if name not in utils:
            utils[name] = ready.rule
            if ready.rule is rule:
                utils[name] = self._ready(rule, utils).rule
        return Ready({"matches": name}, ready.nodes, ready.exact)

    def _places(self, found: Sequence[SgNode], otherwise: Rule) -> Ready:
        """A rule that matches just these nodes; where they are too many, the one that finds them."""
        if not found or len(found) > MAX_PLACES:
            return Ready(otherwise, found, exact=True) if found else NEVER
        kinds: dict[str, list[Rule]] = {}
        for node in found:
            where = node.range()
            ends = {name: {"line": end.line, "column": end.column} for name, end in (("start", where.start), ("end", where.end))}
            kinds.setdefault(node.kind(), []).append({"range": ends})
        return Ready({"any": [{"kind": kind, "any": places} for kind, places in kinds.items()]}, found, exact=True)

    def _has_kind(self, rule: Rule) -> bool:
        """Whether a rule says what kind of node it matches, so that it does not match half the file."""
        return (
            any(key in rule for key in ("kind", "pattern", "named", "calls", "reads"))
            or any(self._has_kind(one) for one in rule.get("all", ()))
            or ("any" in rule and all(self._has_kind(one) for one in rule["any"]))
            or ("matches" in rule and self._has_kind(self.idioms.get(rule["matches"], {})))
        )


def _all(parts: list[Ready]) -> Ready:
    if NEVER in parts:
        return NEVER
    parts = [part for part in parts if part is not ALWAYS] or [ALWAYS]
    if len(parts) == 1:
        return parts[0]
    nodes = min((part.nodes for part in parts if part.nodes is not None), key=len, default=None)
    exact = all(part.exact for part in parts)
    if exact and nodes is not None:
        others = [set(part.nodes or ()) for part in parts if part.nodes is not nodes]
        nodes = [node for node in nodes if all(node in other for other in others)]
    return Ready({"all": [part.rule for part in parts]}, nodes, exact) if nodes or not exact else NEVER


def _any(parts: list[Ready]) -> Ready:
    parts = [part for part in parts if part is not NEVER]
    if len(parts) < 2:
        return parts[0] if parts else NEVER
    nodes: list[SgNode] | None = None
    if all(part.nodes is not None for part in parts):
        nodes = list(dict.fromkeys(node for part in parts for node in part.nodes or ()))
    return Ready({"any": [part.rule for part in parts]}, nodes, nodes is not None and all(part.exact for part in parts))


def _of_names(nodes: Mapping[str, list[SgNode]], names: Sequence[str]) -> list[SgNode]:
    """The nodes of these names, which may be regular expressions."""
    wanted = frozenset(names)
    patterns = [re.compile(name) for name in names if not name.isidentifier()]
    return [node for name in nodes if name in wanted or any(one.fullmatch(name) for one in patterns) for node in nodes[name]]


def _outer_call(pattern: str) -> str:
    """The name that a pattern calls: `step` for `$O.step($X)`; empty where it is no call, or calls a metavariable."""
    depth = 0
    for index in range(len(pattern) - 1, -1, -1) if pattern.endswith(")") else ():
        depth += {")": 1, "(": -1}.get(pattern[index], 0)
        if depth == 0:
            match = re.fullmatch(r"(?:[\w.$()\[\], ]*\.)?([A-Za-z_]\w*)", pattern[:index])
            return match[1] if match else ""
    return ""


_HARMLESS = re.compile(r"\\[wdsb.()\[\]{}|*+?^$/-]|\[[^\]^][^\]]*\]")
_ANY_BYTE = re.compile(r"\.|\[\^|\\[WDSB]")


def _ascii(regex: str) -> str:
    r"""The same expression with `\w` and its like for ASCII alone, where that cannot match half a character.

    Unicode classes cost the search a millisecond each time a rule is made ready.
    """
    return regex if _ANY_BYTE.search(_HARMLESS.sub("", regex)) else f"(?-u){regex}"
