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


@pytest.mark.parametrize("word", ["?", "IDK", "I don't know", "Skip"])
def test_who_cannot_tell_is_asked_something_else(asked: Asked, word: str) -> None:
    result = asked(word, "no")
    questions = [line for line in result.err.splitlines() if " min, " in line]
    assert len(questions) == len(set(questions)) == 3


def test_what_is_known_so_far_comes_first_and_the_answers_last(asked: Asked) -> None:
    lines = asked("no").err.splitlines()
    question = next(number for number, line in enumerate(lines) if " min, " in line)
    assert any("fp16-overflow" in line for line in lines[:question])
    assert any("The same without questions: --answer test.fp32_clears_nan=no" in line for line in lines)


def stops(context: type[BaseException], *typed: str) -> Callable[..., str]:
    """Answers, and then Ctrl-C or Ctrl-D, as click tells of them."""
    answers = iter(typed)

    def prompt(*_: object, **__: object) -> str:
        for answer in answers:
            return answer
        try:
            raise context
        except context:
            raise click.Abort() from None

    return prompt


@pytest.mark.parametrize(("context", "code"), [(EOFError, 1), (KeyboardInterrupt, 130)])
def test_ctrl_d_ends_the_questions_and_ctrl_c_all_and_no_answer_is_lost(
    context: type[BaseException],
    code: int,
    diagnose: Command,
    in_example: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(click, "prompt", stops(context, "no"))
    result = diagnose("train.log", "config.yaml", "--ask", "--no-machine")
    assert result.code == code
    assert "--answer test.fp32_clears_nan=no" in result.err
    assert ("Most likely causes" in result.out) == (code == 1)


def test_asking_needs_a_terminal(diagnose: Command, in_example: Path) -> None:
    result = diagnose("train.log", "--ask")
    assert result.code == 2
    assert "--answer" in result.err
