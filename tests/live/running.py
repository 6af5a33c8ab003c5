"""Running small Python programs under the observer, and reading what it wrote."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from traindx.probes.live.launch import environment
from traindx.probes.live.processes import Record
from traindx.probes.live.records import RunRecords, read_run


class Ran(NamedTuple):
    """What a program left behind."""

    code: int
    out: str
    err: str
    run: RunRecords

    def of(self, kind: str) -> list[Record]:
        """The records of a kind, of all processes."""
        return [record for process in self.run.processes for record in process if record["kind"] == kind]

    @property
    def roles(self) -> list[str]:
        """The role of each process, in the order in which they began."""
        return [record["role"] for record in self.of("process")]


Bare: TypeAlias = tuple[int, str, str]
"""Exit code, output and errors."""


def program(code: str, folder: Path) -> Path:
    """A script with this text. It is given a folder of its own, where it also runs."""
    path = folder / "program.py"
    path.write_text(code, encoding="utf-8")
    return path


def watch(
    code: str,
    folder: Path,
    *,
    flags: tuple[str, ...] = (),
    options: Mapping[str, Any] | None = None,
    inherited: Mapping[str, str] | None = None,
) -> Ran:
    """Run a script under the observer."""
    return watch_command([sys.executable, *flags, str(program(code, folder))], folder, options, inherited)


def watch_command(
    command: list[str],
    folder: Path,
    options: Mapping[str, Any] | None = None,
    inherited: Mapping[str, str] | None = None,
) -> Ran:
    """Run a command under the observer."""
    records = folder / "records"
    records.mkdir(exist_ok=True)
    given = environment(records, options or {}, {**os.environ, **(inherited or {})})
    done = subprocess.run(
        command, check=False, cwd=folder, env=given, capture_output=True, text=True, timeout=60
    )
    return Ran(done.returncode, done.stdout, done.stderr, read_run(records))


def run_bare(code: str, folder: Path) -> Bare:
    """The exit code, output and errors of the same script when nobody watches."""
    command = [sys.executable, str(program(code, folder))]
    done = subprocess.run(command, check=False, cwd=folder, capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout, done.stderr
