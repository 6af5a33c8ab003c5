"""A dot within a word ends no statement; one behind it does."""

from __future__ import annotations

import re

import pytest

from traindx.engine.conditions.evaluate import compile_node
from traindx.engine.conditions.parse import parse
from traindx.engine.inner_dots import readings

STATEMENT = re.compile(r"resumed[^.;]{0,40}\bbad\b")


@pytest.mark.parametrize(
    "sentence",
    [
        "I resumed from last.pt and the loss got bad",
        "resumed with torch.load, and it is bad",
        "resumed at 0.93 and it got bad",
        "I resumed and it got bad",
    ],
)
def test_names_and_numbers_end_no_statement(sentence: str) -> None:
    assert any(STATEMENT.search(text) for text in readings(sentence))


@pytest.mark.parametrize(
    "sentence",
    [
        "I resumed it. Another one is bad",
        "I resumed it...the other one is bad",
        "I resumed it; last.pt is bad",
    ],
)
def test_what_ends_a_statement_still_does(sentence: str) -> None:
    assert not any(STATEMENT.search(text) for text in readings(sentence))


def test_the_first_reading_is_the_sentence_and_the_second_as_long() -> None:
    sentence = "at 0.93 in train.py, torch 2.0.1"
    first, second = readings(sentence)
    assert first == sentence
    assert len(second) == len(sentence)
    # What is behind the point is no number of its own.
    assert re.search(r"(?<![\d.])93", second) is None
    assert "2.0.1" in second
    assert list(readings("no dot within a word.")) == ["no dot within a word."]


def test_a_condition_hears_a_statement_across_a_file_name() -> None:
    heard = compile_node(parse('said("resumed[^.;]{0,40}bad")'))
    assert heard({"log.prose": ("I resumed from last.pt and it got bad",)}.get) is True
    assert heard({"log.prose": ("I resumed it. The other is bad",)}.get) is None
