"""How a sentence says that something helped, or did not."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from traindx.engine.kb.knowledge import Knowledge
from traindx.engine.kb.rules import TrialRule
from traindx.probes.prose import ProseReader

PHRASES = {
    "question": r"^(?:is|does) .*\?$",
    "advice": r"^please\b",
    "doubt": r"\bnot sure\b",
    "turn": r",|\b(?:but|and|while|nor)\b|:(?=\s)",
    "worked": r"\b(?:works?|helps?|fine)\b",
    "failed": r"\b(?:same|still)\b",
    "trouble": r"\b(?:nan|crash(?:es)?|hangs?)\b",
    "negation": r"(?:\bnot|n't|\bneither)\b(?:\W+\w+){0,2}\W*$|\bno\W*$",
    "not": r"\bnot\b",
    "hedge": r"\b(?:should|might)\s*$",
    "awhile": r"\w+(?: \w+){0,3} (?:at first|until step \d+)\b",
    "exclusive": r"\bonly\b|\bas soon as\b",
    "also": r"\b(?:too|also)\b",
    "contrast": r"^(?:but|while)$",
    "listing": r"^(?:,|and|nor)$",
    "joining": r"^\W*(?:even|with|also)\b",
    "absent": r"\bwithout\s*$",
    "until": r"\buntil\s*$",
    "turned-back": r"\bit does not\W*$",
    "failed-back": r"^\W*(?:no change|still nan)\W*$",
    "worked-back": r"^\W*that helped\W*$",
    "complaint": r"\b(?:hangs?|not)\b",
    "content": r"\bis well\b",
}
TRIALS = {
    "precision": TrialRule(
        "precision", "test.precision", "fp32", "fp16", ("fp32", "fp16"), trouble_counts=True
    ),
    "rate": TrialRule("rate", "test.rate", "lower rate", "", ("lower rate",), trouble_counts=True),
    "fragile": TrialRule("fragile", "test.fragile", "crash test", "", ("crash test",), trouble_counts=True),
    "data": TrialRule("data", "test.data", "other data", "", ("other data",), trouble_counts=False),
    "version": TrialRule(
        "version", "test.version", r"version \d", "", ("version",), trouble_counts=True, one_is_enough=True
    ),
}


@pytest.fixture(scope="module")
def reader() -> ProseReader:
    return ProseReader(cast(Knowledge, SimpleNamespace(phrases=PHRASES, trials=TRIALS, limits={})))


@pytest.mark.parametrize(
    ("sentence", "said"),
    [
        ("fp32 works", True),
        ("it works with fp32", True),
        ("fp32 does not help", False),
        ("with fp32 it is the same", False),
        ("with fp32 there is no nan", True),
        ("fp32 gives nan", False),
        ("fp32 should help", None),
        ("I use fp32", None),
        ("fp32 works; the rest is still nan", True),
        ("the rest works; I use fp32", None),
        ("I took fp32, but it still crashes", False),
        ("it works, with fp32", True),
        ("one run works, while fp32 is used", None),
        ("it crashes but not with fp32", True),
        ("it works, not with fp32", False),
        ("it hangs only with fp16", True),
        ("it hangs with fp16", None),
        ("fp32 runs, but as soon as I change it there is nan", True),
        ("works without fp32", None),
        ("it works until fp32", False),
        ("it crashes until fp32", True),
        ("it works with fp32 until step 300", None),
        ("fp32 works at first, then there is nan", False),
        ("fp32 does not help until step 300", False),
        ("it works with fp32 for 300 steps", True),
        ("does fp32 work?", None),
        ("please see that fp32 works", None),
        ("not sure fp32 works", None),
    ],
)
def test_a_sentence_says_how_a_trial_went(sentence: str, said: bool | None, reader: ProseReader) -> None:
    assert reader.trials(sentence).get("test.precision") is said


def test_a_list_shares_its_verdict(reader: ProseReader) -> None:
    assert reader.trials("I tried fp32, a lower rate, and it is still nan") == {
        "test.precision": False, "test.rate": False,
    }  # fmt: skip
    assert reader.trials("neither fp32 nor a lower rate helps") == {
        "test.precision": False,
        "test.rate": False,
    }
    assert reader.trials("it still crashes: fp32, lower rate") == {
        "test.precision": False,
        "test.rate": False,
    }


def test_the_verdict_on_one_trial_is_not_that_on_another(reader: ProseReader) -> None:
    assert reader.trials("fp32 works, a lower rate still crashes") == {
        "test.precision": True,
        "test.rate": False,
    }


def test_of_many_that_can_be_tried_one_that_works_is_enough(reader: ProseReader) -> None:
    assert reader.trials("version 3 crashes, while version 2 works") == {"test.version": True}
    assert reader.trials("version 3 crashes and version 2 crashes") == {"test.version": False}
    assert reader.trials("fp32 crashes, while fp32 works") == {"test.precision": False}
    assert reader.one_is_enough == {"test.version"}


def test_trouble_beside_what_people_simply_have_says_nothing(reader: ProseReader) -> None:
    assert reader.trials("nan on other data") == {}
    assert reader.trials("nan on other data too") == {"test.data": False}
    assert reader.trials("other data works") == {"test.data": True}


def test_a_bare_negation_denies_the_trouble_of_the_sentence_before(reader: ProseReader) -> None:
    assert reader.trials("With fp32 it does not.", "It hangs.") == {"test.precision": True}
    assert reader.trials("With fp32 it does not.") == {}
    assert reader.trials("With fp32 it does not.", "I use my own loader.") == {}


@pytest.mark.parametrize(
    "before", ["It works on the other card.", "The loss does not fall.", "Does it hang?"]
)
def test_a_bare_negation_of_what_went_well_tells_nothing(before: str, reader: ProseReader) -> None:
    assert reader.trials("With fp32 it does not.", before) == {}


@pytest.mark.parametrize("between", ["; ", ". ", "! "])
def test_what_was_tried_may_be_judged_behind_it(between: str, reader: ProseReader) -> None:
    assert reader.trials(f"I tried fp32 and a lower rate{between}no change") == {
        "test.precision": False,
        "test.rate": False,
    }
    assert reader.trials(f"I tried fp32{between}that helped") == {"test.precision": True}


def test_what_was_tried_may_be_judged_in_the_next_sentence(reader: ProseReader) -> None:
    assert reader.trials("No change.", "I tried fp32 and a lower rate.") == {
        "test.precision": False,
        "test.rate": False,
    }
    assert reader.trials("That helped.", "I tried fp32.") == {"test.precision": True}


@pytest.mark.parametrize(
    ("sentence", "before"),
    [
        ("That helped.", "I tried fp32 and a lower rate."),  # nobody knows which
        ("No change.", "fp32 works."),
        ("No change.", "I train without fp32."),
        ("No change.", "Does fp32 help?"),
        ("No change.", "I use my own loader."),
        ("The rest shows no change.", "I tried fp32."),
        ("No change.", ""),
    ],
)
def test_a_judgement_that_may_be_of_something_else_tells_nothing(
    sentence: str, before: str, reader: ProseReader
) -> None:
    assert reader.trials(sentence, before) == {}


def test_words_in_the_name_of_a_trial_say_nothing_about_it(reader: ProseReader) -> None:
    assert reader.trials("I ran the crash test") == {}


@given(
    st.text(alphabet=st.sampled_from("fp3216 lower rate,;:.but not still works nan?\n\0é的"), max_size=300)
)
def test_no_text_is_too_odd(text: str) -> None:
    reader = ProseReader(cast(Knowledge, SimpleNamespace(phrases=PHRASES, trials=TRIALS, limits={})))
    assert set(reader.trials(text)) <= {trial.gives for trial in TRIALS.values()}
