"""How findings are put into words."""

from __future__ import annotations

import pytest

from traindx.engine.diagnosis import CauseFound, Evidence, SymptomFound
from traindx.engine.report.lines import how_seen, worth_reading
from traindx.engine.report.markdown import why_rejected
from traindx.engine.wording import shorten

SHOWS = Evidence("the loss is NaN", 24.0)
HINTS = Evidence("by its words alone it reads like this: nan", 6.0, hint=True)
AGAINST = Evidence("the run reached step 217", -12.0)


@pytest.mark.parametrize(
    ("detected", "evidence", "said"),
    [
        (True, (SHOWS,), "seen in the evidence"),
        (True, (HINTS,), "as the words suggest"),
        (True, (), "as the causes below most often show"),
        (False, (SHOWS,), "as you say; the inputs hint at it"),
        (False, (AGAINST,), "as you say; the inputs speak against it"),
        (False, (), "as you say; nothing in the inputs shows it"),
    ],
)
def test_a_symptom_is_seen_only_where_something_shows_it(
    detected: bool, evidence: tuple[Evidence, ...], said: str
) -> None:
    assert how_seen(SymptomFound("nan-loss", "NaN", not detected, detected, 0.5, evidence)) == said


def rejected(*evidence: Evidence) -> str:
    return why_rejected(CauseFound("a", "A", "f", 0.04, "unlikely", -13.0, -25.0, evidence))


def test_a_cause_is_rejected_for_what_speaks_against_it() -> None:
    assert rejected(AGAINST, SHOWS) == "the run reached step 217 (-12 dB)"


def test_where_nothing_speaks_against_a_cause_too_little_speaks_for_it() -> None:
    assert rejected(SHOWS).startswith("rare here (-25 dB before the evidence), and too little speaks for it")


def test_a_text_is_cut_between_words() -> None:
    assert shorten("this process has 37.27 GiB memory in use", 32) == "this process has 37.27 GiB…"


@pytest.mark.parametrize(
    ("evidence", "shown"),
    [((SHOWS, HINTS), (SHOWS,)), ((AGAINST, HINTS), (AGAINST, HINTS)), ((HINTS,), (HINTS,))],
)
def test_shared_words_are_told_only_where_nothing_that_weighs_more_speaks_for_a_cause(
    evidence: tuple[Evidence, ...], shown: tuple[Evidence, ...]
) -> None:
    found = CauseFound("a", "A", "f", 0.4, "possible", -13.0, -2.0, evidence)
    assert worth_reading(found) == shown
