"""What was tried, and how it went: the things a sentence names, and the verdict of its clauses on them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise, zip_longest

from traindx.engine.kb.rules import TrialRule

from .clauses import Clause, Grammar, Span
from .patterns import Patterns

MOST_TOLD_BACK = 100
"""Characters of a statement that says nothing but how it went; a longer one says more."""


@dataclass(frozen=True, slots=True)
class Thing:
    """Something tried, where a sentence names it."""

    trial: TrialRule
    span: Span
    opposite: bool
    """What is named is what was there before the trial."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a thing stands: the clauses of its part of the sentence, and which of them it is in."""

    sentence: str
    clauses: Sequence[Clause]
    index: int
    behind: str
    """The text of the part behind it; empty where it is the last."""

    @property
    def clause(self) -> Clause:
        """The clause it stands in."""
        return self.clauses[self.index]

    def within(self, clause: Clause) -> str:
        """What a clause says."""
        return self.sentence[clause.start : clause.end]


class Trials:
    """Reads what sentences say about the trials of a knowledge base."""

    def __init__(self, trials: Sequence[TrialRule], patterns: Patterns) -> None:
        self._trials, self._patterns = trials, patterns

    def named(self, sentence: str) -> list[Thing]:
        """The things tried, and their opposites, that a sentence names."""
        lowered = sentence.lower()
        known = [trial for trial in self._trials if any(word in lowered for word in trial.words)]
        return [thing for trial in known for thing in self._find(sentence, trial)]

    def went(self, sentence: str, named: Sequence[Thing]) -> dict[str, bool]:
        """How those things went: the fact, and whether it is true. Of two verdicts on one, the first counts, or the better one."""
        said: dict[str, bool] = {}
        for thing, place in self._placed(sentence, named):
            verdict = self._on(thing, place, named)
            if verdict is None and not thing.opposite and not self._was_absent(thing, place):
                verdict = self.told_back(place.behind)
            if verdict and thing.trial.one_is_enough:
                said[thing.trial.gives] = True
            elif verdict is not None:
                said.setdefault(thing.trial.gives, verdict)
        return said

    def told_back(self, text: str) -> bool | None:
        """How it went with what was named just before: `I lowered the rate; no change`. None where the text says more, or less, than that."""
        if not text or len(text) > MOST_TOLD_BACK:
            return None
        if self._is("failed-back", text):
            return False
        return True if self._is("worked-back", text) else None

    def tried(self, sentence: str, named: Sequence[Thing]) -> set[str]:
        """The facts of the things that a sentence names as tried, each of which may have helped or not."""
        return {
            thing.trial.gives
            for thing, place in self._placed(sentence, named)
            if not thing.opposite and not self._was_absent(thing, place)
        }

    def _placed(self, sentence: str, named: Sequence[Thing]) -> Iterator[tuple[Thing, Place]]:
        parts = self._grammar.parts(sentence, [thing.span for thing in named if not thing.opposite])
        for thing in sorted(named, key=lambda thing: thing.opposite):
            place = _place(sentence, parts, thing.span)
            if place:
                yield thing, place

    def _was_absent(self, thing: Thing, place: Place) -> bool:
        return self._is("absent", place.sentence[place.clause.start : thing.span[0]])

    def _find(self, sentence: str, trial: TrialRule) -> Iterator[Thing]:
        for pattern, opposite in ((trial.pattern, False), (trial.otherwise, True)):
            if pattern:
                found = self._patterns.compiled(pattern).finditer(sentence)
                yield from (Thing(trial, match.span(), opposite) for match in found)

    def _on(self, thing: Thing, place: Place, named: Sequence[Thing]) -> bool | None:
        if thing.opposite:
            return self._only_with(place)
        if self._was_absent(thing, place):
            return None
        before = place.sentence[place.clause.start : thing.span[0]]
        verdict = place.clause.verdict(thing.span, trouble_counts=thing.trial.trouble_counts)
        if verdict is not None and self._is("until", before):
            return not verdict
        if verdict is None and place.clause.negated:
            verdict = _turned(place)
        if verdict is None:
            verdict = self._said_later(thing, place, named)
        return self._said_before(thing, place) if verdict is None else verdict

    def _only_with(self, place: Place) -> bool | None:
        """`it only hangs with several cards` says that one card works."""
        verdict = place.clause.verdict()
        if verdict is None or not self._patterns.phrase("exclusive").search(place.within(place.clause)):
            return None
        return not verdict

    def _said_later(self, thing: Thing, place: Place, named: Sequence[Thing]) -> bool | None:
        """`I lowered the learning rate, turned off AMP, and it is still NaN` speaks of both."""
        others = [other.span[0] for other in named if other.trial is not thing.trial and not other.opposite]
        for clause in place.clauses[place.index + 1 :]:
            verdict = clause.verdict(trouble_counts=thing.trial.trouble_counts)
            if verdict is not None:
                if any(clause.start <= start < clause.end for start in others) and not self._is(
                    "listing", clause.after
                ):
                    return None
                # `it runs on one card, but as soon as there are two it hangs` speaks of the opposite.
                opposite = self._is("contrast", clause.after) and self._is("exclusive", place.within(clause))
                return verdict != opposite
        return None

    def _said_before(self, thing: Thing, place: Place) -> bool | None:
        """`I get the same error, also with one GPU`; `none of these helped: a lower rate, clipping`."""
        start, end = thing.span
        rest = place.sentence[place.clause.start : start] + " " + place.sentence[end : place.clause.end]
        goes_on = self._is("joining", place.within(place.clause)) or len(re.findall(r"\w+", rest)) <= 1
        for later, earlier in pairwise(reversed(place.clauses[: place.index + 1])):
            if self._is("contrast", later.after) or not (goes_on or later.after == ":"):
                return None
            verdict = earlier.verdict(trouble_counts=thing.trial.trouble_counts)
            if verdict is not None:
                return verdict
            goes_on = goes_on and self._is("listing", later.after)
        return None

    def _is(self, name: str, text: str) -> bool:
        return self._patterns.phrase(name).search(text) is not None

    @cached_property
    def _grammar(self) -> Grammar:
        return Grammar(self._patterns)


def _place(sentence: str, parts: Sequence[Sequence[Clause]], span: Span) -> Place | None:
    for clauses, behind in zip_longest(parts, parts[1:], fillvalue=()):
        for index, clause in enumerate(clauses):
            if clause.start <= span[0] < clause.end:
                return Place(sentence, clauses, index, _text(sentence, behind))
    return None


def _text(sentence: str, clauses: Sequence[Clause]) -> str:
    return sentence[clauses[0].start : clauses[-1].end] if clauses else ""


def _turned(place: Place) -> bool | None:
    """`it hangs on four GPUs, on one it does not`: a bare negation turns its neighbour round."""
    for neighbour in (place.index - 1, place.index + 1):
        if 0 <= neighbour < len(place.clauses):
            verdict = place.clauses[neighbour].verdict()
            if verdict is not None:
                return not verdict
    return None
