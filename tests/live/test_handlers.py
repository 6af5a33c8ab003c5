"""What a signal handler of the script raises while the observer works is the script's, and ends in the script."""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from traindx.probes.live.observer.exits import Exits
from traindx.probes.live.observer.guard import guarded
from traindx.probes.live.observer.journal import Journal

from .looking import watched


@pytest.fixture
def handler() -> Iterator[None]:
    """As torch's own tells that a worker died."""

    def raises(number: int, frame: object) -> None:
        raise RuntimeError("DataLoader worker is killed by signal")

    before = signal.signal(signal.SIGUSR1, raises)
    yield
    signal.signal(signal.SIGUSR1, before)


def interrupted() -> None:
    signal.raise_signal(signal.SIGUSR1)


def fails() -> None:
    raise RuntimeError("ours")


def journal() -> tuple[Journal, list[dict[str, Any]]]:
    records: list[dict[str, Any]] = []
    return Journal(lambda line: records.append(json.loads(line))), records


@pytest.mark.usefixtures("handler")
def test_a_guard_lets_the_error_of_a_handler_pass() -> None:
    kept, records = journal()
    safe = guarded(kept, "part", interrupted)
    for _ in range(2):  # the part goes on
        with pytest.raises(RuntimeError, match="killed by signal"):
            safe()
    assert not [one for one in records if one["kind"] == "trouble"]


@pytest.mark.usefixtures("handler")
def test_a_guard_keeps_an_error_of_our_own() -> None:
    kept, records = journal()
    guarded(kept, "part", fails)()
    assert [one["part"] for one in records if one["kind"] == "trouble"] == ["part"]


@pytest.mark.usefixtures("handler")
def test_what_interrupts_a_part_that_is_told_reaches_the_script() -> None:
    with watched() as said:
        with pytest.raises(RuntimeError, match="killed by signal"):
            said.watcher.own("part", interrupted)
        said.watcher.own("part", lambda: None)
    assert not said.records("trouble")


def exits(kept: Journal, failed: Any) -> Exits:
    return Exits(kept, lambda: 3, failed, lambda: None)


def the_end(raised: BaseException) -> tuple[Any, ...]:
    """The arguments of the audit event that tells of an uncaught exception."""
    return sys.excepthook, type(raised), raised, None


@pytest.mark.usefixtures("handler")
def test_a_handler_that_raises_while_the_end_is_written_down_leaves_the_traceback_to_python() -> None:
    kept, records = journal()
    lost = ConnectionResetError("of the worker")
    exits(kept, lambda error: interrupted()).heard("sys.excepthook", the_end(lost))
    first, late = [one for one in records if one["kind"] == "exception"]
    assert (first["type"], late["type"]) == ("ConnectionResetError", "RuntimeError")
    assert "ConnectionResetError: of the worker" in late["traceback"]
    assert "killed by signal" in late["traceback"]


@pytest.mark.usefixtures("handler")
def test_an_end_that_no_signal_interrupts_is_one_exception() -> None:
    kept, records = journal()
    exits(kept, lambda error: None).heard("sys.excepthook", the_end(ValueError("boom")))
    assert [one["type"] for one in records if one["kind"] == "exception"] == ["ValueError"]
