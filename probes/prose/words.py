"""Which signatures can match a sentence at all? Its words tell, before any pattern is tried."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from traindx.engine.kb.rules import SignatureRule

_KEY = 4
"""Characters by which words are looked up. A shorter word is looked up as a whole."""


class Index:
    """The signatures of prose by the words that their wordings need."""

    def __init__(self, rules: Iterable[SignatureRule], groups: Sequence[Sequence[str]]) -> None:
        self._rules = tuple(rules)
        places: defaultdict[str, list[int]] = defaultdict(list)
        for number, words in enumerate(groups):
            for word in words:
                places[word].append(number)
        self._words: defaultdict[str, list[tuple[str, list[int]]]] = defaultdict(list)
        for word, numbers in places.items():
            self._words[word[:_KEY]].append((word, numbers))
        self._lengths = sorted({len(key) for key in self._words})
        self._always = {place for place, rule in enumerate(self._rules) if not all(rule.needs)}
        self._wordings: defaultdict[int, list[tuple[frozenset[int], int]]] = defaultdict(list)
        for place, rule in enumerate(self._rules):
            for wording in filter(None, rule.needs):
                self._wordings[wording[0]].append((frozenset(wording), place))

    def candidates(self, sentence: str) -> list[SignatureRule]:
        """The signatures of which some wording has a word of each of its groups in the sentence."""
        present = self._present(sentence.lower())
        found = {
            place
            for group in present
            for needed, place in self._wordings.get(group, ())
            if needed <= present
        }  # fmt: skip
        return [self._rules[place] for place in sorted(found | self._always)]

    def _present(self, lowered: str) -> set[int]:
        """The groups of which a word stands in a text."""
        keys = {lowered[at : at + length] for length in self._lengths for at in range(len(lowered))}
        present: set[int] = set()
        for key in keys & self._words.keys():
            for word, groups in self._words[key]:
                if word in lowered:
                    present.update(groups)
        return present
