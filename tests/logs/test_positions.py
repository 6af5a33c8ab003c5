"""Where the run is: which numbers of a log are its steps, and which are none."""

from __future__ import annotations

import pytest

from .conftest import Reads

BAR = "steps: {0:3d}%|####      | {0}/100 [02:00<02:00,  1.98s/it, avr_loss=0.{1}]\n"
LOSS = "{{'loss': {0}, 'epoch': {1}}}\n"


def test_a_bar_of_the_whole_run_counts_on_through_the_epochs(read: Reads) -> None:
    epochs = (
        f"epoch {epoch}/5\n" + "".join(BAR.format(20 * epoch - 20 + n, n + 10) for n in range(1, 21))
        for epoch in range(1, 6)
    )
    run = read("".join(epochs))
    assert (run["log.steps"], run["log.total_steps"], run["log.epochs"]) == (100, 100, 5.0)
    assert run.place("loss.last").step == 100


def test_one_that_begins_anew_counts_within_its_epoch(read: Reads) -> None:
    epochs = (f"epoch {epoch}/5\n" + "".join(BAR.format(n, n) for n in range(10, 101, 5)) for epoch in (1, 2))
    assert read("".join(epochs))["log.steps"] == 200


def test_the_bar_of_an_evaluation_is_none_of_training(read: Reads) -> None:
    bar = "{0:3d}%|####      | {0}/{1} [01:00<01:00,  1.50it/s]\n"
    training = "".join(bar.format(n, 60) + LOSS.format(2 - n / 100, n / 30) for n in range(1, 61))
    run = read(
        training + "".join(bar.format(n, 8) for n in range(1, 8)) + "{'eval_loss': 1.9, 'epoch': 2.0}\n"
    )
    assert (run["log.steps"], run["log.total_steps"]) == (60, 60)
    assert run.place("loss.eval.last").step == 60


def test_a_bar_of_epochs_counts_those_that_are_over(read: Reads) -> None:
    step = "step: {0:3d}%|####      | {0}/40 [01:00<01:00,  4.90s/it, loss=0.3]\n"
    epoch = "epoch: {0:3d}%|#         | {0}/30 [03:20<2:11:00, 201.11s/it]\n"
    steps = "".join(map(step.format, range(41)))
    run = read(steps + epoch.format(1) + steps + epoch.format(2))
    assert run["log.steps"] == 80
    assert run["log.speed.steps_per_second"] == pytest.approx(1 / 4.9)


def test_the_last_step_counts_where_not_all_are_kept(read: Reads) -> None:
    assert read("".join(f"step {step} loss 2.0\n" for step in range(1, 5001)))["log.steps"] == 5000


@pytest.mark.parametrize(
    "line",
    [
        "UserWarning: The average ratio of batch (13.20) exceeds threshold 10.00. Skipping batch.",
        "Mình fine-tune Whisper cho tiếng Việt, loss giảm đều nhưng WER lại tăng, batch 16, chạy khá lâu.",
        "slurmstepd: error: *** STEP 77120.0 ON node017 CANCELLED AT 2026-11-03T02:44:47 ***",
        "pod-1 slurmstepd: error: *** STEP 77120.0 ON node017 CANCELLED AT 2026-11-03T02:44:47 ***",
        "[node1:0/1] 2026-06-03 12:03:12,101 (trainer:668) WARNING: The grad norm is nan.",
    ],
)
def test_other_numbers_are_no_steps(read: Reads, line: str) -> None:
    run = read(f"{line}\nloss 2.0\nloss 1.9\n")
    assert run["log.steps"] is None
    assert run.place("loss.last").step is None


def test_what_follows_a_number_may_be_the_name_of_the_next(read: Reads) -> None:
    line = "epoch 1 step {0}/4000 loss=2.0 lr={1:.3e} sec/step=0.61\n"
    run = read("".join(line.format(10 * n, n * 4e-7) for n in range(1, 60)))
    assert run["log.speed.steps_per_second"] == pytest.approx(1 / 0.61)
    assert (run["log.speed.slowdown"], run["log.steps"], run["log.lr.first"]) == (1.0, 590, 4e-7)


