from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import Reads


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.yaml", "_base_: base.yaml\nseed: 1\n"),
        ("a.yaml", "base_config: ./base.yaml\n"),
        ("a.yaml", "defaults:\n  - base\n  - _self_\n"),
        ("a.py", "_base_ = ['base.yaml']\n"),
        ("a.sh", "python t.py --config base.yaml\n"),
    ],
)
def test_a_file_that_is_named_is_read(read: Reads, tmp_path: Path, name: str, text: str) -> None:
    write(tmp_path, {name: text, "base.yaml": "lr: 0.1\n"})
    assert read({name: tmp_path / name})["learning_rate"] == 0.1


def test_hydra_groups_lie_in_folders(read: Reads, tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "a.yaml": "defaults:\n  - optimizer: adam\n  - override /sched@x: cos\n",
            "optimizer/adam.yaml": "lr: 0.2\n",
            "sched/cos.yaml": "warmup_steps: 5\n",
        },
    )
    run = read({"a.yaml": tmp_path / "a.yaml"})
    assert (run["learning_rate"], run["warmup_steps"]) == (0.2, 5)


def test_the_file_that_includes_wins(read: Reads, tmp_path: Path) -> None:
    write(tmp_path, {"a.yaml": "include: base.yaml\nlr: 0.3\n", "base.yaml": "lr: 0.1\nbatch_size: 4\n"})
    run = read({"a.yaml": tmp_path / "a.yaml"})
    assert (run["learning_rate"], run["micro_batch_size"]) == (0.3, 4)


def test_a_missing_file_is_a_note(read: Reads) -> None:
    run = read({"a.yaml": "deepspeed: conf/ds.json\nlr: 0.1\n"})
    assert run.findings.notes == ["a.yaml names conf/ds.json, which was not given"]


def test_a_file_among_the_inputs_is_no_missing_one(read: Reads) -> None:
    run = read(
        {
            "a.yaml": "deepspeed: conf/ds.json\nlr: 0.1\n",
            "run/conf/ds.json": '{"zero_optimization": {"stage": 3}}',
        }
    )
    assert run.findings.notes == []
    assert run["files"] == 2


@pytest.mark.parametrize("path", ["../outside.yaml", "{outside}", "link.yaml"])
def test_nothing_outside_the_folder_is_read(read: Reads, tmp_path: Path, path: str) -> None:
    inside = tmp_path / "inside"
    write(tmp_path, {"outside.yaml": "lr: 0.1\n", "inside/a.yaml": ""})
    (inside / "link.yaml").symlink_to(tmp_path / "outside.yaml")
    (inside / "a.yaml").write_text(f"include: {path.format(outside=tmp_path / 'outside.yaml')}\n")
    assert read({"a.yaml": inside / "a.yaml"})["learning_rate"] is None


def test_files_that_name_each_other_are_read_once(read: Reads, tmp_path: Path) -> None:
    write(tmp_path, {"a.yaml": "include: b.yaml\nlr: 1\n", "b.yaml": "include: a.yaml\nbatch_size: 2\n"})
    assert read({"a.yaml": tmp_path / "a.yaml"})["files"] == 2


def test_a_file_named_with_its_folder_on_windows_is_found_among_the_inputs(
    read: Reads, tmp_path: Path
) -> None:
    text = "@echo off\npython t.py ^\n --config D:\\lora\\base.yaml\n"
    write(tmp_path, {"a.bat": text, "base.yaml": "lr: 0.1\n"})
    run = read({"a.bat": tmp_path / "a.bat", "base.yaml": tmp_path / "base.yaml"})
    assert run["learning_rate"] == 0.1
    assert not run.findings.notes
