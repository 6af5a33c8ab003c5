"""What the lines of one log say together."""

from __future__ import annotations

from pathlib import Path

import pytest

from traindx.engine.kb.knowledge import Knowledge
from traindx.probes.inputs import Input, Kind
from traindx.probes.logs import LogProbe

from .conftest import Reads


def test_rows_without_a_name_give_way_to_a_log_that_names_its_loss(
    knowledge: Knowledge, tmp_path: Path
) -> None:
    (tmp_path / "rows.txt").write_text("".join(f"{n} {(9 - n % 3) / (n + 1)}\n" for n in range(40)))
    (tmp_path / "train.log").write_text("".join(f"step {n} loss {3 - n / 20}\n" for n in range(20)))
    inputs = [Input(one.name, Kind.LOG, one) for one in sorted(tmp_path.iterdir())]
    found = {one.name: one.value for one in LogProbe(inputs, knowledge).run().facts}
    assert found["loss.first"] == 3.0


def test_the_terms_of_a_loss_in_the_cell_of_a_table_are_added(read: Reads) -> None:
    run = read(
        "Step      Train loss              Test loss               Test metric\n"
        "0         [9.00e-01, 4.00e-01]    [9.45e-01, 4.00e-01]    [1.00e+00]\n"
        "1000      [4.00e-01, 1.00e-01]    [4.50e-01, 1.00e-01]    [6.80e-01]\n"
    )
    names = ("loss.first", "loss.last", "loss.eval.last", "log.steps")
    assert [run[name] for name in names] == pytest.approx([1.3, 0.5, 0.55, 1000])


def test_an_address_in_parentheses_is_no_number(read: Reads) -> None:
    assert read("node-1 (10.0.0.1): step 10 loss 0.4\n")["loss.last"] == 0.4


def test_a_log_on_which_the_reader_breaks_takes_no_other_with_it(
    knowledge: Knowledge, monkeypatch: pytest.MonkeyPatch
) -> None:
    def breaks(probe: LogProbe, source: Input) -> tuple[str, int, Kind]:
        if source.name == "odd.log":
            raise ZeroDivisionError("division by zero")
        return whole(probe, source)

    whole = LogProbe._read_log
    monkeypatch.setattr(LogProbe, "_read_log", breaks)
    inputs = [Input(name, Kind.LOG, data=b"step 1 loss 0.5\n") for name in ("odd.log", "train.log")]
    found = LogProbe(inputs, knowledge).run()
    assert ("loss.last", 0.5) in [(one.name, one.value) for one in found.facts]
    assert [one.note for one in found.inputs if one.bad] == [
        "reading it broke, a fault of traindx: ZeroDivisionError: division by zero"
    ]


def test_the_number_of_a_part_belongs_to_the_name(read: Reads) -> None:
    lines = "".join(f"step {n}0 loss 2.{n}\n  optim/LR (group 0)={n}.5E-06\n" for n in range(1, 9))
    assert read(lines)["log.lr.max"] == 8.5e-6


@pytest.mark.parametrize(
    ("rate", "one_digit"),
    [
        ("0.0001", True),
        ("0.001", True),
        ("0.00010", False),
        ("1e-04", False),
        ("0.1", False),
        ("0.1000", False),
    ],
)
def test_a_rate_with_a_single_digit_behind_zeros_may_have_moved_unseen(
    read: Reads, rate: str, one_digit: bool
) -> None:
    run = read("".join(f"epoch {n} lr {rate} loss {2 / n:.4f}\n" for n in range(1, 6)))
    assert (run["log.lr.constant"], run["log.lr.one_digit"]) == (True, one_digit)


@pytest.mark.parametrize(
    "heading",
    [
        "***** Running training *****\n  Num examples = 833\n  Total optimization steps = 40\n",
        "Hyperparameters:\n  lr: 0.1\n  epochs: 40\n  steps: 1000\n",
        "Arguments\nlr ........ 0.1\nsteps ........ 40\n",
        "--lr 0.1\n--steps 40\n",
    ],
)
@pytest.mark.parametrize(
    ("line", "last"),
    [
        ("Epoch {0}: loss 2.{0}\n", 2.8),
        ("step: {0} loss: 2.{0} lr: 0.001\n", 2.8),
        ("Train Epoch: {0} [0/60000 (0%)]\tLoss: 2.{0}\n", 2.8),
        ("Steps:  {0}%|#   | {0}/40 [00:10<16:10,  1.58it/s, lr=0.0001, step_loss=2.{0}]\n", 2.8),
        ("epoch: {0} train loss: nan\n", None),
    ],
)
def test_what_follows_a_heading_of_settings_is_read(
    read: Reads, heading: str, line: str, last: float | None
) -> None:
    run = read(heading + "".join(line.format(n) for n in range(1, 9)))
    assert (run["loss.last"], run["loss.nonfinite"]) == (last, last is None)
    assert not run.note


BANNER = "***** Running training *****\n  Num examples = 833\n  Total optimization steps = 1500\n"
BARS = "".join(
    f"Steps:  {n}%|#   | {n}0/1500 [00:10<16:10,  1.58it/s, lr=0.0001, step_loss=0.{n}]\n"
    for n in range(1, 9)
)


@pytest.mark.parametrize(
    ("text", "trainer"),
    [
        (BANNER, "transformers"),
        (BANNER + BARS, "diffusers"),
        (BANNER + "{'loss': 2.1, 'grad_norm': 1.5, 'learning_rate': 1e-05, 'epoch': 0.1}\n", "transformers"),
    ],
)
def test_a_banner_that_others_print_too_names_no_trainer_beside_lines_of_its_own(
    read: Reads, text: str, trainer: str
) -> None:
    assert read(text)["log.trainer"] == trainer


