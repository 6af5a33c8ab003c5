"""A sentence in clauses, and the words in it that say how something went."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from traindx.engine.regex import regex

from .patterns import Patterns

Span = tuple[int, int]
_PART = regex(r"[;；。！!]|\.(?=\s|$)")
"""Nothing said on one side of these speaks of the other side."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A word or two that say how something went."""

    start: int
    good: bool
    strong: bool
    """False where it only names trouble: that counts where nothing says more."""


@dataclass(frozen=True, slots=True)
class Clause:
    """A piece of a sentence that says at most one thing."""

    start: int
    end: int
    after: str
    """The word or sign before it in lower case; empty at the start of a part."""
    marks: tuple[Mark, ...]
    negated: bool
    """It holds a negation, and nothing that says how something went."""
    also: bool
    """It says that something is so here as well."""

    def verdict(self, at: Span | None = None, *, trouble_counts: bool = True) -> bool | None:
        """Whether it says that it went well; None where it does not say.

        Of several marks, the nearest after the thing at `at` counts, else the nearest before it.
        """
        marks = [mark for mark in self.marks if mark.strong]
        if not marks:
            marks = [mark for mark in self.marks if trouble_counts or mark.good or self.also]
        if not marks:
            return None
        place = at[1] if at else self.start
        after = [mark for mark in marks if mark.start >= place]
        return (after[0] if after else marks[-1]).good


class Grammar:
    """The words that clauses are read by, from the knowledge base's phrases."""

    def __init__(self, patterns: Patterns) -> None:
        phrase = patterns.phrase
        self._turn, self._also = phrase("turn"), phrase("also")
        self._worked, self._failed, self._trouble = phrase("worked"), phrase("failed"), phrase("trouble")
        self._negation, self._not, self._hedge = phrase("negation"), phrase("not"), phrase("hedge")
        self._awhile = phrase("awhile")

    def parts(self, sentence: str, things: Sequence[Span]) -> list[list[Clause]]:
        """The clauses of a sentence, by part. Words inside `things` say nothing about how they went."""
        blanked = _blanked(sentence, things)
        marks = sorted(self._marks(blanked), key=lambda mark: mark.start)
        return [
            [
                self._clause(blanked, start, end, after, marks)
                for start, end, after in self._cut(blanked, first, last)
            ]
            for first, last in _parts(blanked)
        ]

    def _cut(self, text: str, first: int, last: int) -> Iterator[tuple[int, int, str]]:
        start, after = first, ""
        for match in self._turn.finditer(text, first, last):
            if text[start : match.start()].strip():
                yield start, match.start(), after
            start, after = match.end(), match[0].strip().lower()
        if text[start:last].strip():
            yield start, last, after

    def _clause(self, text: str, start: int, end: int, after: str, marks: Sequence[Mark]) -> Clause:
        own = [
            self._weighed(text[start : mark.start], text[mark.start :], after, mark)
            for mark in marks
            if start <= mark.start < end
        ]
        said = tuple(mark for mark in own if mark is not None)
        negated = not said and self._not.search(text, start, end) is not None
        return Clause(start, end, after, said, negated, self._also.search(text, start, end) is not None)

    def _weighed(self, before: str, on: str, after: str, mark: Mark) -> Mark | None:
        """The mark as the words around leave it: as it is, turned round, only wished for, or not for long."""
        if mark.strong and not mark.good:
            return mark
        if mark.good and self._hedge.search(before):
            return None
        turned = after == "nor" or self._negation.search(before) is not None
        if mark.good and not turned and self._awhile.match(on):
            return None
        return Mark(mark.start, not mark.good, mark.strong) if turned else mark

    def _marks(self, text: str) -> Iterator[Mark]:
        taken: list[Span] = []
        for pattern, good, strong in (
            (self._failed, False, True), (self._worked, True, True), (self._trouble, False, False),
        ):  # fmt: skip
            for match in pattern.finditer(text):
                if all(match.end() <= start or match.start() >= end for start, end in taken):
                    taken.append(match.span())
                    yield Mark(match.start(), good, strong)


def _parts(text: str) -> Iterator[Span]:
    start = 0
    for match in _PART.finditer(text):
        yield start, match.start()
        start = match.end()
    yield start, len(text)


def _blanked(sentence: str, things: Sequence[Span]) -> str:
    for start, end in things:
        sentence = f"{sentence[:start]}{'_' * (end - start)}{sentence[end:]}"
    return sentence
