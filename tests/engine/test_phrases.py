"""Patterns may name groups of words."""

from __future__ import annotations

from pathlib import Path

import pytest

from traindx.engine.kb.packs import Pack
from traindx.engine.kb.phrases import UnknownPhrase, spell_out
from traindx.engine.kb.problems import Problem
from traindx.engine.kb.source import read_pack
from traindx.engine.kb.validate import validate

PHRASES = {"nan": "nan|inf", "loss": "loss(?:es)?"}


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("{loss} is {nan}", "(?:loss(?:es)?) is (?:nan|inf)"),
        (r"a{2,5} \d{3}", r"a{2,5} \d{3}"),
        (r"\{nan}", r"\{nan}"),
        ("{'loss': 1}", "{'loss': 1}"),
    ],
)
def test_a_phrase_is_put_in_as_a_group_of_its_own(pattern: str, expected: str) -> None:
    assert spell_out(pattern, PHRASES) == expected


def test_a_phrase_that_does_not_exist_is_named() -> None:
    with pytest.raises(UnknownPhrase, match="los"):
        spell_out("{los}", PHRASES)


def test_a_pattern_with_an_unknown_phrase_is_a_mistake_with_its_place(tmp_path: Path) -> None:
    problems = _problems(tmp_path, "{los} is nan")
    assert [(one.file, one.message) for one in problems] == [
        ("mine/signatures/loss.yaml", "there is no phrase `los` before this")
    ]
    assert "loss" in problems[0].hint


def test_alternatives_may_stand_in_a_list(tmp_path: Path) -> None:
    assert _problems(tmp_path, ["{loss} is nan", "nan loss"]) == []


def _problems(folder: Path, pattern: str | list[str]) -> list[Problem]:
    (folder / "phrases").mkdir()
    (folder / "phrases" / "loss.yaml").write_text("- {id: loss, means: The loss., any: ['loss(?:es)?']}\n")
    (folder / "signatures").mkdir()
    (folder / "signatures" / "loss.yaml").write_text(
        f"- id: loss-nan\n  pattern: {pattern!r}\n  means: It is NaN.\n  role: event\n  where: prose\n"
        "  finds: [the loss is nan, losses is nan]\n"
    )
    entries, problems = read_pack(Pack("mine", folder))
    validate([entries], problems)
    return problems
