"""The person's own configuration, patched."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from .conftest import Command

FILES = ("train.log", "config.yaml")
NAN = ("--symptom", "nan-loss")


def test_the_diff_is_a_patch_of_the_config(diagnose: Command, in_example: Path) -> None:
    out = diagnose(*NAN, *FILES, "--diff").out
    assert out.startswith("--- a/config.yaml\n+++ b/config.yaml\n")
    changed = [line for line in out.splitlines()[2:] if line.startswith(("+", "-"))]
    assert changed == [
        "-precision: fp16            # was fp32 until last week",
        "+precision: bf16            # was fp32 until last week",
    ]


def test_nothing_is_written_unless_asked(diagnose: Command, in_example: Path) -> None:
    before = {path.name: path.read_bytes() for path in in_example.iterdir()}
    diagnose(*NAN, *FILES)
    assert {path.name: path.read_bytes() for path in in_example.iterdir()} == before


def test_patched_writes_beside(diagnose: Command, in_example: Path) -> None:
    original = (in_example / "config.yaml").read_text()
    diagnose(*NAN, *FILES, "--patched", "fixed.yaml")
    assert (in_example / "fixed.yaml").read_text() == original.replace("precision: fp16", "precision: bf16")
    assert (in_example / "config.yaml").read_text() == original


def test_write_keeps_the_original_beside(diagnose: Command, in_example: Path) -> None:
    original = (in_example / "config.yaml").read_text()
    result = diagnose(*NAN, *FILES, "--write")
    assert (in_example / "config.yaml").read_text() == original.replace("precision: fp16", "precision: bf16")
    assert (in_example / "config.yaml.bak").read_text() == original
    assert "config.yaml.bak" in result.err


def test_write_and_patched_exclude_each_other(diagnose: Command, in_example: Path) -> None:
    assert diagnose(*NAN, *FILES, "--write", "--patched", "x.yaml").code == 2


def test_a_named_fix_is_taken_instead(diagnose: Command, in_example: Path) -> None:
    out = diagnose(*NAN, *FILES, "--fix", "disable-amp", "--diff").out
    assert "+precision: fp32            # was fp32 until last week" in out


def test_a_fix_that_is_not_offered_is_refused(diagnose: Command, in_example: Path) -> None:
    result = diagnose(*NAN, *FILES, "--fix", "use-bf17", "--diff")
    assert result.code == 2
    assert "use-bf16" in result.err


def test_all_fixes_take_no_two_that_contradict(diagnose: Command, in_example: Path) -> None:
    result = diagnose(*NAN, *FILES, "--all-fixes", "--diff")
    assert result.out.count("\n+precision:") == 1
    shown = diagnose(*NAN, *FILES, "--all-fixes", "--format", "json").data
    assert "disable-amp" in shown["left_out"]


def test_all_fixes_say_which_would_change_results_and_how_to_choose_them(
    diagnose: Command, tmp_path: Path
) -> None:
    # The rate of a detector for 16 pictures with a batch of 2: every fix that changes the file changes results too.
    config = tmp_path / "config.py"
    config.write_text(
        "train_cfg = dict(max_epochs=12, type='EpochBasedTrainLoop', val_interval=1)\n"
        "optim_wrapper = dict(optimizer=dict(lr=0.02, momentum=0.9, type='SGD'), type='OptimWrapper')\n"
        "train_dataloader = dict(batch_size=2, num_workers=2)\n"
    )
    told = ("--answer", "test.lower_lr_helps=yes", "--symptom", "nan-loss", "--no-machine")
    assert "+optim_wrapper" in diagnose(config, *told, "--diff").out
    result = diagnose(config, *told, "--all-fixes", "--diff")
    assert result.out == ""
    assert "all of them change results; choose with --fix" in result.err
    assert "no fix changes a setting" not in result.err


def test_all_fixes_take_none_of_a_cause_that_is_not_likely(diagnose: Command, in_example: Path) -> None:
    result = diagnose(*NAN, *FILES, "--no-machine", "--all-fixes", "--diff")
    assert "left out raise-sequence-length: its cause is not likely enough" in result.err
    assert "+precision: bf16" in result.out
    named = diagnose(*NAN, *FILES, "--no-machine", "--fix", "raise-sequence-length", "--diff")
    assert "+ctx_len" in named.out


def test_settings_that_the_run_wrote_become_options(diagnose: Command, tmp_path: Path) -> None:
    folder = tmp_path / "train7"
    folder.mkdir()
    args = "task: detect\nimgsz: 640\noptimizer: SGD\nlr0: 0.02\nsave_dir: runs/detect/train7\n"
    (folder / "args.yaml").write_text(args)
    told = (folder / "args.yaml", "--answer", "test.lower_lr_helps=yes", *NAN, "--no-machine")
    assert "Start the run with lr0=0.002" in diagnose(*told).out
    result = diagnose(*told, "--write")
    assert "does not read them again" in result.err
    assert (folder / "args.yaml").read_text() == args


def test_a_fix_for_a_setting_that_the_trainer_has_not_is_left_out(diagnose: Command, tmp_path: Path) -> None:
    config = tmp_path / "yolo.yaml"
    config.write_text("task: detect\nimgsz: 640\noptimizer: SGD\nlr0: 0.02\n")
    told = ("--answer", "test.lower_lr_helps=yes", *NAN, "--no-machine", "--format", "json")
    fixes = [one["id"] for one in diagnose(config, *told).data["fixes"]]
    assert ("lower-learning-rate" in fixes, "clip-gradients" in fixes) == (True, False)


def test_a_patch_has_no_other_format(diagnose: Command, in_example: Path) -> None:
    assert diagnose(*NAN, *FILES, "--diff", "--format", "json").code == 2


def test_an_explanation_does_not_keep_the_patch_from_being_written(
    diagnose: Command, in_example: Path
) -> None:
    diagnose(*NAN, *FILES, "--explain", "how", "fp16-overflow", "--patched", "new.yaml")
    assert (in_example / "new.yaml").exists()


def test_no_file_is_changed_for_a_cause_that_is_only_possible(diagnose: Command, in_example: Path) -> None:
    result = diagnose("--symptom", "slow-training", "config.yaml", "--no-machine", "--write")
    assert "no cause is likely enough" in result.err
    assert not (in_example / "config.yaml.bak").exists()


def test_a_full_disk_leaves_the_original(
    diagnose: Command, in_example: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    before = (in_example / "config.yaml").read_bytes()
    result = diagnose(*NAN, *FILES, "--write")
    assert result.code == 2
    assert "No space left" in result.err
    assert (in_example / "config.yaml").read_bytes() == before
    assert sorted(path.name for path in in_example.iterdir()) == ["config.yaml", "train.log"]


def test_the_diff_shows_no_secret_and_still_applies(diagnose: Command, in_example: Path) -> None:
    config = in_example / "config.yaml"
    config.write_text(
        config.read_text().replace(
            "precision:", "api_key: 0123456789abcdef0123456789abcdef01234567\nprecision:"
        )
    )
    out = diagnose(*NAN, *FILES, "--diff").out
    assert "0123456789abcdef" not in out
    (in_example / "fix.patch").write_text(out)
    subprocess.run(["git", "apply", "--unidiff-zero", "fix.patch"], cwd=in_example, check=True)
    assert "precision: bf16" in config.read_text()


def test_the_diff_of_a_file_with_windows_line_ends_applies(diagnose: Command, in_example: Path) -> None:
    config = in_example / "config.yaml"
    config.write_bytes(config.read_bytes().replace(b"\n", b"\r\n"))
    result = diagnose(*NAN, *FILES, "--diff")
    assert "secrets" not in result.err
    assert "+precision: bf16" in result.out


def test_a_change_is_not_made_again_before_the_run_is(diagnose: Command, in_example: Path) -> None:
    os.utime("train.log", (1.7e9, 1.7e9))
    diagnose(*NAN, *FILES, "--write")
    written = (in_example / "config.yaml").read_text()
    again = diagnose(*NAN, *FILES, "--write")
    assert (in_example / "config.yaml").read_text() == written
    assert "it was changed from fp16 to bf16 after the log was written: run again first" in again.err


def test_a_log_is_judged_by_what_the_files_said_when_it_was_written(
    diagnose: Command, in_example: Path
) -> None:
    os.utime("train.log", (1.7e9, 1.7e9))
    before = diagnose(*NAN, *FILES, "--no-machine", "--format", "json").data["causes"]
    diagnose(*NAN, *FILES, "--write")
    again = diagnose(*NAN, *FILES, "--no-machine", "--format", "json").data
    assert [(one["id"], one["confidence"]) for one in again["causes"]] == [
        (one["id"], one["confidence"]) for one in before
    ]
    assert any("precision from fp16 to bf16" in note for note in again["notes"])


def test_no_other_change_is_made_before_the_run_is(diagnose: Command, in_example: Path) -> None:
    os.utime("train.log", (1.7e9, 1.7e9))
    diagnose(*NAN, *FILES, "--fix", "careful-loss-scale", "--write")
    written = (in_example / "config.yaml").read_text()
    again = diagnose(*NAN, *FILES, "--write")
    assert (in_example / "config.yaml").read_text() == written
    assert "waits for a run with what was changed: loss_scale_init was changed" in again.err
    diagnose(*NAN, *FILES, "--fix", "use-bf16", "--write")
    assert "precision: bf16" in (in_example / "config.yaml").read_text()


def test_after_a_new_run_the_next_change_is_made(diagnose: Command, in_example: Path) -> None:
    diagnose(*NAN, *FILES, "--write")
    now = (in_example / "config.yaml").stat().st_mtime + 60
    os.utime("train.log", (now, now))
    assert "was changed after the log" not in diagnose(*NAN, *FILES).out


def test_a_patched_copy_beside_its_original_is_said(diagnose: Command, in_example: Path) -> None:
    diagnose(*NAN, *FILES, "--patched", "fixed.yaml")
    notes = diagnose(*NAN, ".", "--format", "json").data["notes"]
    assert any("fixed.yaml says what config.yaml says, but for precision" in note for note in notes)


def test_of_many_copies_each_is_said_once(diagnose: Command, in_example: Path) -> None:
    config = (in_example / "config.yaml").read_text()
    for number in range(3):
        (in_example / f"other{number}.yaml").write_text(
            config.replace("precision: fp16", f"precision: bf16\nseed: {number}")
        )
    notes = diagnose(*NAN, ".", "--format", "json").data["notes"]
    assert sum("says what config.yaml says" in note for note in notes) == 3
    assert sum("counts here" in note for note in notes) == 3
