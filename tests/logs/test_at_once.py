"""Looking for a signature in many lines at once misses nothing that it finds in one of them."""

from __future__ import annotations

import re

import pytest

from traindx.probes.logs.at_once import AtOnce

BEFORE, AFTER = "step 1 | loss 2.0\n", "\nstep 2 | loss 1.9\n"


def _at_once(pattern: str) -> AtOnce:
    return AtOnce(re.compile(pattern, re.MULTILINE))


@pytest.mark.parametrize(
    ("pattern", "line"),
    [
        (r"(?i)learning[ _]rate:\s*0(?:\.0*)?\s*(?:=|$)", "Learning Rate: 0.0"),
        (r"skipp?ed \d+ batches", "a step skiped 3 batches"),
        (r"memory low|disk (?:is )?full", "the disk is full"),
        (r"^loss is nan$", "loss is nan"),
        (r"(?<!ad)justed to \d+", "justed to 7"),
        (r"\[\d+/\d+\] done\b", "[3/4] done"),
    ],
)
def test_what_one_line_holds_is_found_among_others(pattern: str, line: str) -> None:
    assert re.search(pattern, line, re.MULTILINE)
    assert _at_once(pattern).may_be_in(BEFORE + line + AFTER)


@pytest.mark.parametrize(
    "pattern", [r"(?i)learning rate: 0$", r"disk full|memory low", r"\bskipped \d+ batches"]
)
def test_lines_without_it_are_ruled_out(pattern: str) -> None:
    assert not _at_once(pattern).may_be_in(
        BEFORE + "learning rate: 1e-4, skipped batches, disk at 9 %" + AFTER
    )


def test_a_pattern_that_looks_around_itself_rules_nothing_out() -> None:
    assert _at_once(r"loss(?! is fine)").may_be_in(BEFORE)
