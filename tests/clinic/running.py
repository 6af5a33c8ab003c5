"""Runs a script of the clinic under `diagnose run`, and says what was diagnosed.

`Watching` takes the real command as it is, or (`quick`) replaces one thing: the Python that is started is a
copy of one that has already imported torch.
"""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, NamedTuple, Self
from unittest import mock

from .cases import Case

TIMEOUT = 120


class Outcome(NamedTuple):
    """What came of one run."""

    causes: list[tuple[str, str]]
    """Causes and their verdicts, the likeliest first."""
    status: int
    seconds: float
    text: str
    """What the script and the command wrote."""

    @property
    def accused(self) -> list[str]:
        """The causes above `possible`."""
        return [cause for cause, verdict in self.causes if verdict in ("likely", "confirmed")]

    def names(self, case: Case, among: int) -> bool:
        """Whether the fault is among the first causes of the report."""
        return any(cause in case.accept for cause, _ in self.causes[:among])


class Watching:
    """Runs cases, one at a time."""

    def __init__(self, quick: bool) -> None:
        self._zygote = _Zygote() if quick else None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._zygote is not None:
            self._zygote.end()

    def run(self, case: Case, seed: int) -> Outcome:
        """Run one; a rank for itself cannot be forked, so that several ranks always start anew."""
        with tempfile.TemporaryDirectory() as folder:
            report = Path(folder) / "report.json"
            options = ["run", "--hang-after", "4", "--report", str(report), "--"]
            begun = time.monotonic()
            if self._zygote is not None and case.ranks == 1:
                status, text = self._zygote.run(
                    case, [*options, *case.command(seed)], Path(folder) / "output"
                )
            else:
                status, text = _run([*options, *case.command(seed)], case.script.parent)
            seconds = time.monotonic() - begun
            if not report.exists():
                raise RuntimeError(f"no report\n{text[-2000:]}")
            data = json.loads(report.read_text(encoding="utf-8"))
        return Outcome([(c["id"], c["verdict"]) for c in data["causes"]], status, seconds, text)


def _run(arguments: Sequence[str], folder: Path) -> tuple[int, str]:
    command = [sys.executable, "-m", "traindx", *arguments]
    done = subprocess.run(
        command, cwd=folder, env=environment(), capture_output=True, text=True, timeout=TIMEOUT, check=False
    )
    return done.returncode, done.stdout + done.stderr


def environment() -> dict[str, str]:
    """One thread, so that a run is as quick beside others as alone."""
    return {**os.environ, "OMP_NUM_THREADS": "1"}


class _Zygote:
    """The Python that has imported torch."""

    def __init__(self) -> None:
        program = Path(__file__).with_name("zygote.py")
        self._process = subprocess.Popen(
            [sys.executable, "-W", "ignore", str(program)],
            env=environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self._read = b""
        self.answer()

    def run(self, case: Case, arguments: list[str], output: Path) -> tuple[int, str]:
        """`diagnose run` in this process, in which a copy of the zygote is what it starts."""
        import contextlib
        import io

        from traindx.cli.group import run

        def start(command: Sequence[str], environment: Mapping[str, str] | None) -> _Child:
            return _Child(self, command[1:], environment or {}, case.script.parent, output)

        said = io.StringIO()
        before = Path.cwd()
        os.chdir(case.script.parent)
        try:
            with (
                mock.patch("traindx.probes.live.waiting.start", start),
                mock.patch.object(sys, "argv", ["diagnose", *arguments]),
                contextlib.redirect_stderr(said),
            ):
                status = run() or 0
        finally:
            os.chdir(before)
        return status, output.read_text(errors="replace") + said.getvalue()

    def ask(self, wanted: Mapping[str, object]) -> int:
        """Have a script run; the number of its process."""
        pipe = _pipe(self._process.stdin)
        pipe.write(json.dumps(wanted).encode() + b"\n")
        pipe.flush()
        return self.answer()["pid"]

    def answer(self, wait: bool = True) -> dict[str, int]:
        """The next answer; empty where there is none yet."""
        pipe = _pipe(self._process.stdout).fileno()
        while b"\n" not in self._read and (wait or select.select([pipe], [], [], 0)[0]):
            more = os.read(pipe, 4096)
            if not more:
                raise ChildProcessError("the Python that runs the scripts has ended")
            self._read += more
        line, end, rest = self._read.partition(b"\n")
        self._read = rest if end else line
        answer: dict[str, int] = json.loads(line) if end else {}
        return answer

    def end(self) -> None:
        _pipe(self._process.stdin).close()
        _pipe(self._process.stdout).close()
        self._process.wait()


def _pipe(stream: IO[bytes] | None) -> IO[bytes]:
    assert stream is not None
    return stream


class _Child:
    """As much of a Popen as `run_watched` needs."""

    def __init__(
        self,
        zygote: _Zygote,
        arguments: Sequence[str],
        environment: Mapping[str, str],
        folder: Path,
        output: Path,
    ) -> None:
        self._zygote = zygote
        self.returncode: int | None = None
        self.pid = zygote.ask(
            {
                "arguments": list(arguments),
                "environment": dict(environment),
                "folder": str(folder),
                "output": str(output),
            }
        )

    def poll(self) -> int | None:
        if self.returncode is None:
            self.returncode = self._zygote.answer(wait=False).get("status")
        return self.returncode

    def send_signal(self, number: int) -> None:
        os.kill(self.pid, number)
