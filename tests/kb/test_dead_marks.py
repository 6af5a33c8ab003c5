"""Marks of a pattern that can never match what they were written for are warned of."""

from __future__ import annotations

import pytest

from traindx.engine.kb.lint import warnings
from traindx.engine.kb.load import check_packs

from ..small_pack import PackMaker

PHRASE = """
- id: worked
  means: something
  any: ['{pattern}']
"""


def warned(make_pack: PackMaker, pattern: str) -> list[str]:
    pack = make_pack({"phrases/phrases.yaml": PHRASE.format(pattern=pattern)})
    return [one for one in warnings(check_packs([pack])) if "`worked`" in one]


@pytest.mark.parametrize(
    ("pattern", "why"),
    [
        (r"\b(?:not|n[''’]t) helps?\b", "no word begins with"),
        (r"\b(n[''’]?t|never) run", "no word begins with"),
        (r"\d+ ?(?:percent|%)\b", "no word ends in"),
        (r"\d+ ?%\b", "no word ends in"),
        (r"is 0(?![.\d])", "a figure may end a sentence"),
    ],
)
def test_a_mark_that_never_matches_is_warned_of(make_pack: PackMaker, pattern: str, why: str) -> None:
    (warning,) = warned(make_pack, pattern)
    assert why in warning


@pytest.mark.parametrize(
    "pattern",
    [
        r"\b(?:not|\w*n[''’]t) helps?\b",
        r"does(?:n[''’]t| not) run",
        r"\d+ ?(?:percent\b|%)",
        r"is 0(?!\.?\d)",
    ],
)
def test_marks_that_match_are_left_alone(make_pack: PackMaker, pattern: str) -> None:
    assert not warned(make_pack, pattern)