def test_losses_that_two_readers_read_stand_in_their_order(read: Reads) -> None:
    batch = "[n1:0/1] 2026-06-03 12:00:0{0},101 (trainer:756) INFO: {0}epoch:train:1-250batch: iter_time=8.1e-05, loss={1}, acc=0.1, grad_norm={1}, optim0_lr0=6.2e-06, train_time=0.44\n"
    result = "[n1:0/1] 2026-06-03 12:00:0{0},909 (trainer:365) INFO: {0}epoch results: [train] iter_time=8.2e-05, loss={1}\n"
    lines = [
        line.format(epoch, 9.5 if epoch < 3 else "nan") for epoch in range(1, 9) for line in (batch, result)
    ]
    run = read("".join(lines))
    assert (run["loss.first_nonfinite_point"], run["loss.recovers"]) == (5, False)
    assert run["grad.norm.first"] == 9.5
    assert run["loss.first_nonfinite_step"] is None


def test_a_nan_is_placed_in_its_epoch(read: Reads) -> None:
    line = "Epoch {0}/20 train_loss: {1} val_loss: 0.9\n"
    run = read("".join(line.format(epoch, 0.5 if epoch < 12 else "nan") for epoch in range(1, 15)))
    assert run["loss.first_nonfinite_epoch"] == 12


def test_no_epoch_is_made_up_for_a_nan(read: Reads) -> None:
    steps = read(
        "".join(f"step {step} loss {2.0 if step < 400 else 'nan'}\n" for step in range(100, 700, 100))
    )
    assert (steps["loss.first_nonfinite_step"], steps["loss.first_nonfinite_epoch"]) == (400, None)
    finite = read("".join(f"Epoch {epoch}/20 train_loss: 0.5\n" for epoch in range(1, 15)))
    assert (finite["loss.nonfinite"], finite["loss.first_nonfinite_epoch"]) == (False, None)


def test_a_signature_in_every_line_is_counted_in_all(read: Reads) -> None:
    lines = "".join(f"{{'loss': {2 + n % 10 / 10}}} my run is broken\n" for n in range(1000))
    (event,) = read(lines).findings.events
    assert event.what.endswith("(1000 times)")
    assert (event.place and event.place.line) == 1


def test_a_rate_that_falls_back_does_so_where_it_falls(read: Reads) -> None:
    rates = [n * 1e-6 for n in range(1, 31)] + [n * 1e-6 for n in range(1, 31)]
    run = read("".join(f"step {step} loss 2.0 lr {rate:.2e}\n" for step, rate in enumerate(rates, 1)))
    assert run["log.lr.falls_back"] is True
    assert run.place("log.lr.falls_back").step == 31


def test_where_a_loss_was_measured_may_stand_between_its_name_and_number(read: Reads) -> None:
    losses = enumerate((2.1, 1.9, 1.7, "nan"), 1)
    run = read("".join(f"Loss at iteration {10 * n} : {loss}\n" for n, loss in losses))
    assert (run["loss.nonfinite"], run["loss.first_nonfinite_step"], run["log.steps"]) == (True, 40, 40)


def test_how_much_of_an_epoch_is_over_is_not_its_number(read: Reads) -> None:
    bar = "{0}/50 * Epoch (train): 100% 120/120 [00:58<00:00,  2.06it/s, loss=0.{1}]\n"
    run = read("".join(bar.format(n, 70 - n) for n in (1, 2, 3)))
    assert (run["log.epochs"], run["log.steps"], run["log.total_steps"]) == (3.0, 360, 6000)
    assert run["log.speed.steps_per_second"] == pytest.approx(2.06)


def test_a_rate_may_have_spaces_around_its_stroke(read: Reads) -> None:
    run = read(
        "".join(f"iter: {20 * n} / 70000, total loss: 2.0\nspeed: 10.5s / iter\n" for n in range(1, 6))
    )
    assert run["log.speed.steps_per_second"] == pytest.approx(1 / 10.5)


@pytest.mark.parametrize("label", ["Running loglikelihood requests", "Dropping Long Sequences (>8192)"])
def test_the_bar_of_other_work_counts_no_steps(read: Reads, label: str) -> None:
    found = read(f"{label}: 100%|##########| 56168/56168 [22:11<00:00, 42.18it/s]\n")
    assert "log.steps" not in found.values


def test_a_total_of_minus_one_says_nothing(read: Reads) -> None:
    lines = "".join(f"step:{step} - actor/pg_loss:0.01 - actor/grad_norm:0.3\n" for step in range(1, 9))
    assert read("'total_training_steps': -1,\nTotal training steps: 105\n" + lines)["log.total_steps"] == 105
