"""Another run that differs in one thing has answered what a test would."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import EXAMPLE, Command, Result

FP16 = (EXAMPLE / "config.yaml").read_text()
FP32 = FP16.replace("precision: fp16 ", "precision: fp32 ")


def example_run(folder: Path, log: str, config: str, steps: int = 0) -> None:
    """One of the example's runs; of `steps`, where that is given, no more."""
    folder.mkdir(parents=True)
    lines = (EXAMPLE / log).read_text().splitlines(keepends=True)
    (folder / "train.log").write_text("".join(lines[: steps + 1] if steps else lines))
    (folder / "config.yaml").write_text(config)


def answers_of(result: Result) -> dict[str, object]:
    return {one["name"]: one["value"] for one in result.data["facts"] if one["name"].startswith("test.")}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(autouse=True)
def failing(folder: Path) -> None:
    example_run(folder / "bad", "train.log", FP16)


def test_a_run_that_is_fine_in_fp32_confirms_what_fp16_breaks(diagnose: Command, folder: Path) -> None:
    example_run(folder / "good", "fp32.log", FP32)
    result = diagnose("bad", "--beside", "good", "--no-machine")
    assert "fp16-overflow  confirmed" in result.out
    assert "the NaN goes away in FP32  [good/train.log:121 (step 120)]" in result.out
    assert "with precision fp32 (here fp16)" in " ".join(result.out.split())


def test_the_runs_of_one_directory_answer_each_other(diagnose: Command, folder: Path) -> None:
    example_run(folder / "runs" / "good", "fp32.log", FP32)
    (folder / "bad").rename(folder / "runs" / "bad")
    said = diagnose("runs", "--no-machine").out
    assert "fp16-overflow  confirmed" in said
    assert "good: grad-explosion, with precision fp32 (here fp16)" in " ".join(said.split())


def test_a_run_that_fails_just_so_answers_no(diagnose: Command, folder: Path) -> None:
    example_run(folder / "other", "train.log", FP32)
    assert answers_of(diagnose("bad", "--beside", "other", "--no-machine", "-f", "json")) == {
        "test.fp32_clears_nan": False
    }


@pytest.mark.parametrize(
    ("log", "config", "steps"),
    [
        pytest.param("fp32.log", FP32.replace("3.0e-3", "1.0e-3"), 0, id="two things are apart"),
        pytest.param("fp32.log", FP16.replace("init_scale: 65536", "init_scale: 1"), 0, id="no experiment"),
        pytest.param("fp32.log", FP16, 0, id="nothing is apart"),
        pytest.param("fp32.log", FP32, 20, id="it ended before the step of the NaN"),
    ],
)
def test_nothing_is_answered_where_it_could_be_something_else(
    diagnose: Command, folder: Path, log: str, config: str, steps: int
) -> None:
    example_run(folder / "other", log, config, steps)
    assert answers_of(diagnose("bad", "--beside", "other", "--no-machine", "-f", "json")) == {}


def test_names_and_places_are_no_difference(diagnose: Command, folder: Path) -> None:
    named = 'exp_name: "{0}"\nsave_dir: out/{0}\n'
    (folder / "bad" / "config.yaml").write_text(FP16 + named.format("first"))
    example_run(folder / "good", "fp32.log", FP32 + named.format("second"))
    result = diagnose("bad", "--beside", "good", "--no-machine", "-f", "json")
    assert answers_of(result) == {"test.fp32_clears_nan": True}


def test_scripts_of_one_name_that_differ_are_a_difference(diagnose: Command, folder: Path) -> None:
    example_run(folder / "good", "fp32.log", FP32)
    (folder / "bad" / "train.py").write_text("print('one')\n")
    (folder / "good" / "train.py").write_text("print('another')\n")
    result = diagnose("bad", "--beside", "good", "--no-machine")
    assert "fp32 (here fp16) and another train.py" in " ".join(result.out.split())
    assert "confirmed" not in result.out


def test_of_a_sweep_the_change_that_helped_counts(diagnose: Command, folder: Path) -> None:
    """A rate that is a little lower breaks as well; one that is much lower does not."""
    for name, log, rate in (("a", "train.log", "2.0e-3"), ("b", "fp32.log", "3.0e-4")):
        example_run(folder / name, log, FP16.replace("3.0e-3", rate))
    result = diagnose("bad", "--beside", "a", "--beside", "b", "--no-machine", "-f", "json")
    assert answers_of(result)["test.lower_lr_helps"] is True


def test_a_change_too_small_for_a_test_does_not_answer_no(diagnose: Command, folder: Path) -> None:
    example_run(folder / "other", "train.log", FP16.replace("3.0e-3", "2.0e-3"))
    assert answers_of(diagnose("bad", "--beside", "other", "--no-machine", "-f", "json")) == {}
    example_run(folder / "far", "train.log", FP16.replace("3.0e-3", "1.0e-3"))
    result = diagnose("bad", "--beside", "far", "--no-machine", "-f", "json")
    assert answers_of(result) == {"test.lower_lr_helps": False}


@pytest.mark.parametrize(
    ("message", "answered"),
    [
        ("CUDA out of memory. Tried to allocate 512.00 MiB", {"test.lower_lr_helps": False}),
        ("mat1 and mat2 shapes cannot be multiplied (8x64 and 32x2)", {}),
    ],
)
def test_another_error_of_the_same_type_is_the_other_run_s_own(
    diagnose: Command, folder: Path, message: str, answered: dict[str, object]
) -> None:
    def failed(text: str) -> str:
        return f'Traceback (most recent call last):\n  File "train.py", line 9, in <module>\nRuntimeError: {text}\n'

    example_run(folder / "other", "train.log", FP16.replace("3.0e-3", "3.0e-4"))
    for name, text in (("bad", "CUDA out of memory. Tried to allocate 2.00 GiB"), ("other", message)):
        with (folder / name / "train.log").open("a") as log:
            log.write(failed(text))
    result = diagnose("bad", "--beside", "other", "--no-machine", "-f", "json")
    assert answers_of(result) == answered


def test_secrets_that_differ_are_not_shown(diagnose: Command, folder: Path) -> None:
    (folder / "bad" / "config.yaml").write_text(FP16 + "db_password: hunter2\nwandb_api_key: abc123def\n")
    example_run(folder / "other", "fp32.log", FP32 + "db_password: swordfish\nwandb_api_key: zzz999yyy\n")
    for form in ("text", "markdown", "json"):
        said = diagnose("bad", "--beside", "other", "--no-machine", "-f", form).out
        assert not [word for word in ("hunter2", "swordfish", "abc123def", "zzz999yyy") if word in said]
    assert "db_password <redacted> (here <redacted>)" in " ".join(
        diagnose("bad", "--beside", "other", "--no-machine").out.split()
    )


def test_of_a_folder_of_runs_one_must_be_named(diagnose: Command, folder: Path) -> None:
    for name in ("first", "second"):
        example_run(folder / "runs" / name, "fp32.log", FP32)
    result = diagnose("bad", "--beside", "runs")
    assert result.code == 2
    assert "2 runs lie there; name the one to compare with: runs/first, runs/second" in result.err


def test_a_run_that_is_not_there_is_refused(diagnose: Command) -> None:
    result = diagnose("bad", "--beside", "gone")
    assert result.code == 2
    assert "gone: no such file or directory" in result.err
