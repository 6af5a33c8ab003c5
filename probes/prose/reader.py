"""Which sentences state something, and what they say about what was tried."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property

from traindx.engine.kb.knowledge import Knowledge
from traindx.engine.kb.rules import TrialRule

from .clauses import Clause, Grammar, Span

MAX_SENTENCE = 1000
"""Characters of a sentence that are read; a longer one is no sentence."""

Found = tuple[TrialRule, Span]


class ProseReader:
    """Reads sentences by the phrases and trials of a knowledge base. Nothing is compiled before it is needed."""

    def __init__(self, knowledge: Knowledge) -> None:
        self._trials, self._phrases = knowledge.trials, knowledge.phrases
        self._compiled: dict[str, re.Pattern[str]] = {}

    def states(self, sentence: str) -> bool:
        """Whether it states something: no question that yes or no answers, no advice, no doubt, no guess."""
        return not any(self._phrase(name).search(sentence[:MAX_SENTENCE]) for name in ("question", "advice", "doubt"))

    def trials(self, sentence: str) -> dict[str, bool]:
        """What the sentence says about things that were tried: the fact, and whether it is true.

        `the NaN is gone in fp32` gives {"test.fp32_clears_nan": True}. A thing that is named
        without a word about how it went gives nothing.
        """
        sentence = sentence[:MAX_SENTENCE]
        named = list(self._named(sentence, "pattern"))
        others = list(self._named(sentence, "otherwise"))
        if not (named or others) or not self.states(sentence):
            return {}
        said: dict[str, bool] = {}
        parts = self._grammar.parts(sentence, [span for _, span in named])
        for trial, span in named:
            clauses, index = _place(parts, span)
            if clauses and not self._phrase("absent").search(sentence[clauses[index].start : span[0]]):
                verdict = self._verdict(sentence, clauses, index, (trial, span), named)
                if verdict is not None:
                    said.setdefault(trial.gives, verdict)
        for trial, span in others:
            clauses, index = _place(parts, span)
            if clauses and (verdict := self._only_with(sentence, clauses[index], span)) is not None:
                said.setdefault(trial.gives, verdict)
        return said

    def _verdict(
        self, sentence: str, clauses: Sequence[Clause], index: int, thing: Found, named: Sequence[Found]
    ) -> bool | None:
        (trial, span), clause = thing, clauses[index]
        verdict = clause.verdict(span, trouble_counts=trial.trouble_counts)
        if verdict is None and clause.negated:
            verdict = _turned(clauses, index)
        if verdict is None:
            verdict = self._said_later(clauses, index, thing, named)
        return self._said_before(sentence, clauses, index, thing) if verdict is None else verdict

    def _said_later(self, clauses: Sequence[Clause], index: int, thing: Found, named: Sequence[Found]) -> bool | None:
        """`I lowered the learning rate, turned off AMP, and it is still NaN` speaks of both."""
        trial, _ = thing
        for clause in clauses[index + 1 :]:
            verdict = clause.verdict(trouble_counts=trial.trouble_counts)
            if verdict is not None:
                another = any(clause.start <= span[0] < clause.end for one, span in named if one.gives != trial.gives)
                return verdict if not another or clause.after in ("and", "or", "nor") else None
        return None

    def _said_before(self, sentence: str, clauses: Sequence[Clause], index: int, thing: Found) -> bool | None:
        """`I get the same error, also with one GPU`; `none of these helped: a lower rate, clipping`."""
        trial, span = thing
        clause = clauses[index]
        alone = len(re.findall(r"\w+", sentence[clause.start : span[0]] + " " + sentence[span[1] : clause.end])) <= 1
        joined = self._phrase("joining").search(sentence[clause.start : clause.end]) is not None
        listed = alone
        for place in range(index, 0, -1):
            after = clauses[place].after
            if self._phrase("contrast").search(after) or not (joined or listed or after == ":"):
                return None
            verdict = clauses[place - 1].verdict(trouble_counts=trial.trouble_counts)
            if verdict is not None:
                return verdict
            in_list = self._phrase("listing").search(after) is not None
            joined, listed = joined and in_list, listed and in_list
        return None

    def _only_with(self, sentence: str, clause: Clause, span: Span) -> bool | None:
        verdict = clause.verdict()
        if verdict is None or not self._phrase("exclusive").search(sentence[clause.start : clause.end]):
            return None
        return not verdict

    def _named(self, sentence: str, which: str) -> Iterator[Found]:
        lowered = sentence.lower()
        for trial in self._trials.values():
            if (pattern := getattr(trial, which)) and any(word in lowered for word in trial.words):
                yield from ((trial, match.span()) for match in self._regex(pattern).finditer(sentence))

    @cached_property
    def _grammar(self) -> Grammar:
        return Grammar(self._phrases)

    def _phrase(self, name: str) -> re.Pattern[str]:
        return self._regex(self._phrases[name])

    def _regex(self, pattern: str) -> re.Pattern[str]:
        if pattern not in self._compiled:
            self._compiled[pattern] = re.compile(pattern, re.IGNORECASE)
        return self._compiled[pattern]


def _place(parts: Sequence[Sequence[Clause]], span: Span) -> tuple[Sequence[Clause], int]:
    """The part that a thing stands in, and which of its clauses; an empty part where it stands in none."""
    for clauses in parts:
        for index, clause in enumerate(clauses):
            if clause.start <= span[0] < clause.end:
                return clauses, index
    return (), 0


def _turned(clauses: Sequence[Clause], index: int) -> bool | None:
    """`it hangs on four GPUs, on one it does not`: a bare negation turns its neighbour round."""
    for neighbour in (index - 1, index + 1):
        if 0 <= neighbour < len(clauses) and (verdict := clauses[neighbour].verdict()) is not None:
            return not verdict
    return None
