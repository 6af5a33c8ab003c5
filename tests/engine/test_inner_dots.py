"""A dot within a word ends no statement; one behind it does."""

from __future__ import annotations

import re

import pytest

from traindx.engine.conditions.evaluate import compile_node
from traindx.engine.conditions.parse import parse
from traindx.engine.inner_dots import matches

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
    assert any(matches(STATEMENT, sentence))


@pytest.mark.parametrize(
    "sentence",
    [
        "I resumed it. Another one is bad",
        "I resumed it...the other one is bad",
        "I resumed it; last.pt is bad",
    ],
)
def test_what_ends_a_statement_still_does(sentence: str) -> None:
    assert not any(matches(STATEMENT, sentence))


@pytest.mark.parametrize(
    ("pattern", "sentence"),
    [
        pytest.param(r"loss 0(?![.\d])", "loss 0.3 at the end", id="more of the number is looked for ahead"),
        pytest.param(
            r"model(?!\.eval)", "after model.eval it is fine", id="more of the name is looked for ahead"
        ),
        pytest.param(r"(?<![\d.])93", "the score is 0.93", id="decimals are no number of their own"),
    ],
)
def test_half_a_number_or_name_is_not_found(pattern: str, sentence: str) -> None:
    assert not any(matches(re.compile(pattern), sentence))


def test_a_match_across_a_dot_is_as_long_as_what_is_written() -> None:
    (found,) = matches(re.compile(r"at[^.;]*2\.0\.1"), "at 0.93 in train.py, torch 2.0.1")
    assert found.span() == (0, 32)


def test_a_condition_hears_a_statement_across_a_file_name() -> None:
    heard = compile_node(parse('said("resumed[^.;]{0,40}bad")'))
    assert heard({"log.prose": ("I resumed from last.pt and it got bad",)}.get) is True
    assert heard({"log.prose": ("I resumed it. The other is bad",)}.get) is None
