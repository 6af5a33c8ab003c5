"""The words of what is known of each cause and symptom, weighed so that adding them up tells how much a text reads like it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator

from ...resemblance import pairs, stem, written_words
from ..scope import Scope, fact_of
from .parts import Stored

_SATURATION = 2.0
"""k1 of BM25: how soon it stops to matter how often a word stands on a page."""
_LENGTH = 0.75
"""b of BM25: how far the length of a page is allowed for."""
_COMMON = 0.4
"""A word on a greater share of the pages of causes than this tells next to nothing, and would make most of the index."""
_UNIT = 10
"""Weights are kept as whole tenths."""


def resemblance_section(scope: Scope, core: Stored) -> Stored:
    """For causes and for symptoms, what words and pairs of words weigh: the scores of BM25 for a text that holds them.

    A word -> the word behind it, or "" -> the numbers of pages, each followed by the weight.
    """
    texts = _Pages(scope, core)
    pages = {
        "cause": {name: texts.of_cause(name) for name in core["cause"]},
        "symptom": {name: texts.of_symptom(name) for name in core["symptom"]},
    }
    return {
        "pages": {kind: list(of_kind) for kind, of_kind in pages.items()},
        "cause": _weights(list(pages["cause"].values()), _COMMON),
        "symptom": _weights(list(pages["symptom"].values())),
    }


def _weights(pages: list[Counter[str]], common: float = 1.0) -> Stored:
    usual = sum(map(Counter.total, pages)) / max(1, len(pages))
    holders = Counter(term for page in pages for term in page)
    most = max(1, common * len(pages))
    rare = {
        term: _UNIT * (_SATURATION + 1) * math.log(1 + (len(pages) - held + 0.5) / (held + 0.5))
        for term, held in holders.items()
        if held <= most
    }
    weighed: dict[str, list[int]] = {term: [] for term in rare}
    for number, page in enumerate(pages):
        long = _SATURATION * (1 - _LENGTH + _LENGTH * page.total() / usual)
        for term, count in page.items():
            if term in rare:
                weighed[term] += number, round(rare[term] * count / (count + long))
    found: dict[str, dict[str, list[int]]] = {}
    for term, of_pages in weighed.items():
        first, _, second = term.partition(" ")
        found.setdefault(first, {})[second] = of_pages
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
        """How often each term stands on the page of a cause: what it says, its fixes, and the facts that it asks for.

        What it is tried on and what shows it counts once.
        """
        model = self._scope.entries.of("cause")[name].model
        counted = Counter(
            self._terms(
                (model.title, model.explanation, *model.told_as, *(one.because for one in model.evidence))
            )
        )
        fixes = self._scope.entries.of("fix")
        for fix in (fixes[one].model for one in model.fixes if one in fixes):
            counted.update(self._terms((fix.title, fix.why or "", fix.expect, *fix.steps)))
        won = (one for one in model.examples if one.expect == "wins")
        counted.update(
            set(self._terms(text for one in won for text in (one.log, one.config, one.code) if text))
        )
        rules = (one["rule"] for one in self._core["cause"][name]["evidence"] if one["rule"])
        for fact in dict.fromkeys(fact for rule in rules for fact in rule[2]):
            counted.update(self._of_fact(fact))
        return counted

    def of_symptom(self, name: str) -> Counter[str]:
        """How often each term stands among the names of a symptom and what people tell of it."""
        model = self._scope.entries.of("symptom")[name].model
        return Counter(self._terms((model.title, *model.aliases, *model.told_as)))

    def _of_fact(self, name: str) -> list[str]:
        """What a fact means, and the texts that show it. These differ in a word or two, so that each term counts once."""
        if name not in self._of_facts:
            fact = self._core["fact"].get(name)
            self._of_facts[name] = [
                *self._terms([fact["means"]] if fact else ()),
                *dict.fromkeys(self._terms(self._examples.get(name, ()))),
            ]
        return self._of_facts[name]

    def _terms(self, texts: Iterable[str]) -> Iterator[str]:
        """The stems of words and of pairs, without words that tell nothing: of a pair the other word may."""
        for text in texts:
            stems = [self._stems[word] for word in written_words(text)]
            yield from (one for one in stems if one not in self._nothing)
            yield from pairs(stems)


class _Stems(dict[str, str]):
    """The stem of each word as it was written."""

    def __missing__(self, written: str) -> str:
        self[written] = found = stem(written.lower())
        return found
