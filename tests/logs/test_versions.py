"""Of the runs that a logger has numbered in one folder, the newest is read, and what is left out is said."""

from __future__ import annotations

from pathlib import Path

from traindx.probes.discover import discover


def version(folder: Path, number: int, *, numbers: bool = True) -> None:
    one = folder / "lightning_logs" / f"version_{number}"
    one.mkdir(parents=True)
    (one / "hparams.yaml").write_text("lr: 0.1\n")
    if numbers:
        (one / "metrics.csv").write_text("epoch,train_loss\n0,2.3\n1,2.2\n")


def test_the_newest_is_read_and_the_others_are_named(tmp_path: Path) -> None:
    for number in (2, 9, 10):
        version(tmp_path, number)
    found = discover([tmp_path])
    assert {Path(one.name).parent.name for one in found.inputs} == {"version_10"}
    assert "only version_10, the newest, was read, and not version_2, version_9" in found.notes[0]


def test_one_that_never_began_is_not_meant(tmp_path: Path) -> None:
    version(tmp_path, 0)
    version(tmp_path, 1, numbers=False)
    assert {Path(one.name).parent.name for one in discover([tmp_path]).inputs} == {"version_0"}


def test_a_version_that_is_named_is_read(tmp_path: Path) -> None:
    version(tmp_path, 0)
    version(tmp_path, 1)
    found = discover([tmp_path / "lightning_logs" / "version_0"])
    assert (len(found.inputs), found.notes) == (2, [])


def run(folder: Path) -> None:
    folder.mkdir(parents=True)
    (folder / "config.yaml").write_text("lr: 0.1\n")
    (folder / "train.log").write_text("step 1 loss 2.0\n")


def test_runs_side_by_side_are_named(tmp_path: Path) -> None:
    for name in ("first", "second"):
        run(tmp_path / name)
    assert (
        "2 runs side by side were read as one; name the one you mean: first, second"
        in discover([tmp_path]).notes[0]
    )


def test_what_hydra_keeps_of_a_run_is_the_runs_own(tmp_path: Path) -> None:
    for name in ("0", "1"):
        (tmp_path / name / ".hydra").mkdir(parents=True)
        (tmp_path / name / ".hydra" / "config.yaml").write_text("lr: 0.1\n")
        (tmp_path / name / "train.log").write_text("step 1 loss 2.0\n")
    (tmp_path / "train.py").write_text("print(1)\n")
    found = discover([tmp_path])
    assert found.runs == [tmp_path / "0", tmp_path / "1"]
    apart = found.of_run(tmp_path / "1")
    assert [one.path for one in apart.inputs if one.path] == [
        tmp_path / "train.py",
        tmp_path / "1" / "train.log",
        tmp_path / "1" / ".hydra" / "config.yaml",
    ]
    assert apart.notes == []


def test_logs_of_ranks_and_what_lies_inside_a_run_are_one(tmp_path: Path) -> None:
    run(tmp_path / "run")
    run(tmp_path / "run" / "eval")
    for rank in range(2):
        (tmp_path / f"rank{rank}").mkdir()
        (tmp_path / f"rank{rank}" / "train.log").write_text("step 1 loss 2.0\n")
    assert discover([tmp_path]).notes == []
