"""`--ask`: the best question first, with a way to skip it and to ask why."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import click
import pytest

from .conftest import Command, Result

Asked = Callable[..., Result]


@pytest.fixture
def asked(diagnose: Command, in_example: Path, monkeypatch: pytest.MonkeyPatch) -> Asked:
    """A call with `--ask` at a terminal, at which these answers are typed, and then `quit`."""

    def call(*typed: str) -> Result:
        answers = iter([*typed, "quit"])
        monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
        monkeypatch.setattr(click, "prompt", lambda *_, **__: next(answers))
        return diagnose(
            "--symptom", "nan-loss", "train.log", "config.yaml", "--ask", "--no-machine", "--format", "json"
        )

    return call


def answered(result: Result) -> dict[str, object]:
    """What was answered besides the symptom that the call names."""
    answers = (fact for fact in result.data["facts"] if fact["origin"] == "answer")
    return {fact["name"]: fact["value"] for fact in answers if not fact["name"].startswith("symptom.")}


def test_an_answer_becomes_a_fact(asked: Asked) -> None:
    assert list(answered(asked("no")).values()) == [False]


def test_a_skipped_question_is_not_asked_again(asked: Asked) -> None:
    result = asked("skip", "no")
    questions = [line for line in result.err.splitlines() if " min, " in line]
    assert len(questions) == len(set(questions)) == 3
    assert len(answered(result)) == 1


def test_why_is_explained_and_then_asked_again(asked: Asked) -> None:
    result = asked("why do you ask?", "no")
    assert "fp16-overflow" in result.err
    assert len(answered(result)) == 1


def test_an_answer_that_does_not_fit_is_asked_again(asked: Asked) -> None:
    result = asked("perhaps", "no")
    assert "yes or no" in result.err
    assert len(answered(result)) == 1


def test_asking_needs_a_terminal(diagnose: Command, in_example: Path) -> None:
    result = diagnose("train.log", "--ask")
    assert result.code == 2
    assert "--answer" in result.err
