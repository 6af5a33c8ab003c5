"""What one sentence states: the signatures of prose that it matches, and how things went that were tried."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property

from traindx.engine.inner_dots import matches
from traindx.engine.kb.knowledge import Knowledge
from traindx.engine.kb.rules import SignatureRule

from .clauses import Span
from .denial import Denial
from .figures import Figures
from .outcomes import Outcomes
from .patterns import Patterns
from .trials import Trials
from .words import Index

MAX_SENTENCE = 1000
"""Characters of a sentence that are read; a longer one is no sentence."""


class ProseReader:
    """Reads sentences by the prose of a knowledge base. Nothing is loaded or compiled before it is needed."""

    def __init__(self, knowledge: Knowledge) -> None:
        self._knowledge = knowledge

    def states(self, sentence: str) -> bool:
        """Whether it states something: no question that yes or no answers, no advice, no doubt, no guess."""
        return not any(
            self._patterns.phrase(name).search(sentence[:MAX_SENTENCE])
            for name in ("question", "advice", "doubt")
        )

    def complains(self, sentence: str) -> bool:
        """Whether it may tell of trouble: what only describes a run, or praises it, holds none of the words that complaints hold."""
        complains = self._patterns.phrase("complaint").search(sentence[:MAX_SENTENCE]) is not None
        return complains and not self.is_content(sentence)

    def is_content(self, sentence: str) -> bool:
        """Whether it praises a run, or tells of a release or of what was published."""
        return self._patterns.phrase("content").search(sentence[:MAX_SENTENCE]) is not None

    def signatures(self, sentence: str) -> Iterator[tuple[SignatureRule, re.Match[str]]]:
        """The signatures of prose that the sentence matches, and where it does not deny them; none where it states nothing."""
        sentence = sentence[:MAX_SENTENCE]
        if self.states(sentence):
            for rule in self._index.candidates(sentence):
                if match := self._stated(sentence, rule):
                    yield rule, match

    def _stated(self, sentence: str, rule: SignatureRule) -> re.Match[str] | None:
        """Where a signature first matches, and the sentence does not deny it."""
        pattern = self._patterns.compiled(rule.pattern, 0)
        # What a match captures is told as it was written.
        found = pattern.finditer(sentence) if rule.captures else matches(pattern, sentence)
        stated = (match for match in found if not self._denial.of(match.string, match))
        return next((one for one in stated if not self._is_of_remedy(one.string, rule, one)), None)

    def _is_of_remedy(self, sentence: str, rule: SignatureRule, match: re.Match[str]) -> bool:
        """Whether what is stated is true of the run with the remedy alone: its setting, or what it is slower than."""
        compared = self._patterns.phrase("compared").search(sentence)
        behind = compared is not None and compared.start() <= match.start() <= compared.end()
        if not behind and not rule.captures:
            return False
        cured = self._cured(sentence)
        if behind and compared is not None and any(end <= compared.start() for _, end in cured):
            return True
        return bool(rule.captures) and any(
            start < match.end() and match.start() < end for start, end in cured
        )

    def _cured(self, sentence: str) -> list[Span]:
        """Where a sentence names what made the trouble go away: `with num_workers=0 it works` is no setting of the run in trouble."""
        named = self._trials.named(sentence)
        went = self._trials.went(sentence, named) if named else {}
        return [one.span for one in named if not one.opposite and went.get(one.trial.gives)]

    def trials(self, sentence: str, before: str = "") -> dict[str, bool]:
        """What the sentence says about things that were tried: the fact, and whether it is true.

        `the NaN is gone in fp32` gives {"test.fp32_clears_nan": True}. A thing that is named
        without a word about how it went gives nothing, unless it denies what the sentence `before` complained of,
        or the next sentence says nothing but that.
        """
        sentence, before = sentence[:MAX_SENTENCE], before[:MAX_SENTENCE]
        if not self.states(sentence):
            return {}
        measured = self._compared(sentence) or (
            self._compared(f"{before} {sentence}") if before and self.states(before) else {}
        )
        named = self._trials.named(sentence)
        went = self._trials.went(sentence, named) if named else self._told_back(sentence, before)
        if named and not went and not measured and self._turns_back(sentence, before):
            return {one.trial.gives: True for one in named if not one.opposite}
        return {**went, **measured}

    @cached_property
    def one_is_enough(self) -> frozenset[str]:
        """The facts that are true once one of many things helped: one version of a library, one rate."""
        return frozenset(one.gives for one in self._knowledge.trials.values() if one.one_is_enough)

    def _told_back(self, sentence: str, before: str) -> dict[str, bool]:
        """`I lowered the learning rate. No change.` That it helped is said of one thing: of several, nobody knows which."""
        verdict = self._trials.told_back(sentence) if before and self.states(before) else None
        named = self._trials.named(before) if verdict is not None else ()
        if verdict is None or not named or self._trials.went(before, named):
            return {}
        tried = self._trials.tried(before, named)
        return dict.fromkeys(tried, verdict) if not verdict or len(tried) == 1 else {}

    def _compared(self, text: str) -> dict[str, bool]:
        """What a text says by telling of two values of one setting."""
        return self._figures.went(text) or self._outcomes.went(text)

    def _turns_back(self, sentence: str, before: str) -> bool:
        """`The loss jumps up and down. With fp32 it does not.` What was denied or praised before is no trouble that could be gone."""
        if not before or not self._patterns.phrase("turned-back").search(sentence):
            return False
        other = any(self._patterns.phrase(name).search(before) for name in ("not", "worked"))
        return not other and self.complains(before) and self.states(before)

    @cached_property
    def _patterns(self) -> Patterns:
        return Patterns(self._knowledge.phrases)

    @cached_property
    def _denial(self) -> Denial:
        return Denial(self._patterns)

    @cached_property
    def _index(self) -> Index:
        return Index(self._knowledge.prose_signatures.values(), self._knowledge.word_groups)

    @cached_property
    def _trials(self) -> Trials:
        return Trials(tuple(self._knowledge.trials.values()), self._patterns)

    @cached_property
    def _figures(self) -> Figures:
        return Figures(tuple(self._knowledge.trials.values()), self._patterns, self._knowledge.limits)

    @cached_property
    def _outcomes(self) -> Outcomes:
        return Outcomes(tuple(self._knowledge.trials.values()), self._patterns, self._knowledge.limits)
