"""A loop that stands still leaves the place where it stands; one that is merely slow is left alone."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from traindx.probes.live.observer import hang as module
from traindx.probes.live.observer.hang import GOES_ON, Hang
from traindx.probes.live.observer.journal import Journal
from traindx.probes.live.observer.stacks import collective, frames_of

from .running import watch

Records = list[dict[str, Any]]
AFTER = 0.1


@pytest.fixture
def records() -> Records:
    return []


@pytest.fixture
def hang(records: Records, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hang]:
    monkeypatch.setattr(module, "_BETWEEN", 0.02)
    one = Hang(Journal(lambda data: records.append(json.loads(data))), AFTER, lambda: 7, None)
    one.start()
    yield one
    one.pause()


def wait_for(records: Records, kind: str, do: Callable[[], object] = lambda: None) -> dict[str, Any]:
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        do()
        time.sleep(0.01)
        found = [one for one in records if one["kind"] == kind]
        if found:
            return found[0]
    raise AssertionError(f"no {kind} came")


def test_a_standstill_is_written_down_with_the_line(hang: Hang, records: Records) -> None:
    hang.after_step(None, 7)
    deadline = time.monotonic() + 20
    while not records and time.monotonic() < deadline:
        time.sleep(5 * AFTER)
    stacks = records[0]
    assert (stacks["why"], stacks["step"], stacks["threads"][0]["name"]) == ("no step", 7, "MainThread")
    assert any("test_hang.py" in frame and "time.sleep" in frame for frame in stacks["threads"][0]["frames"])


def test_our_own_thread_is_not_among_them(hang: Hang, records: Records) -> None:
    stacks = wait_for(records, "stacks")
    assert "traindx" not in [one["name"] for one in stacks["threads"]]


def test_before_the_first_step_it_says_so(hang: Hang, records: Records) -> None:
    assert wait_for(records, "stacks")["why"] == "no step yet"


def test_when_the_loop_goes_on_that_is_said(hang: Hang, records: Records) -> None:
    wait_for(records, "stacks")
    assert wait_for(records, "event", lambda: hang.after_step(None, 8))["what"] == GOES_ON


def test_signs_of_life_keep_it_quiet(hang: Hang, records: Records) -> None:
    longest, last = 0.0, time.monotonic()
    for _ in range(40):
        hang.batch_loaded(None, 0.0)
        time.sleep(AFTER / 20)
        last, before = time.monotonic(), last
        longest = max(longest, last - before)
    # A busy machine can stop this loop for longer than it may stand still; then it was told with reason.
    assert records == [] or longest >= AFTER


def test_a_halt_is_noted_before_it_is_a_standstill(records: Records, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_BETWEEN", 0.02)
    monkeypatch.setattr(module, "HALT_LEAST", 0.1)
    one = Hang(Journal(lambda data: records.append(json.loads(data))), 1.0, lambda: 7, None)
    one.after_step(None, 7)
    one.start()
    try:
        deadline = time.monotonic() + 20
        while not records and time.monotonic() < deadline:
            time.sleep(0.5)
        assert (records[0]["kind"], records[0]["halt"]) == ("stacks", True)
        wait_for(records, "moves", lambda: one.after_step(None, 8))
    finally:
        one.pause()


def test_after_a_pause_nothing_runs(hang: Hang, records: Records) -> None:
    assert hang.pause()
    assert not hang.pause()
    time.sleep(3 * AFTER)
    assert records == []


HELD = """
import ctypes, os, sys, types
import traindx_observer.attach as attach

seen = []
attach.Observer.torch_arrived = lambda self, torch: seen.append(self)
sys.modules["torch"] = types.ModuleType("torch")
from traindx_observer.hang import Hang
from traindx_observer.journal import journal_in
from traindx_observer import hang as module
module._BETWEEN = 0.1
from traindx_observer.last_words import last_words
words = last_words(os.environ["TRAINDX_RUN"], ours=os.dup(2))
hang = Hang(journal_in(os.environ["TRAINDX_RUN"]), 0.2, lambda: 0, words)
hang.start()

def call_c():
    ctypes.PyDLL(None).usleep(900_000)

call_c()
"""


def test_c_code_that_holds_the_interpreter_is_seen_too(tmp_path: Path) -> None:
    ran = watch(HELD, tmp_path)
    (held,) = [one for one in ran.of("stacks") if "C code" in one["why"]]
    assert held["threads"][0]["frames"][-1].endswith("in call_c")
    assert ran.err == ""


def test_a_fork_finds_no_thread_and_both_sides_go_on(tmp_path: Path) -> None:
    code = """
import os, sys, threading, time, warnings
sys.path.insert(0, os.getcwd())
import torch
warnings.simplefilter("error")
if os.fork() == 0:
    os._exit(threading.active_count())
print(os.waitstatus_to_exitcode(os.wait()[1]), threading.active_count())
"""
    (tmp_path / "torch.py").write_text(
        "import traindx_observer.watcher as watcher, types\n"
        "watcher.install = lambda *args: types.SimpleNamespace("
        "step=0, options={}, add=lambda part: None, close=lambda: None, forget=lambda watch: None, beat=lambda: None)\n"
        "__version__ = '0'\n"
    )
    ran = watch(code, tmp_path)
    assert (ran.out, ran.err) == ("2 2\n", "")


def frame_in(file: str, name: str) -> Any:
    """A frame that claims to run the function `name` of a file."""
    import sys

    code = compile(f"def {name}(): return sys._getframe()", file, "exec")
    scope: dict[str, Any] = {"sys": sys}
    exec(code, scope)  # noqa: S102 - only so does a frame get a name and a file of our choice
    return scope[name]()


@pytest.mark.parametrize("name", ["all_reduce", "barrier", "init_process_group"])
def test_a_collective_is_told_by_its_name(name: str) -> None:
    frame = frame_in("/lib/torch/distributed/distributed_c10d.py", name)
    assert collective(frames_of(frame)) == name


@pytest.mark.parametrize(
    ("file", "name", "told"),
    [
        ("/lib/torch/nn/parallel/distributed.py", "_distributed_broadcast_coalesced", "broadcast"),
        ("/lib/torch/distributed/utils.py", "_sync_module_states", "broadcast"),
        ("/lib/torch/distributed/utils.py", "_verify_param_shape_across_processes", "all_gather"),
        ("/lib/torch/nn/parallel/distributed.py", "_run_ddp_forward", None),
        ("/home/me/broadcast.py", "broadcast_coalesced", None),
    ],
)
def test_what_the_wrapper_of_all_ranks_calls_in_native_code_is_a_collective(
    file: str, name: str, told: str | None
) -> None:
    assert collective(frames_of(frame_in(file, name))) == told


def test_a_model_that_computes_within_the_wrapper_is_in_no_collective() -> None:
    stack = [
        frame_in("/lib/torch/nn/parallel/distributed.py", "_distributed_broadcast_coalesced"),
        frame_in("/home/me/model.py", "forward"),
    ]
    assert collective(stack) is None


def test_code_of_the_users_is_no_collective() -> None:
    assert collective(frames_of(frame_in("/home/me/train.py", "all_reduce"))) is None
