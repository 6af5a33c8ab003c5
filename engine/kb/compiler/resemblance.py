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
    """The texts that say what is known of a cause or a symptom."""

    def __init__(self, scope: Scope, core: Stored) -> None:
        self._scope, self._core = scope, core
        self._stems: dict[str, str] = {}
        self._examples = {
            fact_of(kind, name): _words_once(entry.model.finds)
            for kind in ("signature", "code-pattern")
            for name, entry in scope.entries.of(kind).items()
        }

    def of_cause(self, name: str) -> Counter[str]:
        """How often each word stands on the page of a cause."""
        return self._count(self._texts(name))

    def of_symptom(self, name: str) -> Counter[str]:
        """How often each word stands among the names of a symptom and what people tell of it."""
        model = self._scope.entries.of("symptom")[name].model
        return self._count((model.title, *model.aliases, *model.told_as))

    def _count(self, texts: Iterable[str]) -> Counter[str]:
        counted: Counter[str] = Counter()
        for written, times in Counter(written_words("\n".join(texts))).items():
            if written not in self._stems:
                self._stems[written] = stem(written.lower())
            counted[self._stems[written]] += times
        return counted

    def _texts(self, name: str) -> Iterator[str]:
        """What a cause says, its fixes, and the facts that its evidence asks for, with the texts that show them."""
        model = self._scope.entries.of("cause")[name].model
        yield from (model.title, model.explanation, *model.told_as, *(one.because for one in model.evidence))
        fixes = self._scope.entries.of("fix")
        for fix in (fixes[one].model for one in model.fixes if one in fixes):
            yield from (fix.title, fix.why or "", fix.expect, *fix.steps)
        rules = (one["rule"] for one in self._core["cause"][name]["evidence"] if one["rule"])
        for fact in dict.fromkeys(fact for rule in rules for fact in rule[2]):
            if fact in self._core["fact"]:
                yield self._core["fact"][fact]["means"]
            yield self._examples.get(fact, "")


def _words_once(examples: list[str]) -> str:
    """The examples of one text differ in a word or two: each word counts once."""
    return " ".join(dict.fromkeys(word.lower() for word in written_words("\n".join(examples))))
