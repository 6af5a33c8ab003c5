"""Stages, folds and trials of one log: where one begins, the loss before it is no measure."""

from __future__ import annotations

import pytest

from .conftest import Reads

FALL = "{0} {1} loss {2:.4f}\n"


def falling(word: str, start: float, count: int = 20, first: int = 1) -> str:
    return "".join(FALL.format(word, first + n, start * 0.9**n) for n in range(count))


@pytest.mark.parametrize(
    "line",
    [
        "########## FOLD 2/5 ##########",
        ">>> curriculum: seq_len 64",
        "INFO: Changing loss based on SWA",
        "finetuning",
    ],
)
def test_a_jump_where_a_stage_is_announced_is_no_spike(read: Reads, line: str) -> None:
    run = read(falling("step", 1.0, first=1) + f"{line}\n" + falling("step", 20.0, first=21))
    assert (run["loss.spike"], run["loss.diverging"], run["loss.trend"]) == (False, False, "falling")


def test_without_a_word_it_is_one(read: Reads) -> None:
    assert read(falling("step", 1.0) + falling("step", 20.0, first=21))["loss.spike"] is True


def test_epochs_that_are_counted_anew_begin_a_stage(read: Reads) -> None:
    run = read("".join(falling("epoch", 2.0) for _ in range(3)))
    assert (run["loss.spike"], run["loss.trend"]) == (False, "falling")


def test_a_loop_that_counts_anew_under_another_word_begins_a_stage(read: Reads) -> None:
    run = read(falling("pretrain step", 0.3) + falling("step", 9.0))
    assert (run["loss.spike"], run["loss.trend"]) == (False, "falling")


def test_words_that_take_turns_or_count_on_begin_none(read: Reads) -> None:
    turns = "".join(falling(f"{word} step", 0.5, 5, first) for first in (1, 6) for word in ("head", "body"))
    assert read(turns + falling("step", 20.0, first=1))["loss.spike"] is True
    assert read(falling("warm step", 1.0) + falling("step", 20.0, first=21))["loss.spike"] is True


def test_steps_that_are_counted_anew_begin_a_run_where_the_loss_is_back_too(read: Reads) -> None:
    run = read(falling("step", 2.0) + falling("step", 2.1))
    assert (run["loss.spike"], run["loss.trend"]) == (False, "falling")


def test_steps_that_each_epoch_counts_anew_begin_none(read: Reads) -> None:
    # The loss goes on from where it was, and then leaps.
    rest = "".join(FALL.format("step", 1 + n, 0.2 if n < 10 else 4.0) for n in range(20))
    assert read(falling("step", 2.0) + rest)["loss.spike"] is True


def test_a_run_begun_anew_after_nan_is_no_recovery(read: Reads) -> None:
    broken = falling("step", 2.0, 6) + "".join(f"step {7 + n} loss nan\n" for n in range(3))
    assert read(broken + falling("step", 1.9))["loss.recovers"] is None
    assert read(broken + falling("step", 1.9, first=10))["loss.recovers"] is True


def test_what_diverges_within_its_stage_does(read: Reads) -> None:
    last = "".join(FALL.format("epoch", 1 + n, 0.2 * 1.3**n) for n in range(20))
    assert read(falling("epoch", 2.0) + "Stage 2/2: all layers\n" + last)["loss.diverging"] is True


def test_a_later_stage_that_is_flat_says_nothing_of_the_start(read: Reads) -> None:
    flat = "".join(FALL.format("epoch", 21 + n, 1.9 + n % 2 / 1000) for n in range(20))
    run = read(falling("epoch", 2.0) + "Changing loss based on SWA\n" + flat)
    assert (run["loss.flat_from_start"], run["loss.trend"]) == (False, None)


def test_the_number_of_stages_is_not_that_of_steps(read: Reads) -> None:
    run = read("Stage 2/2: head only, lr 1e-3\n" + falling("epoch", 2.0))
    assert (run["log.steps"], run["log.total_steps"], run["log.epochs"]) == (None, None, 20.0)


def test_the_rate_of_each_trial_is_its_own(read: Reads) -> None:
    trials = (f"Trial {n} started lr={rate}\n" + falling("epoch", 2.0, 10) for n, rate in enumerate(RATES))
    assert read("".join(trials))["log.lr.falls_back"] is not True


RATES = ("1e-02", "1e-04", "1e-02", "1e-04", "1e-02")


def test_a_rate_in_a_banner_is_none_of_the_schedule(read: Reads) -> None:
    banner = "Learning rate (0.002) calculated from base learning rate (0.001) and batch size (1024)\n"
    run = read(banner + "".join(f"step {n} loss {3 - n / 50} lr {n * 2e-5:.2e}\n" for n in range(1, 101)))
    assert (run["log.lr.first"], run["log.lr.max"], run["log.lr.falls_back"]) == (2e-5, 2e-3, False)


def test_one_in_a_dump_of_settings_is_not_read(read: Reads) -> None:
    dump = "{'_name': None, 'fp16': True, 'arch': 'base', 'lr': [0.01], 'a': 1, 'b': 2, 'c': 3, 'd': 4, 'e': None}\n"
    lines = "".join(
        f'{{"loss": "{3 - n / 50}", "num_updates": "{n}", "lr": "{n * 1e-5}"}}\n' for n in range(1, 30)
    )
    assert read(dump + lines)["log.lr.first"] == 1e-5
