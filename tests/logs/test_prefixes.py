"""What stands before and behind the lines of a run: launchers, ranks, returns."""

from __future__ import annotations

import pytest

from .conftest import Reads

STEP = "{{'loss': {:.3f}, 'grad_norm': 1.1, 'learning_rate': 1e-05, 'epoch': {:.2f}}}\n"


def test_an_epoch_in_brackets_is_no_process(read: Reads) -> None:
    run = read("".join(f"[Epoch:{epoch}] val_loss:{4 + epoch} | val_pp:90\n" for epoch in range(1, 5)))
    assert (run["loss.eval.count"], run["log.ranks"]) == (4, None)


def test_lines_ended_by_several_returns_keep_their_numbers(read: Reads) -> None:
    run = read(
        b"starting\r\r\nready\r\r\n{'loss': 2.5, 'epoch': 0.1}\r\r\n{'loss': 2.25, 'epoch': 0.2}\r\r\n"
    )
    assert (run["loss.first"], run["loss.last"]) == (2.5, 2.25)
    assert run.place("loss.last").line == 4


def test_numbers_of_one_kind_of_line_keep_their_lines_whether_read_with_care_or_at_once(read: Reads) -> None:
    step = "iter {}: loss {}, time 90.{}ms, mfu 30.{}%\n"
    run = read("".join(step.format(n, 9 - n / 100, n, n) for n in range(1, 400)))
    assert (run.place("loss.first").line, run.place("loss.last").line) == (1, 399)
    assert run.place("loss.last").step == 399


@pytest.mark.parametrize(
    "prefix",
    [
        "(RayTrainWorker pid=4711, ip=10.0.0.2) ",
        "[1,0]<stdout>:",
        "[default0]:",
        "[rank0]: ",
    ],
)
def test_what_launchers_put_before_a_line_does_not_hide_it(read: Reads, prefix: str) -> None:
    log = STEP.format(2.5, 0.1) + STEP.format(2.25, 0.2) + "torch.OutOfMemoryError: CUDA out of memory.\n"
    run = read("".join(prefix + line for line in log.splitlines(keepends=True)))
    assert (run["loss.first"], run["loss.last"]) == (2.5, 2.25)
    assert run["log.exception.type"] == "torch.OutOfMemoryError"


def test_the_task_numbers_of_srun_are_ranks(read: Reads) -> None:
    lines = (f"{rank}: {STEP.format(3 - n / 10 + rank, n / 10)}" for n in range(4) for rank in range(3))
    run = read("".join(lines))
    assert (run["loss.first"], run["loss.count"], run["log.ranks"]) == (3.0, 4, 3)


def test_between_them_the_scheduler_may_write_lines_of_its_own(read: Reads) -> None:
    lines = (f"{rank}: {STEP.format(3 - n / 10 + rank, n / 10)}" for n in range(4) for rank in range(2))
    end = "slurmstepd: error: *** STEP 88123.0 ON node017 CANCELLED AT 2026-11-03T02:44:47 ***\n"
    run = read(
        "+ srun --label python train.py\n" + "".join(lines) + "srun: error: node018: task 1: Killed\n" + end
    )
    assert (run["loss.first"], run["loss.count"], run["log.ranks"]) == (3.0, 4, 2)
    assert run["log.steps"] != 88123
