"""What of the numbers that a log counts up is the step of training."""

from __future__ import annotations

import pytest

from traindx.probes.inputs import Kind

from .conftest import Reads

ITERATION = """                       Learning iteration {0}/1500
                       Computation: 97632 steps/s (collection: 0.907s, learning 0.163s)
          Mean value_function loss: 0.{1}
                       Mean reward: {1}.5
                   Total timesteps: {2}
                    Iteration time: 1.07s
"""
SHORT = "INFO 2025-07-14 0{0}:00:00 ts/train.py:232 step:{0}K smpl:8K ep:1K epch:{0}.50 loss:0.{0} grdn:2.5 lr:1.0e-05 updt_s:0.100 data_s:0.300\n"


def test_the_steps_of_environments_are_none_where_iterations_are_counted(read: Reads) -> None:
    run = read("".join(ITERATION.format(n, 10 + n, 98304 * (n + 1)) for n in range(60)))
    assert (run["log.steps"], run["log.total_steps"]) == (59, 1500)
    assert (run["log.speed.steps_per_second"], run["log.speed.slowdown"]) == (1 / 1.07, 1.0)


def test_they_are_where_nothing_else_is_counted(read: Reads) -> None:
    rows = "|    ep_rew_mean     | {0}    |\n|    total_timesteps | {1} |\n"
    run = read("".join(rows.format(20 + n, 1280 * n) for n in range(1, 6)))
    assert run["log.steps"] == 6400


def test_of_iterations_and_steps_in_one_line_the_steps_count(read: Reads) -> None:
    line = "Epoch 1 | iter {0} step {1} | loss train: 2.5, val: n/a | iter time: 200.00 ms\n"
    run = read("".join(line.format(n, n // 4) for n in range(1, 41)) + "iter 40: val loss 2.5\n")
    assert (run["log.steps"], run.place("loss.eval.last").step) == (10, 10)


def test_counts_that_are_printed_short_are_read_in_full(read: Reads) -> None:
    run = read("".join(SHORT.format(n) for n in range(1, 9)))
    assert (run["log.steps"], run["log.epochs"], run["grad.norm.last"]) == (8000, 8.5, 2.5)
    assert run["log.speed.data_share"] == pytest.approx(0.75)


def test_the_pair_of_a_bar_counts_and_not_one_in_its_label(read: Reads) -> None:
    bar = "Episode [1/1]:  {0}%|###   | {0}/157 [20:22<01:22, 31.2s/it, policy_loss=-0.006, kl=4.67, reward=4.9]\n"
    run = read("".join(bar.format(n) for n in range(1, 31)))
    assert (run["log.steps"], run["log.total_steps"]) == (30, 157)


@pytest.mark.parametrize(
    "line",
    [
        "WARNING: 1/32 samples got nan grad. These were ignored for CTC loss.\n",
        "Sorting with sampler... if slow, check the durations: 100%|####| 12000/12000 [00:00<00:00, 8.0it/s]\n",
        "trainer: task=detect, mode=train, model=yolov8m.pt, data=/data/a.yaml, epochs=150, batch=8, imgsz=640, mosaic=0.0\n",
    ],
)
def test_what_counts_other_things_is_no_step(read: Reads, line: str) -> None:
    assert read(f"{line}loss 2.0\n")["log.steps"] is None


def test_a_row_that_says_its_epoch_alone_has_no_step(read: Reads) -> None:
    rows = "".join(f"{epoch},{3 - epoch / 10},0.0{epoch}\n" for epoch in range(1, 10))
    run = read("epoch,train/loss,lr/pg0\n" + rows + "10,nan,0.01\n", Kind.RECORDS)
    assert (run["log.steps"], run["log.epochs"], run["loss.first_nonfinite_step"]) == (None, 10.0, None)
    assert run["loss.nonfinite_from_start"] is False


def test_the_last_words_of_a_trainer_do_not_say_when_the_loss_broke(read: Reads) -> None:
    run = read("INFO:tensorflow:Graph was finalized.\nERROR:tensorflow:Model diverged with loss = NaN.\n")
    assert (run["loss.nonfinite"], run["loss.nonfinite_from_start"]) == (True, None)


def test_a_first_epoch_that_is_nan_is_one_from_the_start(read: Reads) -> None:
    assert read("Epoch 1/30 - loss: nan - accuracy: 0.1\n")["loss.nonfinite_from_start"] is True


def test_a_peak_of_the_rate_between_the_points_that_are_kept_is_no_trouble(read: Reads) -> None:
    lines = [f"step {step} | loss 2.0 | lr {1e-4 if step == 14_001 else 5e-5}" for step in range(30_000)]
    run = read("\n".join(lines) + "\n")
    assert run["log.lr.max"] == 1e-4
