"""What is not written into a person's files: what nobody knows to be right, and what a trainer would refuse."""

from __future__ import annotations

from pathlib import Path

import pytest

from traindx.cli.choosing import made_by
from traindx.engine.changes import Setting
from traindx.engine.fixes import Together

from .conftest import Command

CONFIG = """\
base_model: mistralai/Mistral-7B-v0.3
datasets:
  - path: data/support.jsonl
    type: chat_template
adapter: qlora
sequence_len: 8192
sample_packing: true
gradient_accumulation_steps: 4
micro_batch_size: 2
num_epochs: 2
learning_rate: 0.0002
eager_attention: true
"""
ISSUE = "I trained on our support chats for two days. The validation loss was best after the first epoch and rises since."


@pytest.fixture
def told(tmp_path: Path) -> tuple[Path, Path]:
    """A configuration that contradicts itself, and a person who says that training went on for too long."""
    config, issue = tmp_path / "config.yml", tmp_path / "issue.md"
    config.write_text(CONFIG)
    issue.write_text(ISSUE)
    return config, issue


@pytest.mark.parametrize("choice", [(), ("--all-fixes",)])
def test_a_fix_whose_condition_nothing_decides_is_only_made_when_it_is_named(
    diagnose: Command, told: tuple[Path, Path], choice: tuple[str, ...]
) -> None:
    assert "+save_strategy" not in diagnose(*told, "--no-machine", *choice, "--diff").out
    named = diagnose(*told, "--no-machine", *choice, "--fix", "align-save-and-eval", "--diff")
    assert "+save_strategy: epoch" in named.out


def test_what_waits_for_a_word_is_said(diagnose: Command, told: tuple[Path, Path]) -> None:
    result = diagnose(*told, "--no-machine", "--diff")
    assert "align-save-and-eval: it is right only if the best checkpoint is to be loaded" in result.err


def test_to_train_for_fewer_epochs_never_makes_them_more(diagnose: Command, told: tuple[Path, Path]) -> None:
    result = diagnose(*told, "--no-machine", "--fix", "train-fewer-epochs", "--diff")
    assert "num_epochs" not in result.out


@pytest.mark.parametrize(
    ("losses", "epochs"),
    [
        ({5: 1.0, 10: 1.3, 15: 1.6, 20: 1.9}, "epochs: 6\n"),  # best at the 5th, and a fifth more
        ({epoch: 1 + abs(epoch - 10) / 9 for epoch in range(1, 21)}, "epochs: 12\n"),
        ({epoch: 2 * 0.9**epoch for epoch in range(1, 21)}, ""),
    ],
    ids=["best at the first", "best at half", "best at the end"],
)
def test_fewer_epochs_end_where_validation_was_best(
    diagnose: Command, tmp_path: Path, losses: dict[int, float], epochs: str
) -> None:
    (tmp_path / "config.yaml").write_text("epochs: 20\nlearning_rate: 0.001\n")
    lines = (
        f"epoch {epoch} train_loss {2 * 0.7**epoch:.4f}"
        + (f" val_loss {losses[epoch]:.4f}" if epoch in losses else "")
        for epoch in range(1, 21)
    )
    (tmp_path / "train.log").write_text("\n".join(lines) + "\n")
    known = ("--answer", "test.early_checkpoint_better=yes", "--fix", "train-fewer-epochs")
    result = diagnose(tmp_path, "--no-machine", *known, "--diff")
    assert [line for line in result.out.splitlines(keepends=True) if line.startswith("+epochs")] == (
        [f"+{epochs}"] if epochs else []
    )


@pytest.mark.parametrize(("rhythm", "asked"), [("steps", True), ("epoch", False)])
def test_the_best_checkpoint_is_asked_for_only_where_it_is_saved_as_often_as_evaluated(
    diagnose: Command, told: tuple[Path, Path], rhythm: str, asked: bool
) -> None:
    told[0].write_text(f"{CONFIG}eval_strategy: steps\nsave_strategy: {rhythm}\n")
    result = diagnose(*told, "--no-machine", "--fix", "stop-early", "--diff")
    assert ("+load_best_model_at_end: true" in result.out) == asked


def test_the_screen_shows_no_change_that_would_not_be_written(
    diagnose: Command, told: tuple[Path, Path]
) -> None:
    screen = diagnose(*told, "--no-machine").out
    written = diagnose(*told, "--no-machine", "--diff").out
    assert "save_strategy:" not in screen
    assert "save_strategy:" not in written


@pytest.mark.parametrize(("value", "made"), [("bf16", True), ("fp32", False)])
def test_what_another_fix_changes_as_well_is_not_called_left_out(value: str, made: bool) -> None:
    taken = Together({"precision": Setting("precision", "fp16", "bf16")})
    assert made_by(taken, [Setting("precision", "fp16", value)]) is made
