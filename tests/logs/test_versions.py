"""Of the runs that a logger has numbered in one folder, the newest is read, and what is left out is said."""

from __future__ import annotations

from pathlib import Path

from traindx.probes.discover import Found, discover


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


def events(folder: Path, at: int) -> None:
    folder.mkdir(parents=True)
    (folder / f"events.out.tfevents.{at}.host.1.0").write_bytes(b"")


def test_of_runs_that_are_named_by_their_date_the_newest_is_read(tmp_path: Path) -> None:
    events(tmp_path / "runs" / "Nov30_10-00-00_box", 1000)
    events(tmp_path / "runs" / "Dec01_10-00-00_box", 9000)
    found = discover([tmp_path])
    assert {Path(one.name).parent.name for one in found.inputs} == {"Dec01_10-00-00_box"}
    assert "only Dec01_10-00-00_box, the newest, was read, and not Nov30_10-00-00_box" in found.notes[0]


def test_the_hosts_of_one_run_begin_together(tmp_path: Path) -> None:
    for host in range(2):
        events(tmp_path / f"Nov30_10-00-0{host}_node{host}", 1000 + host)
    found = discover([tmp_path])
    assert (len(found.inputs), found.notes) == (2, [])


def test_runs_with_nothing_but_events_lie_side_by_side(tmp_path: Path) -> None:
    for name in ("baseline", "wider"):
        events(tmp_path / "runs" / name, 1000)
    (tmp_path / "train.py").write_text("print(1)\n")
    found = discover([tmp_path])
    assert found.runs == [tmp_path / "runs" / "baseline", tmp_path / "runs" / "wider"]


def test_the_parts_of_one_run_are_read_together(tmp_path: Path) -> None:
    for place in (
        "keras/train",
        "keras/validation",
        "ranks/rank_0",
        "ranks/rank_1",
        "one/loss_low",
        "one/loss_high",
    ):
        events(tmp_path / place, 1000)
    (tmp_path / "one" / "events.out.tfevents.1.host.1.0").write_bytes(b"")
    for run_ in ("keras", "ranks", "one"):
        assert discover([tmp_path / run_]).notes == []


def state(folder: Path) -> None:
    folder.mkdir(parents=True)
    (folder / "trainer_state.json").write_text('{"log_history": [{"loss": 1.0, "step": 10}]}')
    (folder / "config.json").write_text("{}")
    (folder / "model.safetensors").write_bytes(b"")


def names(found: Found, root: Path) -> list[str]:
    return sorted(str(one.path.relative_to(root)) for one in found.inputs if one.path)


def test_of_the_states_of_a_run_the_newest_tells_all_that_was_logged(tmp_path: Path) -> None:
    for step in (80, 90, 100):
        state(tmp_path / f"checkpoint-{step}")
    found = discover([tmp_path])
    assert names(found, tmp_path) == [
        "checkpoint-100/config.json",
        "checkpoint-100/model.safetensors",
        "checkpoint-100/trainer_state.json",
        "checkpoint-80/model.safetensors",
        "checkpoint-90/model.safetensors",
    ]
    assert found.notes == [
        f"{tmp_path}: checkpoint-100/trainer_state.json was read, and not 2 older, whose history it goes on with"
    ]
    (tmp_path / "trainer_state.json").write_text("{}")
    assert "checkpoint-100/trainer_state.json" not in names(discover([tmp_path]), tmp_path)


def test_a_single_state_and_one_that_is_named_are_read(tmp_path: Path) -> None:
    state(tmp_path / "checkpoint-10")
    assert discover([tmp_path]).notes == []
    state(tmp_path / "checkpoint-20")
    assert "checkpoint-10/trainer_state.json" in names(discover([tmp_path / "checkpoint-10"]), tmp_path)
