"""The words of what is known of each cause and symptom, counted, so that a text can be compared with them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable
from itertools import filterfalse, pairwise
from typing import TypeAlias

from ...resemblance import stem, written_words
from ..scope import Scope, fact_of
from .parts import Stored

Term: TypeAlias = str | tuple[str, str]
"""A word, or two in a row."""

_COMMON = 0.4
"""A word on a greater share of the pages of causes than this tells next to nothing, and would make most of the index."""


def resemblance_section(scope: Scope, core: Stored) -> Stored:
    """For causes and for symptoms: the pages with their lengths, and of words and pairs of words which pages hold them.

    A word -> the word behind it, or "" -> the numbers of pages, each followed by how often it stands there.
    """
    texts = _Pages(scope, core)
    causes = {name: texts.of_cause(name) for name in core["cause"]}
    symptoms = {name: texts.of_symptom(name) for name in core["symptom"]}
    return {
        "pages": {"cause": list(causes), "symptom": list(symptoms)},
        "lengths": {
            "cause": list(map(Counter.total, causes.values())),
            "symptom": list(map(Counter.total, symptoms.values())),
        },
        "nothing": {"words": sorted(texts.nothing)},
        "cause": _held(causes.values(), _COMMON),
        "symptom": _held(symptoms.values()),
    }


def _held(pages: Collection[Counter[Term]], common: float = 1.0) -> Stored:
    held: defaultdict[Term, list[int]] = defaultdict(list)
    for number, page in enumerate(pages):
        for term, count in page.items():
            held[term] += number, count
    most = 2 * max(1, common * len(pages))
    found: dict[str, dict[str, list[int]]] = {}
    for term, by in held.items():
        if len(by) <= most:
            first, second = term if isinstance(term, tuple) else (term, "")
            found.setdefault(first, {})[second] = by
    return found


class _Pages:
    """The texts that say what is known of a cause or a symptom, as the words in them."""

    def __init__(self, scope: Scope, core: Stored) -> None:
        self._scope, self._core = scope, core
        self._stems = _Stems()
        nothing = scope.entries.of("words").get("tells-nothing")
        self.nothing = {stem(word) for word in nothing.model.words} if nothing else set[str]()
        self._examples = {
            fact_of(kind, name): entry.model.finds
            for kind in ("signature", "code-pattern")
            for name, entry in scope.entries.of(kind).items()
        }
        self._of_facts: dict[str, list[Term]] = {}
        self._of_fixes: dict[str, list[Term]] = {}

    def of_cause(self, name: str) -> Counter[Term]:
        """How often each term stands on the page of a cause: what it says, its fixes, and the facts that it asks for.

        What it is tried on and what shows it counts once.
        """
        model = self._scope.entries.of("cause")[name].model
        found = self._terms(
            (model.title, model.explanation, *model.told_as, *(one.because for one in model.evidence))
        )
        for fix in model.fixes:
            found += self._of_fix(fix)
        won = [one for one in model.examples if one.expect == "wins"]
        found += dict.fromkeys(
            self._terms(text for one in won for text in (one.log, one.config, one.code) if text)
        )
        rules = (one["rule"] for one in self._core["cause"][name]["evidence"] if one["rule"])
        for fact in dict.fromkeys(fact for rule in rules for fact in rule[2]):
            found += self._of_fact(fact)
        return Counter(found)

    def of_symptom(self, name: str) -> Counter[Term]:
        """How often each term stands among the names of a symptom and what people tell of it."""
        model = self._scope.entries.of("symptom")[name].model
        return Counter(self._terms((model.title, *model.aliases, *model.told_as)))

    def _of_fix(self, name: str) -> list[Term]:
        """What a fix does, and why."""
        fixes = self._scope.entries.of("fix")
        if name not in self._of_fixes and name in fixes:
            fix = fixes[name].model
            self._of_fixes[name] = self._terms((fix.title, fix.why or "", fix.expect, *fix.steps))
        return self._of_fixes.get(name, [])

    def _of_fact(self, name: str) -> list[Term]:
        """What a fact means, and the texts that show it. These differ in a word or two, so that each term counts once."""
        if name not in self._of_facts:
            fact = self._core["fact"].get(name)
            self._of_facts[name] = [
                *self._terms([fact["means"]] if fact else ()),
                *dict.fromkeys(self._terms(self._examples.get(name, ()))),
            ]
        return self._of_facts[name]

    def _terms(self, texts: Iterable[str]) -> list[Term]:
        """The stems of words and of pairs, without words that tell nothing: of a pair the other word may."""
        stem_of, tells_nothing = self._stems.__getitem__, self.nothing.__contains__
        found: list[Term] = []
        for text in texts:
            stems = [*map(stem_of, written_words(text))]
            found += filterfalse(tells_nothing, stems)
            found += pairwise(stems)
        return found


class _Stems(dict[str, str]):
    """The stem of each word as it was written."""

    def __missing__(self, written: str) -> str:
        self[written] = found = stem(written.lower())
        return found
