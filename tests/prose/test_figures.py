"""What a figure at each of two values of a setting says."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import pytest

from traindx.engine.kb.knowledge import Knowledge
from traindx.engine.kb.rules import TrialRule
from traindx.probes.prose import ProseReader

PHRASES = {
    "question": r"\?$",
    "advice": r"^please\b",
    "doubt": r"\bnot sure\b",
    "turn": r",",
    "worked": r"\bworks?\b",
    "failed": r"\bstill\b",
    "trouble": r"\bnan\b",
    "negation": r"\bno\W*$",
    "not": r"\bnot\b",
    "hedge": r"\bmight\s*$",
    "awhile": r"\w+ at first\b",
    "also": r"\balso\b",
    "turned-back": r"\bdoes not\W*$",
    "failed-back": r"^no change\W*$",
    "worked-back": r"^that helped\W*$",
    "rising-figure": r"\b(?:accuracy|map)\b",
    "falling-figure": r"\b(?:loss|wer)\b",
    "others-run": r"\bpapers?\b",
}
BATCH, RATE = r"\bbatch(?: size)?\b", r"\b(?:learning rate|lr)\b"
TRIALS = {
    rule.id: rule
    for rule in (
        TrialRule("fewer", "test.fewer", "fewer samples", "", ("fewer",), True, BATCH),
        TrialRule("more", "test.more", "more samples", "", ("more",), True, BATCH, raised=True),
        TrialRule("slower", "test.slower", "slower", "", ("slower",), True, RATE),
    )
}


def said(sentence: str, before: str = "") -> dict[str, bool]:
    knowledge = SimpleNamespace(
        phrases=PHRASES,
        trials=TRIALS,
        prose_signatures={},
        word_groups=(),
        limits={"values_apart": 2.0, "figures_apart": 1.15},
    )
    return ProseReader(cast(Knowledge, knowledge)).trials(sentence, before)


@pytest.mark.parametrize(
    ("sentence", "fact"),
    [
        ("batch size 8 gets 0.52 mAP, with 128 it gets 0.31", "test.fewer"),
        ("I reach 71% accuracy at batch size 16 and 48% at batch size 512", "test.fewer"),
        ("changing the batch size from 32 to 512 dropped the accuracy from 91% to 70%", "test.fewer"),
        ("with batch size 2 the accuracy is 41%, with batch size 64 it is 78%", "test.more"),
        ("the WER is 31 with a batch size of 4 and 12 with a batch size of 64", "test.more"),
        ("the loss is 0.3 with lr 1e-4 and 2.3 with lr 1e-2", "test.slower"),
    ],
)
def test_the_better_of_two_values_helps(sentence: str, fact: str) -> None:
    assert said(sentence) == {fact: True}


def test_the_values_may_stand_in_two_sentences() -> None:
    assert said("With 4096 I get 19% accuracy.", "The batch size 4 gets 58% accuracy.") == {
        "test.fewer": True
    }


@pytest.mark.parametrize(
    "sentence",
    [
        "batch size 8 gets 0.52 mAP, with 128 it gets 0.51",  # runs differ by as much
        "batch size 32 gets 0.52 mAP, with 40 it gets 0.31",  # the same setting
        "the paper gets 76% accuracy with batch size 256 and I get 60% with batch size 32",
        "batch size 8 with lr 1e-4 gets 61% accuracy, batch size 64 with lr 1e-3 gets 30% accuracy",
        "batch size 8 uses 40% of the GPU, batch size 64 uses 90%",
        "with batch size 32 the accuracy goes from 20% to 80% in 10 epochs",
        "with batch size 32 the training accuracy is 99% and the validation accuracy is 60%",
        "does batch size 8 get 71% accuracy and batch size 512 get 48% accuracy?",
        "lr 1e-4 gets 31% accuracy, lr 1e-2 gets 61% accuracy",  # no trial raises the rate here
    ],
)
def test_what_says_nothing_of_one_setting_is_silent(sentence: str) -> None:
    assert said(sentence) == {}
