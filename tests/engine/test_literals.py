"""What a regular expression cannot match without: never a text that some match lacks."""

from __future__ import annotations

import re
from typing import TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

from traindx.engine.kb.literals import literals, needs
from traindx.engine.kb.packs import own_pack
from traindx.engine.kb.source import read_pack
from traindx.engine.kb.validate import validate

Matched: TypeAlias = tuple[str, str]
"""A regular expression, and a text that it matches."""


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("CUDA out of memory", ("cuda out of memory",)),
        (r"a (?:cat|dog) ran off", (" ran off",)),
        (r"lr|learning rate", ("learning rate", "lr")),
        (r"error|error: none", ("error",)),
        (r"CUDA error|NCCL error: \d+", ("cuda error", "nccl error: ")),
        (r"(?P<x>\d+) steps?", (" step",)),
        (r"(?:loss is nan)+", ("loss is nan",)),
        (r"\bloss\b(?! scale) is (?i:nan)", ("loss is nan",)),
        (r"loss(?<!val_loss) [[(]nan[])]", ("loss ",)),
        (r"[.]py[:]\x41", (".py:a",)),
        (r"\d+\.\d+", (".",)),
        (r"a{0,2}b{,3}c{2}", ("c",)),
        (r"set{}", ("set{}",)),
        (r"x*", ()),
        (r"(?:abc)?d|e", ("d", "e")),
        (r"(?:ab|)", ()),
        (r"(?x) a b", ()),
        (r"(a", ()),
        (r"a)", ()),
        (r"(?(1)a|b)", ()),
    ],
)
def test_the_literals_that_every_match_contains(pattern: str, expected: tuple[str, ...]) -> None:
    assert literals(pattern) == expected


def test_each_wording_needs_words_of_its_own() -> None:
    assert needs(r"loss.{0,9}(?:is|was) nan|nan loss") == (
        ((" nan",), ("loss",), ("is", "was")),
        (("nan loss",),),
    )
    assert needs(r"\w+ \d") == ((),)


_PARTS: list[Matched] = [
    ("ab", "ab"), ("Cd", "Cd"), (" ", " "), (r"\.", "."), ("[.]", "."), ("[xy]", "x"), (".", "q"), (r"\d", "7"),
    (r"\x41", "A"), ("(?!zz)", ""), ("(?:)", ""), ("é", "é"), ("{", "{"), ("[^]a]", "b"), (r"[\]]", "]"),
]  # fmt: skip


def _combined(parts: st.SearchStrategy[Matched]) -> st.SearchStrategy[Matched]:
    chained = st.lists(parts, min_size=1, max_size=4).map(
        lambda many: ("".join(pattern for pattern, _ in many), "".join(text for _, text in many))
    )
    either = st.tuples(parts, parts, st.sampled_from(["(", "(?:", "(?i:"])).map(
        lambda two: (f"{two[2]}{two[0][0]}|{two[1][0]})", two[1][1])
    )
    repeated = st.tuples(
        parts, st.sampled_from([("?", 0), ("*?", 2), ("+", 2), ("{2}", 2), ("{,3}", 0)])
    ).map(lambda one: (f"(?:{one[0][0]}){one[1][0]}", one[0][1] * one[1][1]))
    return chained | either | repeated


@given(st.recursive(st.sampled_from(_PARTS), _combined, max_leaves=12))
def test_no_match_lacks_what_is_looked_for(matched: Matched) -> None:
    pattern, text = matched
    found = re.search(pattern, text)
    assert found is not None
    low = found[0].lower()
    assert not literals(pattern) or any(word in low for word in literals(pattern))
    assert any(all(any(word in low for word in group) for group in wording) for wording in needs(pattern))


def test_no_text_that_our_signatures_find_lacks_what_is_looked_for() -> None:
    entries, _ = read_pack(own_pack())
    valid = validate([[raw for raw in entries if raw.kind in ("phrase", "signature")]], [])
    missed = []
    for name, entry in valid.of("signature").items():
        words = literals(entry.model.pattern)
        for text in entry.model.finds:
            found = re.search(entry.model.pattern, text)
            if found and not any(word in found[0].lower() for word in words):
                missed.append((name, text))
    assert missed == []
