"""The records of a run are read as far as they were written, whoever wrote them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from traindx.probes.live import records as module
from traindx.probes.live.faults import read_faults
from traindx.probes.live.memory import kills
from traindx.probes.live.records import Tail, parsed, read_run


def write(folder: Path, pid: int, *records: dict[str, Any], rest: str = "") -> None:
    lines = "".join(json.dumps(record) + "\n" for record in records)
    with (folder / f"{pid}.jsonl").open("a", encoding="utf-8") as file:
        file.write(lines + rest)


def head(pid: int = 1, **more: Any) -> dict[str, Any]:
    return {"kind": "process", "t": 0, "version": 1, "pid": pid, "role": "main", "time": float(pid), **more}


STEP = {"kind": "event", "t": 1, "what": "x"}


def test_processes_come_in_the_order_in_which_they_began(tmp_path: Path) -> None:
    write(tmp_path, 10, head(10, time=20.0))
    write(tmp_path, 11, head(11, time=10.0))
    assert [one[0]["pid"] for one in read_run(tmp_path).processes] == [11, 10]


def test_a_half_written_line_is_left_out_and_said(tmp_path: Path) -> None:
    write(tmp_path, 1, head(), STEP, rest='{"kind": "ev')
    run = read_run(tmp_path)
    assert [one["kind"] for one in run.processes[0]] == ["process", "event"]
    assert "1 records are half-written" in run.notes[0]


def test_a_newer_observer_is_said(tmp_path: Path) -> None:
    write(tmp_path, 1, head(version=99), {"kind": "marvel", "t": 1})
    run = read_run(tmp_path)
    assert len(run.processes[0]) == 2
    assert "newer (records 99" in run.notes[0]


def test_a_number_of_a_process_may_come_again(tmp_path: Path) -> None:
    write(tmp_path, 1, head(), STEP)
    write(tmp_path, 1, head(time=5.0))
    assert [len(one) for one in read_run(tmp_path).processes] == [2, 1]


def test_an_empty_folder_is_a_run_of_nothing(tmp_path: Path) -> None:
    assert read_run(tmp_path).processes == []


def test_of_a_long_run_the_beginning_and_the_end_are_kept(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(module, "_FIRST", 3)
    monkeypatch.setattr(module, "_LAST", 2)
    write(tmp_path, 1, head(), *({"kind": "event", "t": t} for t in range(1, 10)))
    run = read_run(tmp_path)
    assert [one["t"] for one in run.processes[0]] == [0, 1, 2, 8, 9]
    assert "5 records from its middle were left out" in run.notes[0]


def test_a_tail_gives_each_record_once_and_only_when_it_is_whole(tmp_path: Path) -> None:
    tail = Tail(tmp_path)
    write(tmp_path, 1, head(), rest='{"kind": "event"')
    assert [one["kind"] for _, one in tail.new()] == ["process"]
    write(tmp_path, 1, rest=', "t": 1}\n')
    assert [one["kind"] for _, one in tail.new()] == ["event"]
    assert list(tail.new()) == []


@given(st.binary(max_size=200))
def test_no_line_can_do_harm(line: bytes) -> None:
    record = parsed(line)
    assert record is None or isinstance(record["kind"], str)


def test_a_line_nested_without_end_is_no_record() -> None:
    assert parsed(b"[" * 100_000) is None


# -- last words

FAULT = """\
Fatal Python error: Segmentation fault

Thread 0x00007f0000000001 (most recent call first):
  File "loader.py", line 3 in load

Current thread 0x00007f0000000002 (most recent call first):
  File "train.py", line 12 in step
  File "train.py", line 30 in <module>

Extension modules: torch._C (total: 1)
"""
HELD = """\
Timeout (0:05:00)!
Thread 0x00007f0000000001 (most recent call first):
  File "loader.py", line 3 in load
Thread 0x00007f0000000002 (most recent call first):
  File "train.py", line 12 in step
"""


def test_of_a_fault_the_thread_at_fault_comes_first(tmp_path: Path) -> None:
    (tmp_path / "1.fault").write_text(FAULT)
    (fault,) = read_faults(tmp_path / "1.fault")
    assert (fault["kind"], fault["why"]) == ("fault", "Segmentation fault")
    assert fault["threads"][0]["frames"] == ["train.py:30 in <module>", "train.py:12 in step"]


def test_of_a_held_interpreter_the_main_thread_comes_first(tmp_path: Path) -> None:
    (tmp_path / "1.fault").write_text(HELD)
    (stacks,) = read_faults(tmp_path / "1.fault")
    assert stacks["kind"] == "stacks"
    assert stacks["threads"][0] == {"name": "MainThread", "frames": ["train.py:12 in step"]}


def test_no_words_are_no_fault(tmp_path: Path) -> None:
    (tmp_path / "1.fault").write_text("")
    assert [*read_faults(tmp_path / "1.fault"), *read_faults(tmp_path / "2.fault")] == []


# -- the kernel's counters


def made(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def test_kills_are_counted_in_a_control_group_of_either_version(tmp_path: Path) -> None:
    second = {
        "proc/self/cgroup": "0::/job\n",
        "sys/fs/cgroup/job/memory.events": "low 0\noom 3\noom_kill 2\noom_group_kill 0\n",
    }
    first = {
        "proc/self/cgroup": "4:cpu,memory:/job\n",
        "sys/fs/cgroup/memory/job/memory.oom_control": "oom_kill_disable 0\nunder_oom 0\noom_kill 5\n",
    }
    assert kills(made(tmp_path / "two", second)) == 2
    assert kills(made(tmp_path / "one", first)) == 5


def test_else_on_the_machine_and_else_not_at_all(tmp_path: Path) -> None:
    assert kills(made(tmp_path / "host", {"proc/vmstat": "nr_free 1\noom_kill 7\n"})) == 7
    assert kills(tmp_path / "nothing") is None
