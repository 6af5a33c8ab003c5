"""The words that a signature needs are looked for first, and never hide a match."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from traindx.engine.kb.literals import needs
from traindx.engine.kb.rules import SignatureRule
from traindx.probes.prose.words import Index

PATTERNS = (
    r"(?i)\bloss (?:is|was)(?: \w+)? nan\b|\bnan loss\b",
    r"(?i)(?<!no )\b(?:lr|learning rate) (?:too )?(?:high|low)\b",
    r"(?i)loss(?:es)?[^.]{0,10}?不下降|(?:не )?падает",
    r"(?i)\d+ ?%",
)


def index() -> Index:
    groups: dict[tuple[str, ...], int] = {}
    rules = [
        SignatureRule(
            str(number), "log.x", pattern, (), "", "event", "prose", 1, {}, {},
            tuple(tuple(groups.setdefault(group, len(groups)) for group in wording) for wording in needs(pattern)),
        )
        for number, pattern in enumerate(PATTERNS)
    ]  # fmt: skip
    return Index(rules, tuple(groups))


INDEX = index()


@given(
    st.lists(
        st.sampled_from(
            [*"lso %9.", "loss ", "Loss", "NaN", "nan ", "is ", "lr ", "LR too", " high", "不下降", "падает"]
        )
    )
)
def test_whatever_matches_is_a_candidate(pieces: list[str]) -> None:
    text = "".join(pieces)
    candidates = {rule.id for rule in INDEX.candidates(text)}
    assert {str(number) for number, pattern in enumerate(PATTERNS) if re.search(pattern, text)} <= candidates


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the loss is nan", {"0", "3"}),
        ("the loss is fine", {"3"}),
        ("the learning rate is too high", {"1", "3"}),
        ("the rate is high", {"3"}),
    ],
)
def test_one_word_of_each_group_must_stand_in_a_sentence(text: str, expected: set[str]) -> None:
    assert {rule.id for rule in INDEX.candidates(text)} == expected
