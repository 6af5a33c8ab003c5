"""The words of what is known of each cause and symptom, weighed so that adding them up tells how much a text reads like it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from ...resemblance import stem, written_words
from ..scope import Scope, fact_of
from .parts import Stored

_SATURATION = 1.2
"""k1 of BM25: how soon it stops to matter how often a word stands on a page."""
_LENGTH = 0.75
"""b of BM25: how far the length of a page is allowed for."""
_COMMON = 0.4
"""A word on a greater share of the pages of causes than this tells next to nothing, and would make most of the index."""
_UNIT = 10
"""Weights are kept as whole tenths."""


def resemblance_section(scope: Scope, core: Stored) -> Stored:
    """For causes and for symptoms, word -> id -> weight: the score of BM25 for a text that holds the word."""
    texts = _Pages(scope, core)
    return {
        "cause": _weights({name: texts.of_cause(name) for name in core["cause"]}, _COMMON),
        "symptom": _weights({name: texts.of_symptom(name) for name in core["symptom"]}),
    }


def _weights(pages: Mapping[str, Counter[str]], common: float = 1.0) -> Stored:
    usual = sum(map(Counter.total, pages.values())) / max(1, len(pages))
    holders = Counter(word for page in pages.values() for word in page)
    found: dict[str, dict[str, int]] = {}
    for name, page in pages.items():
        long = _SATURATION * (1 - _LENGTH + _LENGTH * page.total() / usual)
        for word, count in page.items():
            if holders[word] <= max(1, common * len(pages)):
                rare = math.log(1 + (len(pages) - holders[word] + 0.5) / (holders[word] + 0.5))
                weight = round(_UNIT * rare * count * (_SATURATION + 1) / (count + long))
                found.setdefault(word, {})[name] = weight
    return found


class _Pages:
    """The texts that say what is known of a cause or a symptom, as the words in them."""

    def __init__(self, scope: Scope, core: Stored) -> None:
        self._scope, self._core = scope, core
        self._stems = _Stems()
        nothing = scope.entries.of("words").get("tells-nothing")
        self._nothing = {stem(word) for word in nothing.model.words} if nothing else set[str]()
        self._examples = {
            fact_of(kind, name): entry.model.finds
            for kind in ("signature", "code-pattern")
            for name, entry in scope.entries.of(kind).items()
        }
        self._of_facts: dict[str, list[str]] = {}

    def of_cause(self, name: str) -> Counter[str]:
        """How often each word stands on the page of a cause: what it says, its fixes, and the facts that it asks for."""
        model = self._scope.entries.of("cause")[name].model
        counted = Counter(
            self._words(
                (model.title, model.explanation, *model.told_as, *(one.because for one in model.evidence))
            )
        )
        fixes = self._scope.entries.of("fix")
        for fix in (fixes[one].model for one in model.fixes if one in fixes):
            counted.update(self._words((fix.title, fix.why or "", fix.expect, *fix.steps)))
        rules = (one["rule"] for one in self._core["cause"][name]["evidence"] if one["rule"])
        for fact in dict.fromkeys(fact for rule in rules for fact in rule[2]):
            counted.update(self._of_fact(fact))
        return counted

    def of_symptom(self, name: str) -> Counter[str]:
        """How often each word stands among the names of a symptom and what people tell of it."""
        model = self._scope.entries.of("symptom")[name].model
        return Counter(self._words((model.title, *model.aliases, *model.told_as)))

    def _of_fact(self, name: str) -> list[str]:
        """What a fact means, and the texts that show it. These differ in a word or two, so that each word counts once."""
        if name not in self._of_facts:
            fact = self._core["fact"].get(name)
            examples = map(str.lower, written_words("\n".join(self._examples.get(name, ()))))
            self._of_facts[name] = [
                *self._words([fact["means"]] if fact else ()),
                *self._telling(dict.fromkeys(examples)),
            ]
        return self._of_facts[name]

    def _words(self, texts: Iterable[str]) -> Iterator[str]:
        return self._telling(written_words("\n".join(texts)))

    def _telling(self, words: Iterable[str]) -> Iterator[str]:
        """The stems of words, without those that tell nothing."""
        return (word for word in map(self._stems.__getitem__, words) if word not in self._nothing)


class _Stems(dict[str, str]):
    """The stem of each word as it was written."""

    def __missing__(self, written: str) -> str:
        self[written] = found = stem(written.lower())
        return found
