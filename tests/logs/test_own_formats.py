"""Lines of scripts of one's own, as people print them."""

from __future__ import annotations

import time

import pytest

from .conftest import Reads


@pytest.mark.parametrize(
    ("line", "epoch"),
    [
        ("Epoch{0} loss={1} val_loss={2}\n", 12.0),
        ("ep{0} it50/332 loss={1} val_loss={2}\n", 12.0),
        ("E{0} loss={1} val_loss={2}\n", 12.0),
        ("e{0}/30 loss {1} val loss {2}\n", 12.0),
        ("fold0_ep{0} loss={1} val_loss={2}\n", 12.0),
        ("Epoch {0} | Train: {1} | Val: {2} | 12.3s\n", 12.0),
        ("epoch {0}: train {1}, val {2}, acc 0.5\n", 12.0),
        ("第{0}轮 训练损失: {1} 验证损失: {2} 准确率: 47.54%\n", 12.0),
        ("Epoch {0} -> tr_loss: {1} | va_loss: {2}\n", 12.0),
    ],
)
def test_losses_and_epochs_are_read(read: Reads, line: str, epoch: float) -> None:
    run = read("".join(line.format(n, f"{3 - n / 5:.4f}", f"{3 - n / 6:.4f}") for n in range(1, 13)))
    assert (run["loss.count"], run["loss.first"], run["loss.last"]) == (12, 2.8, 0.6)
    assert (run["loss.eval.last"], run["log.epochs"]) == (1.0, epoch)


def test_a_drawn_table_is_read(read: Reads) -> None:
    head = "┏━━━━━━━┳━━━━━━━━━━━━┳━━━━━━━━━━┓\n┃ Epoch ┃ Train Loss ┃ Val Loss ┃\n┡━━━━━━━╇━━━━━━━━━━━━╇━━━━━━━━━━┩\n"
    run = read(head + "".join(f"│     {n} │     0.{90 - n} │   0.{95 - n} │\n" for n in range(5)))
    assert (run["loss.last"], run["loss.eval.last"], run["log.epochs"]) == (0.86, 0.91, 4.0)


@pytest.mark.parametrize(
    "line",
    [
        "Epoch {0} | train: 0.{1} | val: 0.{1}\n",
        "Epoch {0} | accuracy | train 0.{2} | val 0.{2}\n",
        "Epoch {0} time | train 12.{2} | val 3.{2}\n",
        "Epoch {0} | train: 12.{2}s | val: 3.{2}s\n",
        "epoch {0} train: 8012 val: 2003\n",
        "epoch {0} train 0.8 val 0.1 test 0.1\n",
    ],
)
def test_numbers_of_which_nothing_says_that_they_are_losses_are_none(read: Reads, line: str) -> None:
    run = read("".join(line.format(n, 40 + n, 90 - n) for n in range(1, 13)))
    assert (run["loss.count"], run["loss.eval.count"]) == (None, None)


def test_losses_of_steps_ahead_keep_their_names(read: Reads) -> None:
    run = read("".join(f"iter {n} step1 loss 0.{90 - n} step2 loss 0.{50 - n}\n" for n in range(10, 30)))
    assert (run["loss.last"], run["log.steps"]) == (0.61, 29)


def test_a_decimal_comma_is_no_thousand(read: Reads) -> None:
    run = read("Epoch 1 Train Loss: 0,3077 Val Loss: 1,5131\nEpoch 2 Train Loss: 1,234.5\n")
    assert run["loss.max"] == 1234.5
    assert (run["loss.first"], run["loss.eval.first"]) == (0.3077, 1.5131)


def test_of_several_losses_that_of_the_discriminator_does_not_stand_for_the_run(read: Reads) -> None:
    line = "step {0} loss_disc: 2.6 loss_gen: 2.1 loss_mel: {1} loss_feat: 3.9\n"
    run = read("".join(line.format(n, 70 - n) for n in range(1, 41)))
    assert (run["loss.first"], run["loss.last"], run["loss.trend"]) == (69.0, 30.0, "falling")


@pytest.mark.parametrize(
    ("name", "values", "known"),
    [
        ("train_nll", (1.2, -0.4, -2.3), True),
        ("nll_loss", (-0.1, -0.4, -0.9), None),
        ("loss", (1.2, -0.4, -2.3), None),
    ],
)
def test_a_likelihood_may_be_below_zero(
    read: Reads, name: str, values: tuple[float, ...], known: bool | None
) -> None:
    run = read("".join(f"epoch {n} {name} {value}\n" for n, value in enumerate(values, 1)))
    assert (run["loss.negative"], run["loss.of_density"]) == (True, known)


def test_bars_that_come_long_after_losses_count_no_steps(read: Reads) -> None:
    losses = "".join(f"loss: {3 - n / 50}, epoch: {n / 20}\n" for n in range(1, 41))
    bar = "device 0: 100%|##########| 128/128 [00:41<00:00,  3.1it/s]\n"
    run = read(losses + bar + "loss: 2.1, epoch: 2.0\n")
    assert (run["log.steps"], run["log.total_steps"]) == (None, None)


def test_a_run_that_may_have_ended_between_two_prints_does_not_end_midway(read: Reads) -> None:
    lines = [
        f"Epoch [{epoch}/30], Step [{step}/150], Loss: 0.5\n" for epoch in range(1, 31) for step in (50, 100)
    ]
    run = read("".join(lines))
    assert (run["log.finished"], run["log.ends_midway"]) == (None, None)
    assert read("".join(lines[:40]))["log.ends_midway"] is True


def test_steps_of_an_epoch_do_not_say_how_far_the_run_came(read: Reads) -> None:
    run = read("".join(f"epoch {n} step {s} loss 0.5\n" for n in range(6) for s in (0, 50, 100)))
    assert (run["log.steps"], run["log.epochs"]) == (None, 5.0)


def test_a_pair_of_endless_digits_is_no_position(read: Reads) -> None:
    run = read(
        "".join(f"bar {n}/9 loss {n}.5\n" for n in range(1, 5)) + f"bar {'1' * 5000}/{'2' * 5000} loss 5.5\n"
    )
    assert run["loss.last"] == 5.5


def test_many_words_with_their_numbers_take_no_time(read: Reads) -> None:
    words = " ".join(f"ep{n}" for n in range(1500))
    start = time.process_time()
    run = read("".join(f"step {n} loss 0.5 {words}\n" for n in range(1, 4)))
    assert time.process_time() - start < 2
    assert run["log.steps"] == 3
