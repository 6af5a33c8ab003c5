"""Which signatures other numbers in the same line could bring is told without trying them."""

from __future__ import annotations

import random
import re

import pytest

from traindx.engine.kb.packs import own_pack
from traindx.engine.kb.source import read_pack
from traindx.engine.kb.validate import validate
from traindx.probes.logs.any_digits import of_any_digits


@pytest.mark.parametrize(
    ("pattern", "found", "alike"),
    [
        (r"(?:[nN]o|0) tokens left", "0 tokens left", "512 tokens left"),
        (r"batch of [1-9]\d{2,} rows", "batch of 128 rows", "batch of 3 rows"),
        (r"at 0x[1-9a-f]+ again", "at 0x9f again", "at 0x0f again"),
        (r"world size is 1\b", "world size is 1", "world size is 16"),
        (r"^skipped (?P<n>\d+) of 10{2} steps$", "skipped 7 of 100 steps", "skipped 11 of 9 steps"),
    ],
)
def test_a_text_that_differs_in_its_numbers_alone_is_let_through(
    pattern: str, found: str, alike: str
) -> None:
    loosened = of_any_digits(pattern)
    assert re.search(pattern, found)
    assert not re.search(pattern, alike)
    assert loosened is not None
    assert loosened.search(alike)


@pytest.mark.parametrize(
    "pattern", [r"loss (?!0)\d", r"rank [^0] of", r"code \x00\b", r"(?P<n>\d+) of (?P=n)"]
)
def test_what_must_not_stand_there_leaves_it_open(pattern: str) -> None:
    loosened = of_any_digits(pattern)
    assert loosened is None


def test_words_that_are_missing_rule_a_signature_out() -> None:
    loosened = of_any_digits(r"(?:[nN]o|0) (?:valid|unmasked) tokens")
    assert loosened is not None
    assert not loosened.search("step 10 | loss 2.0 | 0.1 tokens/s")


def test_every_signature_lets_its_own_examples_through_with_other_numbers() -> None:
    entries, _ = read_pack(own_pack())
    signatures = validate([[raw for raw in entries if raw.kind == "signature"]], []).of("signature")
    rng, missed = random.Random(0), []
    for name, entry in signatures.items():
        loosened = of_any_digits(entry.model.pattern)
        for text in entry.model.finds:
            other = re.sub(r"\d", lambda _: rng.choice("0123456789"), text)
            if loosened is not None and not loosened.search(other):
                missed.append((name, other))
    assert missed == []
