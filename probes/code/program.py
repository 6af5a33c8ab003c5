"""All files of code together: parsed once, with their functions, classes and calls by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from .scopes import Block, Definition, blocks_of
from .source import Source

if TYPE_CHECKING:
    from ast_grep_py import SgNode


CALLED_AS = ("forward", "__call__", "call", "hybrid_forward", "construct")
"""The method that runs when an object is called, as PyTorch, Python, Keras, MXNet and MindSpore name it."""


MAX_PLACES = 60
"""An idiom found more often in a file stays a rule: so many places would be slower to compare."""
_NOWHERE = {"kind": "module", "inside": {"kind": "module"}}


class BadRule(ValueError):
    """A rule that ast-grep does not take. The message says why."""


@dataclass(eq=False)
class Module:
    """One file."""

    source: Source
    idioms: Mapping[str, Mapping[str, Any]]
    _found: dict[str, list[SgNode]] = field(default_factory=dict)
    _ready: dict[str, Mapping[str, Any] | None] = field(default_factory=dict)

    @cached_property
    def root(self) -> SgNode:
        """The syntax tree. It has a tree for any text; what does not parse is an ERROR node in it."""
        from ast_grep_py import SgRoot

        return SgRoot(self.source.text, "python").root()

    @cached_property
    def block(self) -> Block:
        """The blocks and definitions."""
        return blocks_of(self.root)

    def find(self, rule: Mapping[str, Any], constraints: Mapping[str, Any] | None = None) -> list[SgNode]:
        """Where a rule matches, in the order of the text.

        Raises BadRule.
        """
        key = f"{rule} {constraints}" if constraints else str(rule)
        if key not in self._found:
            self._found[key] = self._search(rule, constraints)
        return self._found[key]

    def _search(self, rule: Mapping[str, Any], constraints: Mapping[str, Any] | None) -> list[SgNode]:
        utils: dict[str, Any] = {}
        config = {"rule": self._with_places(rule, utils), "utils": utils}
        if constraints:
            config["constraints"] = self._with_places(constraints, utils)
        try:
            return self.root.find_all(config)
        except RuntimeError as error:
            raise BadRule(str(error).split("Stack backtrace")[0].strip()) from None

    def _with_places(self, rule: Any, utils: dict[str, Any]) -> Any:
        """A rule in which idioms are the places where they were found: each is looked for once a file."""
        if isinstance(rule, list):
            return [self._with_places(one, utils) for one in rule]
        if not isinstance(rule, Mapping):
            return rule
        plain = {key: self._with_places(value, utils) for key, value in rule.items() if key != "matches"}
        name = rule.get("matches")
        if name is not None:
            places = self._places_of(name)
            if places is None:
                plain["matches"] = name
                if name not in utils:
                    utils[name] = {}
                    utils[name] = self._with_places(self.idioms[name], utils)
            else:
                plain["all"] = [*plain.get("all", ()), places]
        return plain

    def _places_of(self, name: str) -> Mapping[str, Any] | None:
        """An idiom as the places where it stands; None where there are too many, or it fits any kind of node."""
        if name not in self._ready:
            self._ready[name] = None
            rule = self.idioms[name]
            if _has_kind(rule, self.idioms) and len(found := self.find(rule)) <= MAX_PLACES:
                self._ready[name] = _as_rule(found)
        return self._ready[name]


def _has_kind(rule: Mapping[str, Any], idioms: Mapping[str, Mapping[str, Any]]) -> bool:
    """Whether a rule says what kind of node it matches, so that it does not match half the file."""
    return (
        "kind" in rule
        or "pattern" in rule
        or any(_has_kind(one, idioms) for one in rule.get("all", ()))
        or ("any" in rule and all(_has_kind(one, idioms) for one in rule["any"]))
        or ("matches" in rule and _has_kind(idioms[rule["matches"]], idioms))
    )


def _as_rule(found: list[SgNode]) -> Mapping[str, Any]:
    """A rule that matches just these nodes."""
    if not found:
        return _NOWHERE
    kinds: dict[str, list[Mapping[str, Any]]] = {}
    for node in found:
        where = node.range()
        ends = {name: {"line": end.line, "column": end.column} for name, end in (("start", where.start), ("end", where.end))}
        kinds.setdefault(node.kind(), []).append({"range": ends})
    return {"any": [{"kind": kind, "any": places} for kind, places in kinds.items()]}


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

    @cached_property
    def lone_network(self) -> Block | None:
        """The `forward` of the one class that runs others and is no part of another; None where there are several."""
        forwards = [
            block for block, _ in self.blocks
            if block.name in CALLED_AS[:1] and block.owner and block.owner.node.field("superclasses")
        ]  # fmt: skip
        inside = {name for name, calls in self.calls.items() for call, module in calls if self._in_class(call, module)}
        outer = [one for one in forwards if one.owner and one.owner.name not in inside and not one.owner.name.endswith("Loss")]
        return outer[0] if len(outer) == 1 else None

    def _in_class(self, call: SgNode, module: Module) -> bool:
        return any(block.kind == "class" for block in module.block.at(call.range().start.index).upwards())

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
