"""Which error texts and events does a log hold? Each literal is looked for before any pattern is tried."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from traindx.engine.facts import Origin, Place
from traindx.engine.kb.knowledge import Knowledge
from traindx.engine.kb.rules import SignatureRule

from .collected import Collected
from .vocabulary import Vocabulary

LONGEST = 8192
"""Characters of a line, or of several joined, that patterns are searched in."""
_DIGITS = re.compile(r"\d+")


@dataclass(slots=True)
class Hit:
    """A signature that was found, and where first."""

    rule: SignatureRule
    place: Place
    origin: Origin
    count: int = 1


class Signatures:
    """The signatures for one kind of text: what machines print, or what people write."""

    def __init__(self, rules: Iterable[SignatureRule]) -> None:
        self.rules = {rule.id: rule for rule in rules}
        self._patterns: dict[str, re.Pattern[str]] = {}
        self._pieces: dict[str, list[list[bytes]]] = {}
        self.vocabulary = Vocabulary((word, rule.id) for rule in self.rules.values() for word in rule.words)
        self.always = self.vocabulary.always | {rule.id for rule in self.rules.values() if not rule.words}

    def candidates(self, line: bytes, keys: Iterable[str]) -> tuple[SignatureRule, ...]:
        """Those whose literal text stands in the line, digits apart; `keys` is what the vocabulary hit."""
        low = line.lower()
        chosen = sorted({*keys, *self.always})
        return tuple(self.rules[key] for key in chosen if key in self.rules and self._may_be_in(self.rules[key], low))

    def _may_be_in(self, rule: SignatureRule, low: bytes) -> bool:
        if rule.lines > 1 or not rule.words:
            return True
        pieces = self._pieces.get(rule.id)
        if pieces is None:
            # A line of the same form differs in its digits, so these do not decide.
            pieces = [[piece.encode() for piece in _DIGITS.split(word) if piece] for word in rule.words]
            self._pieces[rule.id] = pieces
        return any(all(piece in low for piece in one) for one in pieces)

    def search(self, rule: SignatureRule, text: str) -> re.Match[str] | None:
        """Where a signature is in a text."""
        pattern = self._patterns.get(rule.id)
        if pattern is None:
            pattern = self._patterns[rule.id] = re.compile(rule.pattern, re.MULTILINE)
        return pattern.search(text[:LONGEST])


def for_machines(knowledge: Knowledge) -> Signatures:
    """The signatures of machine output."""
    return Signatures(rule for rule in knowledge.signatures.values() if rule.where != "prose")


def for_people(knowledge: Knowledge) -> Signatures:
    """The signatures of what a person writes."""
    return Signatures(rule for rule in knowledge.signatures.values() if rule.where != "log")


class Hits:
    """What was found, and the facts it gave."""

    def __init__(self, facts: Collected) -> None:
        self._facts = facts
        self.found: dict[str, Hit] = {}

    def note(self, rule: SignatureRule, match: re.Match[str], place: Place, origin: Origin = Origin.LOG) -> None:
        """Note one occurrence. The first one of the more trusted origin gives the facts."""
        hit = self.found.get(rule.id)
        if hit is not None and hit.origin.rank <= origin.rank:
            hit.count += 1
            return
        self.found[rule.id] = Hit(rule, place, origin)
        self._facts.add(rule.fact, True, place, origin)
        for name, value in rule.facts.items():
            self._facts.add(name, tuple(value) if isinstance(value, list) else value, place, origin)
        for group, name in rule.captures.items():
            if match[group] is not None:
                self._facts.captured(name, match[group], place, origin)

    def absent(self, rules: Iterable[SignatureRule], place: Place) -> None:
        """Say of every signature that was looked for and not found that it is not there."""
        for rule in rules:
            if rule.id not in self.found:
                self._facts.add(rule.fact, False, place)
