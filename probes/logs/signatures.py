"""Which error texts and events does a log hold? Each literal is looked for before any pattern is tried."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping

from traindx.engine.kb.knowledge import Knowledge
from traindx.engine.kb.rules import SignatureRule
from traindx.engine.kb.telling import Telling, telling
from traindx.engine.regex import compiled, regex

from .any_digits import of_any_digits
from .at_once import AtOnce
from .template import shapes_of
from .vocabulary import Vocabulary

LONGEST = 8192
"""Characters of a line, or of several joined, that patterns are searched in."""
_COUNTS = regex(r"\{\d*,?\d*\}|\(\?P<\w+>")
_NAMED_DIGIT = regex(r"\d")


class Signatures:
    """The signatures for one kind of text: what machines print, or what people write.

    `words` are their literals in order by the words that tell of them.
    """

    def __init__(self, rules: Mapping[str, SignatureRule], words: Telling[str]) -> None:
        self.rules = rules
        self._patterns: dict[str, re.Pattern[str]] = {}
        self._at_once: dict[str, AtOnce] = {}
        self._of_any_digits: dict[str, re.Pattern[str] | None] = {}
        self._words: dict[str, list[bytes]] = {}
        self._shapes: dict[str, list[bytes]] = {}
        self.vocabulary: Vocabulary[str] = Vocabulary(words)
        self._wordless = [(key, shapes_of(literal.encode())[0]) for literal, key in words.wordless]
        """The signatures without a word to look for, and the shapes of such literals."""

    def candidates(self, line: bytes, keys: Collection[str]) -> tuple[SignatureRule, ...]:
        """Those that lines of this line's shape may hold; `keys` is what the vocabulary hit."""
        shape = shapes_of(line)[0].lower()
        known, holds = self._shapes, shape.__contains__
        chosen = {key for key, literal in self._wordless if literal in shape}
        chosen.update(key for key in keys if any(map(holds, known.get(key) or self._shapes_of(key))))
        return tuple(self.rules[key] for key in sorted(chosen)) if chosen else ()

    def _shapes_of(self, key: str) -> list[bytes]:
        self._shapes[key] = shapes = [shapes_of(word)[0] for word in self._words_of(key)]
        return shapes

    def _words_of(self, key: str) -> list[bytes]:
        words = self._words.get(key)
        if words is None:
            # A literal that stretches over lines is in none of them as a whole.
            words = [word.encode() for word in self.rules[key].words]
            words = [b""] if not words or any(b"\n" in word for word in words) else words
            self._words[key] = words
        return words

    def literals(self) -> Iterable[str]:
        """All texts of which a signature needs one."""
        return (word for rule in self.rules.values() for word in rule.words)

    def holds(self, rule: SignatureRule, low: bytes) -> bool:
        """Whether one of a signature's literals stands in a line, given in lower case."""
        return any(map(low.__contains__, self._words_of(rule.id)))

    def is_decided_by_digits(self, rule: SignatureRule) -> bool:
        """Whether its pattern names digits, so that it may match one line of a shape and not the next."""
        return _NAMED_DIGIT.search(_COUNTS.sub("", rule.pattern)) is not None

    def may_be_in_like(self, rule: SignatureRule, text: str) -> bool:
        """Whether a signature may be in a text that differs from this one in its digits alone."""
        if rule.id not in self._of_any_digits:
            self._of_any_digits[rule.id] = of_any_digits(rule.pattern)
        pattern = self._of_any_digits[rule.id]
        return pattern is None or pattern.search(text[:LONGEST]) is not None

    def search(self, rule: SignatureRule, text: str) -> re.Match[str] | None:
        """Where a signature is in a text."""
        return self._pattern(rule).search(text[:LONGEST])

    def may_be_in(self, rule: SignatureRule, text: str) -> bool:
        """Whether a signature of one line may be in a line of an ASCII text, whose lines end in no spaces."""
        known = self._at_once.get(rule.id)
        if known is None:
            known = self._at_once[rule.id] = AtOnce(self._pattern(rule))
        return known.may_be_in(text)

    def _pattern(self, rule: SignatureRule) -> re.Pattern[str]:
        pattern = self._patterns.get(rule.id)
        if pattern is None:
            pattern = self._patterns[rule.id] = compiled(rule.pattern, re.MULTILINE)
        return pattern


def for_machines(knowledge: Knowledge) -> Signatures:
    """The signatures of machine output."""
    return Signatures(knowledge.signatures, knowledge.signature_words)


def for_people(knowledge: Knowledge) -> Signatures:
    """The signatures of what a person writes."""
    rules = {rule.id: rule for rule in knowledge.signatures.values() if rule.where != "log"}
    return Signatures(
        rules, telling((word, rule.id) for rule in rules.values() for word in rule.words or ("",))
    )
