"""The words of what is known of each cause, weighed so that adding them up tells how much a text reads like it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from ...resemblance import stem, written_words
from ..scope import Scope, fact_of
from .parts import Stored

_SATURATION = 1.2
"""k1 of BM25: how soon it stops to matter how often a word stands on a page."""
_LENGTH = 0.75
"""b of BM25: how far the length of a page is allowed for."""
_COMMON = 0.4
"""A word on a greater share of the pages than this tells nothing."""
_UNIT = 10
"""Weights are kept as whole tenths."""


def resemblance_section(scope: Scope, core: Stored) -> Stored:
    """Word -> cause -> weight: the score of BM25 for a text that holds the word."""
    shared = _Words(scope, core)
    pages = {name: shared.of_cause(name) for name in core["cause"]}
    usual = sum(map(Counter.total, pages.values())) / max(1, len(pages))
    holders = Counter(word for page in pages.values() for word in page)
    found: dict[str, dict[str, int]] = {}
    for name, page in pages.items():
        long = _SATURATION * (1 - _LENGTH + _LENGTH * page.total() / usual)
        for word, count in page.items():
            if holders[word] <= max(1, _COMMON * len(pages)):
                rare = math.log(1 + (len(pages) - holders[word] + 0.5) / (holders[word] + 0.5))
                weight = round(_UNIT * rare * count * (_SATURATION + 1) / (count + long))
                found.setdefault(word, {})[name] = weight
    return {"word": found}


class _Words:
    """Counts words, of texts that several causes share only once."""

    def __init__(self, scope: Scope, core: Stored) -> None:
        self._scope, self._core = scope, core
        self._examples = {
            fact_of(kind, name): entry.model.finds
            for kind in ("signature", "code-pattern")
            for name, entry in scope.entries.of(kind).items()
        }
        self._shared: dict[str, Counter[str]] = {}

    def of_cause(self, name: str) -> Counter[str]:
        """What a cause says, its fixes, and the facts that its evidence asks for, with the texts that show them."""
        model = self._scope.entries.of("cause")[name].model
        words = _count(
            model.title, model.explanation, *model.told_as, *(one.because for one in model.evidence)
        )
        for fix in model.fixes:
            words.update(self._once(f"fix {fix}", self._of_fix, fix))
        rules = (one["rule"] for one in self._core["cause"][name]["evidence"] if one["rule"])
        for fact in sorted({fact for rule in rules for fact in rule[2]}):
            words.update(self._once(fact, self._of_fact, fact))
        return words

    def _once(self, key: str, texts: Callable[[str], Iterable[str]], name: str) -> Counter[str]:
        if key not in self._shared:
            self._shared[key] = _count(*texts(name))
        return self._shared[key]

    def _of_fix(self, name: str) -> Iterator[str]:
        entry = self._scope.entries.of("fix").get(name)
        if entry is not None:
            yield from (entry.model.title, entry.model.why or "", entry.model.expect, *entry.model.steps)

    def _of_fact(self, name: str) -> Iterator[str]:
        if name in self._core["fact"]:
            yield self._core["fact"][name]["means"]
        # The examples of one text differ in a word or two: each word counts once.
        examples = self._examples.get(name, ())
        yield " ".join(sorted(set(written_words("\n".join(examples).lower()))))


def _count(*texts: str) -> Counter[str]:
    counted: Counter[str] = Counter()
    for written, times in Counter(written_words("\n".join(texts))).items():
        counted[stem(written.lower())] += times
    return counted
