"""What a line without a known format says: which of its numbers are losses, steps and rates."""

from __future__ import annotations

import pytest

from .conftest import Reads


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("epoch 1 [ 200/ 412] loss=9.64", 9.64),
        ("Average training loss: -0.26", -0.26),
        ("iter=50 train_loss=0.78", 0.78),
        ("Epoch 5 | train loss 0.3 | val loss 0.5", 0.3),
        ("step 3: loss tensor(1.25, device='cuda:0')", 1.25),
        ("loss: np.float64(1.8)", 1.8),
        ("step 7 loss 1,234.5", 1234.5),
        ("2024-03-01 10:00:00 INFO loss: 0.7 (eta 0:12:30)", 0.7),
        ("Cost after iteration 100: 0.693147", 0.693147),
        ("Loss for epoch 3/10 = 0.41, lr 0.1", 0.41),
        ("Epoch 1 Train Loss: 2,0650 Val Loss: 2,0850", 2.065),
        ("ep 0 | 50/430 | ctc 5.848 | gnorm 3.84 | lr 4.02e-05", 5.848),
    ],
)
def test_a_trainer_nobody_knows_is_read(read: Reads, line: str, value: float) -> None:
    assert read(f"{line}\n")["loss.first"] == value


@pytest.mark.parametrize(
    "line",
    [
        "loss function: 2 terms",
        "saved loss_12.pt",
        "version loss 1.2.3",
        "loss-2024-03-01.log opened",
        "no loss here",
        "Best loss at epoch 3: 0.3",
        "Loss at iteration 40, lr=0.1",
        "loss: 0,12,40",
        "losses: 2,0650,1",
        "'optimizer=auto' found, ignoring 'loss0=0.01' and determining it",
    ],
)
def test_what_only_looks_like_a_loss_is_none(read: Reads, line: str) -> None:
    assert read(f"{line}\n")["loss.first"] is None


SPLITS = (
    ("fold 1 ep {} | trn {:.4f} | val {:.4f} | auc 0.7773 | lr 2.0e-03", True),
    ("{}  train {:.4f} / valid {:.4f}  (best 2.0850)", True),
    ("[{}] train {:.4f} valid {:.4f}", True),
    ("10.0.0.{} train {:.4f} / valid {:.4f}", False),
    ("2024-05-03 10:20:{} train {:.4f} / valid {:.4f}", False),
    ("v2.{} train {:.4f} / valid {:.4f}", False),
    ("{} seconds: train {:.4f}, valid {:.4f}", False),
)


@pytest.mark.parametrize(("form", "is_loss"), SPLITS)
def test_numbers_of_training_and_validation_behind_a_count_are_losses(
    read: Reads, form: str, is_loss: bool
) -> None:
    run = read("".join(form.format(n, 2 / (n + 1), 3 / (n + 1)) + "\n" for n in range(10, 40)))
    assert (run["loss.count"], run["loss.eval.count"]) == ((30, 30) if is_loss else (None, None))


def test_the_date_of_a_launchers_line_is_no_epoch(read: Reads) -> None:
    run = read(
        "step 1/100 loss 2.5\nE0711 08:30:11.120000 11 torch/distributed/elastic/api.py:869] failed (pid: 812)\n"
        "step 2/100 loss 2.4\n"
    )
    assert (run["log.epochs"], run["log.steps"]) == (None, 2)


def noisy(count: int, index: int) -> str:
    return f"{count:>7}  {2 / (1 + index) + (index * 7 % 5) / 100:.5f}\n"


@pytest.mark.parametrize(
    "lines",
    [
        [noisy(500 * (n + 1), n) for n in range(40)],
        [f"{n * 100}: {2 / (1 + n) + (n * 7 % 5) / 100:.5f}\n" for n in range(40)],
        [f"{n * 100 + 99} {1500 * 0.7**n + 8.9}\n" for n in range(20)],
        [f"{n} {2 / (1 + n) + (n * 7 % 5) / 100:.5f}\n" for n in range(1, 30)],
    ],
    ids=["padded", "colon", "smooth", "each step"],
)
def test_a_count_and_a_number_that_falls_are_steps_and_a_loss(read: Reads, lines: list[str]) -> None:
    run = read("".join(lines))
    assert (run["loss.count"], run["loss.trend"]) == (len(lines), "falling")


@pytest.mark.parametrize(
    "lines",
    [
        [f"{n} {1 / n:.4f}\n" for n in range(1, 30)],
        [f"{2**n} {2 / (1 + n) + (n * 7 % 5) / 100:.5f}\n" for n in range(20)],
        [f"{n * 100} {0.1 - n * 0.002:.5f}\n" for n in range(40)],
        [f"{n * 100} {0.1 if n < 20 else 0.01:.5f}\n" for n in range(40)],
        [f"{n * 100} {0.5 + n / 100:.5f}\n" for n in range(40)],
        [noisy(500 * (n + 1), n) + "other\n" * 5 for n in range(40)],
        [noisy(n, n) + f"step {n} reward {n}.0\n" for n in range(40)],
    ],
    ids=["ranks", "sizes", "a rate", "a stepped rate", "rising", "scattered", "beside a reward"],
)
def test_tables_of_other_things_are_no_losses(read: Reads, lines: list[str]) -> None:
    assert read("".join(lines))["loss.count"] is None


def test_a_rate_that_is_warmed_up_and_decays_is_no_loss(read: Reads) -> None:
    rates = [*range(1, 6), *range(30, 0, -1)]
    assert read("".join(f"{n} {rate / 10}\n" for n, rate in enumerate(rates)))["loss.last"] is None


def test_readings_that_go_up_and_down_are_no_loss(read: Reads) -> None:
    assert read("".join(f"{n} {21 - (n * 7 % 5) / 10}\n" for n in range(40)))["loss.last"] is None
