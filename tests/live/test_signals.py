"""A signal reaches the command once, whether it was sent to us, to our group or from the terminal."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

# Counts what it is sent, and ends half a second after the first: time enough for a second one.
COUNTS = """
import os, signal, sys, time
seen = []
for name in ("SIGINT", "SIGTERM", "SIGUSR1", "SIGHUP"):
    if signal.getsignal(getattr(signal, name)) is not signal.SIG_IGN:
        signal.signal(getattr(signal, name), lambda number, frame: seen.append(signal.Signals(number).name))
print("ready", sys.stdin.isatty(), flush=True)
deadline = time.monotonic() + 20
while not seen and time.monotonic() < deadline:
    time.sleep(0.01)
time.sleep(0.5)
print("got", *seen, flush=True)
sys.exit(7)
"""
# `diagnose run` without the diagnosis, which takes time and is not the matter here.
RUNS = """
import sys
from pathlib import Path
from traindx.probes.live.launch import shell_status
from traindx.probes.live.waiting import run_watched
sys.exit(shell_status(run_watched([sys.executable, "-c", sys.argv[2]], Path(sys.argv[1]), {}).status))
"""
Start = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    started = []

    def begin(code: str = COUNTS, **more: Any) -> subprocess.Popen[str]:
        (tmp_path / "records").mkdir(exist_ok=True)
        command = [sys.executable, "-c", RUNS, str(tmp_path / "records"), code]
        more = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, **more}
        more.setdefault("preexec_fn", hear_hangups)
        process = subprocess.Popen(command, start_new_session=True, **more)
        started.append(process)
        return process

    yield begin
    for process in started:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def hear_hangups() -> None:
    """The tests may themselves run under nohup."""
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


def ready(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline()


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP", "SIGUSR1"])
def test_a_signal_to_us_is_passed_on(start: Start, name: str) -> None:
    process = start()
    ready(process)
    process.send_signal(getattr(signal, name))
    out, err = process.communicate()
    assert (out, err, process.returncode) == (f"got {name}\n", "", 7)


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_a_signal_to_the_group_is_not_passed_on_a_second_time(start: Start, name: str) -> None:
    process = start()
    ready(process)
    os.killpg(process.pid, getattr(signal, name))
    out, err = process.communicate()
    assert (out, err, process.returncode) == (f"got {name}\n", "", 7)


@pytest.mark.parametrize(
    ("name", "said"),
    [("SIGINT", "interrupted, exit code 7 after"), ("SIGTERM", "The command failed, and nothing")],
)
def test_what_a_person_stops_has_not_failed(tmp_path: Path, name: str, said: str) -> None:
    command = [sys.executable, "-m", "traindx", "run", "--", sys.executable, "-c", COUNTS]
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        cwd=tmp_path,
    )
    ready(process)
    os.killpg(process.pid, getattr(signal, name))
    _, err = process.communicate(timeout=60)
    assert (said in err, process.returncode) == (True, 7)
    assert ("The command failed" in err) == (name != "SIGINT")


def test_what_is_ignored_stays_so_for_the_command(start: Start) -> None:
    process = start(preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    ready(process)
    process.send_signal(signal.SIGHUP)
    process.send_signal(signal.SIGUSR1)
    assert process.communicate()[0] == "got SIGUSR1\n"


def test_a_command_that_a_signal_kills_gives_the_code_of_a_shell(start: Start) -> None:
    process = start("import os, signal; os.kill(os.getpid(), signal.SIGKILL)")
    process.communicate()
    assert process.returncode == 128 + signal.SIGKILL


def test_when_we_are_killed_the_run_goes_on(start: Start, tmp_path: Path) -> None:
    process = start(
        f"import time; print('ready', flush=True); time.sleep(0.5); open({str(tmp_path / 'done')!r}, 'w')"
    )
    ready(process)
    process.kill()
    process.wait()
    deadline = time.monotonic() + 20
    while not (tmp_path / "done").exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    assert (tmp_path / "done").exists()


def test_a_terminal_stays_a_terminal_and_ctrl_c_reaches_the_command_once(tmp_path: Path) -> None:
    (tmp_path / "records").mkdir()
    pid, terminal = pty.fork()
    if pid == 0:
        os.execv(sys.executable, [sys.executable, "-c", RUNS, str(tmp_path / "records"), COUNTS])
    said = b""
    while b"ready True" not in said:
        said += os.read(terminal, 1000)
    os.write(terminal, b"\x03")
    while b"got" not in said or not said.endswith(b"\n"):
        said += os.read(terminal, 1000)
    assert b"got SIGINT\r\n" in said
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 7
    os.close(terminal)
