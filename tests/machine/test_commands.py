"""Asking other programs: bounded in time and size, and never through the working directory."""

from __future__ import annotations

import sys
import threading
from pathlib import Path

import pytest

from traindx.probes.machine.commands import NoAnswer, find, run, within
from traindx.probes.machine.host import Host


def program(folder: Path, name: str, text: str) -> Path:
    """A shell script that can be started."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


def host(*folders: Path | str) -> Host:
    return Host(Path("/nowhere"), {"PATH": ":".join(map(str, folders))}, "linux")


def test_a_program_is_found_on_the_path(tmp_path: Path) -> None:
    path = program(tmp_path / "b", "ask", "echo yes")
    assert find("ask", host(tmp_path / "a", tmp_path / "b")) == str(path)


def test_the_working_directory_is_never_looked_into(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(tmp_path, "ask", "echo yes")
    monkeypatch.chdir(tmp_path)
    assert find("ask", host("", ".", "/no/such/folder")) is None


def test_a_file_that_cannot_be_started_is_no_program(tmp_path: Path) -> None:
    program(tmp_path, "ask", "echo yes").chmod(0o644)
    assert find("ask", host(tmp_path)) is None or sys.platform == "win32"


def test_what_a_program_prints_comes_with_its_exit_code(tmp_path: Path) -> None:
    path = program(tmp_path, "ask", "echo out; echo err >&2; exit 3")
    assert run([str(path)], host(tmp_path)) == (3, "out\nerr\n")


def test_a_program_that_does_not_end_is_given_up(tmp_path: Path) -> None:
    path = program(tmp_path, "ask", "exec sleep 60")
    with pytest.raises(NoAnswer, match=r"ask did not answer within 0\.1 s"):
        run([str(path)], host(tmp_path, "/bin", "/usr/bin"), seconds=0.1)


def test_a_program_that_prints_without_end_is_cut_off(tmp_path: Path) -> None:
    path = program(tmp_path, "ask", "exec yes")
    code, output = run([str(path)], host(tmp_path, "/bin", "/usr/bin"), seconds=10)
    assert (code != 0, len(output)) == (True, 1 << 20)


def test_what_is_no_program_is_no_answer(tmp_path: Path) -> None:
    with pytest.raises(NoAnswer, match="cannot be started"):
        run([str(tmp_path / "missing")], host(tmp_path))


def test_what_hangs_is_left_behind() -> None:
    released = threading.Event()
    with pytest.raises(NoAnswer, match="the driver did not answer"):
        within(0.01, "the driver", released.wait)
    released.set()


def test_what_fails_fails_where_it_was_asked() -> None:
    with pytest.raises(ZeroDivisionError):
        within(5, "one", lambda: 1 // 0)