def test_settings_that_count_steps_and_name_a_loss_are_settings(read: Reads) -> None:
    run = read("Hyperparameters:\n  epochs: 40\n  steps: 1000\n  loss: mse\n  label_loss: 0.5\n")
    assert run["loss.last"] is None


def test_validation_is_kept_apart(read: Reads) -> None:
    run = read("Epoch 1 train_loss 0.5 val_loss 0.9\nEpoch 2 train_loss 0.4 val_loss 0.8\n")
    assert (run["loss.last"], run["loss.eval.last"]) == (0.4, 0.8)


def test_the_first_batch_waits_for_workers_and_says_nothing_of_the_loader(read: Reads) -> None:
    first = "Epoch: [0][ 0/500]\tTime 5.200 (5.200)\tData 4.900 (4.900)\tLoss 6.9000 (6.9000)\n"
    later = "Epoch: [0][10/500]\tTime 0.200 (0.650)\tData 0.100 (0.540)\tLoss 6.8000 (6.8500)\n"
    assert read(first)["log.speed.data_share"] is None
    assert read(first + later)["log.speed.data_share"] == pytest.approx(0.5)


@pytest.mark.parametrize(
    "line",
    [
        "Epoch {0}: 100%|█████| 469/469 [05:53<00:00, {2:.2f}it/s, loss=0.3]\n",
        "epoch {0} loss 0.3 epoch_time: {1:.1f}\n",
        "Epoch {0}/3\n469/469 [=====] - {1:.0f}s {1}s/step - loss: 0.3\n",
    ],
)
def test_the_first_epoch_is_compared_with_later_ones(read: Reads, line: str) -> None:
    times = (400.0, 100.0, 100.0)
    log = "".join(line.format(epoch, time, 469 / time) for epoch, time in enumerate(times, 1))
    assert read(log)["log.speed.first_epoch_slower"] == pytest.approx(4.0, rel=0.05)
    assert read(log[: len(log) // 3])["log.speed.first_epoch_slower"] is None


def test_a_count_of_all_is_a_score_and_no_step(read: Reads) -> None:
    run = read("Test set: Average loss: 2.3026, Accuracy: 1028/10000 (10%)\n")
    assert (run["log.eval_accuracy.last"], run["log.steps"]) == (0.1028, None)


def test_the_training_loss_of_the_first_epoch(read: Reads) -> None:
    lines = "".join(f"epoch {n} loss 0.{9 - n} val_loss 1.{n}\n" for n in range(1, 6))
    assert read(lines)["loss.first_epoch"] == 0.8
    assert read(lines[lines.index("epoch 2") :])["loss.first_epoch"] is None


def test_training_first_printed_late_says_nothing_of_the_start(read: Reads) -> None:
    run = read("val_loss: 4.6\nval_loss: 4.1\nval_loss: 5.0\ntrain_loss: 0.1\nval_loss: 6.4\n")
    assert run["loss.gap_from_start"] is None


@pytest.mark.parametrize(("lowest", "zero"), [(0.0, True), (0.4, False)])
def test_a_class_that_is_never_learnt(read: Reads, lowest: float, zero: bool) -> None:
    line = "2024-01-20 22:11:{0}.4: train_loss -0.{0}\n2024-01-20 22:11:{0}.5: Pseudo dice [0.9, {1}, nan]\n"
    run = read("".join(line.format(second, lowest) for second in range(10, 30)))
    assert run["log.eval_accuracy.class_zero"] is zero
    assert run["log.eval_accuracy.last"] == pytest.approx((0.9 + lowest) / 2)


@pytest.mark.parametrize(("ends", "won"), [((0.001, 9.0), True), ((0.25, 2.1), False)])
def test_a_discriminator_that_wins(read: Reads, ends: tuple[float, float], won: bool) -> None:
    line = "(epoch: 1, iters: {}, time: 0.1, data: 0.1) G_GAN: {:.3f} G_L1: 20.0 D_real: {:.3f} D_fake: {:.3f} \n"
    log = "".join(
        line.format(n, 2 + (ends[1] - 2) * n / 40, *2 * [ends[0] if n > 9 else 0.5]) for n in range(40)
    )
    run = read(log)
    assert (run["log.discriminator_won"], run["loss.nonfinite"], run["loss.trend"]) == (won, False, None)


@pytest.mark.parametrize(
    ("line", "won"),
    [
        ("step {n} gen_loss: {up:.3f} dis_loss: {down:.4f}\n", True),
        ("step {n} g_loss: {up:.3f} dis_loss: {down:.4f}\n", None),  # of a teacher, maybe
        ("step {n} rec_loss: 0.1 g_loss: {up:.3f} disc_loss: 0.0000\n", False),  # begins later
    ],
)
def test_what_is_no_discriminator_does_not_win(read: Reads, line: str, won: bool | None) -> None:
    run = read("".join(line.format(n=n, up=1 + n / 5, down=0.6 if n < 9 else 0.001) for n in range(40)))
    assert run["log.discriminator_won"] is won


@pytest.mark.parametrize("rate", ["it/s", "tok/s", "samples/sec", "s/it", "ms"])
def test_a_unit_before_its_number_takes_none_from_the_name_before(read: Reads, rate: str) -> None:
    lines = "".join(f"step {n} loss {3 - n / 9:.2f} {rate} 12.5 eta 01:20\n" for n in range(1, 9))
    run = read(lines + f"step 9 loss nan {rate} 12.5 eta 00:00\n")
    assert (run["loss.first"], run["loss.first_nonfinite_step"]) == (2.89, 9)
