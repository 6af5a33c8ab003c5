"""A few steps of the user's own script, its output in a file, in a session of its own that can be ended as a whole."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from traindx.engine.derive import derive
from traindx.engine.facts import Fact, Facts, Origin
from traindx.engine.kb.knowledge import Knowledge

from .curves import curves_of
from .launch import NotStarted, environment, found
from .probe import LiveProbe
from .processes import RUN, Process
from .records import Tail, read_run

QUIET = {"WANDB_MODE": "disabled", "COMET_MODE": "disabled", "PYTHONHASHSEED": "0"}
"""What a trial run is told besides: it is no run to be listed among the others."""
_LOOK = 0.1
_GRACE = 10.0
"""Seconds that a run has to end by itself."""

Progress = Callable[[int], object]
"""Called with the steps made so far."""


@dataclass(frozen=True, slots=True)
class ShortRun:
    """What a few steps showed."""

    facts: Facts
    """With what follows from them."""
    probe: LiveProbe
    """Its records, read."""
    losses: tuple[float | None, ...]
    """The loss of each step."""
    seconds: float
    """From start to end, imports and all."""
    steps: int
    per_second: float | None
    """Steps in a second, the first few aside."""
    status: int
    changed: frozenset[str]
    """The changes that took effect."""
    troubles: tuple[str, ...]
    """Changes that could not be made."""
    in_time: bool
    """False where we ended it because it took too long."""
    output: Path
    """What it printed."""

    @property
    def failure(self) -> str:
        """The exception that ended it, as `Type: message`; empty where none did."""
        kind, message = self.facts.value("log.exception.type"), self.facts.value("log.exception.message")
        if kind is not None:
            return f"{kind}: {message}"[:200]
        return f"exit code {self.status}" if self.status and self.in_time else ""


def run_shortly(
    command: Sequence[str],
    folder: Path,
    knowledge: Knowledge,
    *,
    steps: int,
    seed: int,
    change: Mapping[str, Any],
    variables: Mapping[str, str],
    patience: float,
    progress: Progress = lambda steps: None,
) -> ShortRun:
    """Run so many optimizer steps of a command, with one change, for at most `patience` seconds.

    `folder` is there and empty. Raises NotStarted; KeyboardInterrupt ends the command first.
    """
    options = {"stop_after": steps, "seed": seed, "change": dict(change)}
    records = folder / "records"
    records.mkdir()
    output = folder / "output"
    surroundings = {**environment(records, options), **QUIET, **variables}
    begun = time.monotonic()
    with output.open("wb") as sink:
        child = _started(command, surroundings, sink.fileno())
        try:
            in_time = _wait(child, records, begun + patience, progress)
        finally:
            _end(child)
    return _read(records, knowledge, child.returncode, time.monotonic() - begun, in_time, output)


def _started(command: Sequence[str], surroundings: Mapping[str, str], output: int) -> subprocess.Popen[bytes]:
    program = found(command)
    try:
        return subprocess.Popen(
            list(command), executable=program, env=surroundings, stdin=subprocess.DEVNULL, stdout=output,
            stderr=subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip
    except OSError as error:
        raise NotStarted(f"{command[0]} cannot be started: {error.strerror}") from None


def _wait(child: subprocess.Popen[bytes], records: Path, deadline: float, progress: Progress) -> bool:
    """Wait for the end; False where the time was up before."""
    tail, steps = Tail(records), 0
    while child.poll() is None:
        if time.monotonic() > deadline:
            return False
        for _, record in tail.new():
            if record["kind"] == "steps" and isinstance(record.get("step"), list):
                steps = max([steps, *(one for one in record["step"] if isinstance(one, int))])
        progress(steps)
        time.sleep(_LOOK)
    return True


def _end(child: subprocess.Popen[bytes]) -> None:
    """End what is left of its session: first asked, then forced."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(child.pid, number)
            child.wait(_GRACE)
        except (ProcessLookupError, PermissionError):
            break
        except subprocess.TimeoutExpired:
            continue
    child.wait()


def _read(
    records: Path, knowledge: Knowledge, status: int, seconds: float, in_time: bool, output: Path
) -> ShortRun:
    processes = [Process(one) for one in read_run(records).processes]
    probe = LiveProbe(records, knowledge, status=status if in_time else None)
    facts = Facts()
    facts.extend(probe.run().facts)
    curves = curves_of(processes)
    lead = curves[0] if curves else None
    steps = lead.count if lead else 0
    facts.add(Fact("test.steps", steps, Origin.LIVE))
    derive(facts, knowledge)
    losses, durations = _columns(processes, lead.process.pid if lead else None)
    every = [record for one in processes for record in one.records]
    return ShortRun(
        facts, LiveProbe(records, knowledge, status=status if in_time else None), losses, seconds, steps,
        _rate(durations), status,
        frozenset(str(one.get("change")) for one in every if one["kind"] == "changed"),
        tuple(str(one.get("error")) for one in every if _is_about_change(one)),
        in_time, output,
    )  # fmt: skip


def _is_about_change(record: Mapping[str, Any]) -> bool:
    return record["kind"] == "trouble" and str(record.get("part")).startswith("change ")


def _columns(processes: Sequence[Process], pid: int | None) -> tuple[tuple[float | None, ...], list[float]]:
    """The losses and durations of the first optimizer of one process, in the order of its steps."""
    from .processes import number

    losses: list[float | None] = []
    durations: list[float] = []
    for record in (record for one in processes if one.pid == pid for record in one.of("steps")):
        count = len(record.get("step") or ())
        optimizers = record.get("optimizer") or [1] * count
        for row in range(count):
            if optimizers[row] == optimizers[0]:
                losses.append(number((record.get("loss") or [None] * count)[row]))
                durations.append(number((record.get("seconds") or [None] * count)[row]) or 0.0)
    return tuple(losses), durations


def _rate(durations: Sequence[float]) -> float | None:
    """Steps in a second by the median of the later steps: the first ones compile, allocate and search kernels."""
    later = sorted(one for one in durations[max(3, len(durations) // 5) :] if one > 0)
    return 1 / later[len(later) // 2] if later else None


__all__ = ["QUIET", "RUN", "Progress", "ShortRun", "run_shortly"]
