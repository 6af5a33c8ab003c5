"""Every name a rule may use: declared facts, and those that other entries bring with them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..conditions import ConditionError, check, needs, parse
from ..wording import PLACEHOLDER
from .problems import Problem, nearest
from .rules import stored_rule
from .validate import Located, Validated

PACKAGE = "env.package."
"""`env.package.torch` is the version of an installed package: any name may follow."""

_BRACED = re.compile(r"\{[^{}()\"']*\b[a-z]+\.[a-z]\w*[^{}()\"']*\}")
"""What wants to be filled in and is more than the name of a fact. What has brackets or quotes is code to be shown."""

_PREFIXES = {
    "signature": "log.", "code-pattern": "code.", "setting": "config.",
    "check": "config.contradiction.", "symptom": "symptom.",
}  # fmt: skip


def fact_of(kind: str, identity: str) -> str:
    """The fact that an entry brings with it: `log.cuda_oom` for the signature `cuda-oom`."""
    return _PREFIXES[kind] + identity.replace("-", "_")


@dataclass(slots=True)
class Scope:
    """The names that exist, and the mistakes found while they are used."""

    entries: Validated
    problems: list[Problem]
    types: dict[str, str] = field(default_factory=dict)
    limits: dict[str, float] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)
    """Facts that some rule asks for."""
    snippets: frozenset[str] = frozenset()
    idiom_words: dict[str, frozenset[str]] = field(default_factory=dict)
    """The words of which a file needs one for an idiom to match, of the idioms met so far."""

    _lost: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        lost = self.entries.lost
        self._lost = lost | {fact_of(kind, one) for kind in _PREFIXES for one in lost}
        self.limits = {name: one.model.value for name, one in self.entries.of("limit").items()}
        self.types = {name: one.model.type for name, one in self.entries.of("fact").items()}
        for kind, type_of in _BRINGS.items():
            for name, one in self.entries.of(kind).items():
                fact = fact_of(kind, name)
                if fact in self.types:
                    self.problems.append(one.problem((), f"the fact `{fact}` is declared twice"))
                self.types[fact] = type_of(one.model)

    def type_of(self, name: str) -> str | None:
        """The type of a fact, or None where there is no such fact.

        `new.x` is what a fix has set `config.x` to, of the same type.
        """
        if name.startswith(PACKAGE):
            return "version"
        return self.types.get(f"config.{name[4:]}" if name.startswith("new.") else name)

    def condition(
        self, entry: Located, path: tuple[str | int, ...], text: str, expect: str = "bool"
    ) -> list[Any] | None:
        """Parse and check a condition; a mistake is noted, and None given back."""
        try:
            parsed = parse(text, proven=entry.raw.document.pack.proven)
            node = check(parsed, self.type_of, self.limits, expect=expect)
        except ConditionError as error:
            if error.wrong.removeprefix("limit.") in self._lost:
                return None
            words = [*self.types, *(f"limit.{name}" for name in self.limits)]
            hint = (
                nearest(error.wrong, words)
                if "no fact" in error.message or "no threshold" in error.message
                else ""
            )
            shift = error.offset or max(0, text.find(error.wrong) if error.wrong else 0)
            self.problems.append(entry.problem(path, error.message, hint, shift=shift))
            return None
        names = needs(node)
        self.used |= names
        return stored_rule(text, node, names)

    def text(self, entry: Located, path: tuple[str | int, ...], text: str) -> str:
        """Check the facts that a text wants filled in."""
        for match in PLACEHOLDER.finditer(text):
            self.fact(entry, path, match[1])
        for match in _BRACED.finditer(PLACEHOLDER.sub("", text)):
            message = f"`{match[0]}` is no fact: a text can show the value of one, and calculates nothing"
            self.problems.append(entry.problem(path, message, "derive a fact for it"))
        return text

    def fact(self, entry: Located, path: tuple[str | int, ...], name: str, *, on_key: bool = False) -> None:
        """Check that a fact exists."""
        if self.type_of(name) is None and name not in self._lost:
            message = f"there is no fact `{name}`"
            self.problems.append(entry.problem(path, message, nearest(name, self.types), on_key=on_key))
        self.used.add(name)

    def refer(
        self, entry: Located, path: tuple[str | int, ...], kind: str, name: str, *, on_key: bool = False
    ) -> None:
        """Check that an entry of a kind exists."""
        known = self.entries.of(kind)
        if name not in known and name not in self._lost:
            message = f"there is no {kind} `{name}`"
            self.problems.append(entry.problem(path, message, nearest(name, known), on_key=on_key))

    def value(self, entry: Located, path: tuple[str | int, ...], fact: str, value: Any) -> None:
        """Check that a value fits a fact's declared type and values."""
        wanted = self.type_of(fact)
        if wanted is None:
            self.fact(entry, path, fact, on_key=True)
            return
        if not _fits(value, wanted):
            self.problems.append(
                entry.problem(path, f"`{fact}` is {wanted}, and this is {type(value).__name__}")
            )
            return
        allowed = self._values(fact)
        if allowed and isinstance(value, str) and value not in allowed:
            message = f"`{value}` is not a value of `{fact}`"
            self.problems.append(
                entry.problem(path, message, nearest(value, allowed) or f"one of {', '.join(allowed)}")
            )

    def _values(self, fact: str) -> Iterable[str]:
        declared = self.entries.of("fact").get(fact) or self.entries.of("setting").get(
            fact.removeprefix("config.")
        )
        return (declared.model.values or ()) if declared else ()


def _fits(value: Any, wanted: str) -> bool:
    match wanted:
        case "bool":
            return isinstance(value, bool)
        case "int" | "float":
            number = isinstance(value, int | float) and not isinstance(value, bool)
            return number or value in ("nan", "inf", "-inf")
        case "list":
            return isinstance(value, list) and all(isinstance(one, str) for one in value)
        case _:
            return isinstance(value, str)


_BRINGS: Mapping[str, Any] = {
    "signature": lambda model: "bool",
    "code-pattern": lambda model: "bool",
    "setting": lambda model: model.type,
    "check": lambda model: "bool",
    "symptom": lambda model: "bool",
}
