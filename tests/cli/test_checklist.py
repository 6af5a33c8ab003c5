"""Checklists and procedures on a run directory."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import Command

LISTS = ["pre-training", "during-training", "after-training", "pre-deployment", "after-a-change"]
PROCEDURES = ["nan-loss", "debugging-workflow", "crash-recovery", "quality-recovery"]


def state(data: dict[str, list[dict[str, str]]], text: str) -> str:
    return next(one["state"] for one in data["items"] if one["text"].startswith(text))


def test_without_an_id_they_are_listed(diagnose: Command) -> None:
    done = diagnose("checklist")
    assert done.code == 0
    assert [name for name in (*LISTS, *PROCEDURES) if f"{name} " not in done.out] == []


@pytest.mark.parametrize("name", [*LISTS, *PROCEDURES])
def test_with_nothing_at_hand_every_item_is_left_and_none_fails(diagnose: Command, name: str) -> None:
    done = diagnose("checklist", name, "--no-machine", "--format", "json")
    assert done.code == 0, done.err
    assert {one["state"] for one in done.data["items"]} == {"open"}


def test_what_the_log_shows_is_ticked_with_its_place(diagnose: Command, example: Path) -> None:
    done = diagnose("checklist", "pre-training", example, "--no-machine")
    assert "ok Seeds are set.  config.seed = 7" in done.out
    assert "config.yaml:2]" in done.out
    assert "?  One batch can be overfitted.  5 min" in done.out
    assert "--answer test.overfits_one_batch=..." in done.out


def test_a_failing_item_is_a_finding(diagnose: Command, example: Path) -> None:
    done = diagnose("checklist", "after-a-change", example / "train.log", "--no-machine")
    assert done.code == 1
    assert "NO The loss is a number.  loss.nonfinite = yes" in done.out
    assert "train.log:35 (step 34)]" in done.out
    assert "2 failed" in done.out


def test_a_contradiction_is_said_and_not_only_that_there_is_one(diagnose: Command, tmp_path: Path) -> None:
    config = tmp_path / "train.yaml"
    config.write_text("per_device_train_batch_size: 8\nfp16: true\nbf16: true\n", encoding="utf-8")
    done = diagnose("checklist", "pre-training", config, "--no-machine")
    assert "config.contradiction = yes (FP16 and BF16 are both on)" in " ".join(done.out.split())
    config.write_text("per_device_train_batch_size: 8\nfp16: true\nbf16: false\n", encoding="utf-8")
    sound = diagnose("checklist", "pre-training", config, "--no-machine")
    assert (sound.code, "both on" in sound.out) == (0, False)


def test_json_tells_what_decided_an_item(diagnose: Command, example: Path) -> None:
    data = diagnose("checklist", "during-training", example, "--no-machine", "--format", "json").data
    first = data["items"][0]
    assert (first["state"], first["seen"][0]["name"], first["seen"][0]["source"][0]["line"]) == (
        "failed",
        "loss.nonfinite",
        35,
    )
    assert data["counts"]["failed"] == 2
    assert data["minutes_left"] > 0


def test_a_step_of_a_procedure_is_done_when_its_answer_is_known(diagnose: Command, example: Path) -> None:
    given = ("--answer", "test.fp32_clears_nan=yes", "--answer", "test.lower_lr_helps=no")
    done = diagnose("checklist", "nan-loss", example, "--no-machine", *given, "--format", "json")
    assert done.code == 0, "an answer is no failed item"
    assert state(done.data, "Rerun the first steps in FP32") == "done"
    assert state(done.data, "Divide the learning rate") == "done"
    assert state(done.data, "Switch augmentation") == "open"


def test_a_missing_seed_is_only_held_against_a_script_that_was_read(
    diagnose: Command, tmp_path: Path
) -> None:
    script = tmp_path / "train.py"
    script.write_text(
        "import torch\nmodel = torch.nn.Linear(2, 2)\noptimizer = torch.optim.SGD(model.parameters(), lr=0.1)\n"
        "for x in torch.randn(9, 4, 2):\n    optimizer.zero_grad()\n    model(x).sum().backward()\n    optimizer.step()\n",
        encoding="utf-8",
    )
    read = diagnose("checklist", "pre-training", script, "--no-machine", "--format", "json").data
    assert state(read, "Seeds are set") == "failed"
    unread = diagnose("checklist", "pre-training", "--no-machine", "--format", "json").data
    assert state(unread, "Seeds are set") == "open"


def test_an_unknown_name_is_refused_with_the_nearest(diagnose: Command) -> None:
    done = diagnose("checklist", "pre-trainin")
    assert done.code == 2
    assert "did you mean `pre-training`" in done.err


@pytest.mark.parametrize(
    ("frame", "data"),
    [
        ("loss.backward()", "passed"),
        ("for batch in loader:\n  File \"/x/torch/utils/data/dataloader.py\", line 9, in __next__\n    data = self._next_data()", "failed"),
    ],
)  # fmt: skip
def test_an_error_elsewhere_does_not_say_that_no_data_loads(
    diagnose: Command, tmp_path: Path, frame: str, data: str
) -> None:
    log = tmp_path / "train.log"
    log.write_text(
        "".join(f"step {step}/500 loss {2.5 - step / 100:.3f}\n" for step in range(1, 20))
        + f'Traceback (most recent call last):\n  File "train.py", line 31, in <module>\n    {frame}\nValueError: no\n'
    )
    ticked = diagnose("checklist", "pre-training", log, "--no-machine", "--format", "json").data
    assert state(ticked, "Data loads") == data
