"""A log that is silent for hours before what ended the run belongs to a run that stood still."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from .conftest import Reads

START = datetime(2024, 2, 19, 23, 50)


def dated(minutes: float, text: str) -> str:
    return f"[{START + timedelta(minutes=minutes):%Y-%m-%d %H:%M:%S}] {text}\n"


def training(steps: int = 40, every: float = 0.2) -> str:
    return "".join(dated(n * every, f"step {n}/20000 loss {2 / n:.4f}") for n in range(1, steps + 1))


def test_the_time_from_the_last_step_to_the_end_is_told_over_midnight(read: Reads) -> None:
    run = read(training() + dated(68, "CUDA out of memory. Tried to allocate 2.00 GiB"))
    assert run["log.silent_minutes"] == pytest.approx(60)
    assert run["log.silent_ratio"] == pytest.approx(300)


def test_a_run_that_ends_at_work_was_silent_no_longer_than_usual(read: Reads) -> None:
    run = read(training(every=30) + dated(1230, "CUDA out of memory. Tried to allocate 2.00 GiB"))
    assert (run["log.silent_minutes"], run["log.silent_ratio"]) == (30, 1)


@pytest.mark.parametrize(
    "log",
    [
        pytest.param(
            training() + "CUDA out of memory. Tried to allocate 2.00 GiB\n", id="the end has no date"
        ),
        pytest.param(
            "".join(f"step {n} loss {2 / n:.4f}\n" for n in range(1, 40))
            + dated(60, "CUDA out of memory. Tried to allocate 2.00 GiB"),
            id="the steps have none",
        ),
        pytest.param(
            training() + dated(68, "all done") + dated(68, "my run is broken"), id="nothing ended the run"
        ),
        pytest.param(
            training() + "[2024-02-31 10:00:00] CUDA out of memory. Tried to allocate 2.00 GiB\n",
            id="there is no such day",
        ),
    ],
)
def test_without_both_dates_nothing_is_told(read: Reads, log: str) -> None:
    assert read(log)["log.silent_minutes"] is None
