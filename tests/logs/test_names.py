"""What printed names mean, and which of them nobody measured."""

from __future__ import annotations

import pytest

from traindx.probes.inputs import Kind

from .conftest import Reads

LINE = "step {0} | loss 0.5 | train acc: {1}\nEpoch(val) | {2}\n"


@pytest.mark.parametrize("name", ["host_mem", "cpu_mem", "rss", "system memory"])
def test_memory_of_the_machine_is_none_of_the_device(read: Reads, name: str) -> None:
    run = read("".join(f"step {n} | loss 2.5 | {name} {60 + 3 * n}.5GB\n" for n in range(1, 61)))
    assert (run["process.memory_growing"], run["log.memory.last_gib"]) == (True, None)


def test_a_unit_in_the_name_says_more_than_the_size_of_the_number(read: Reads) -> None:
    run = read(
        "".join(
            f"step:{n} - actor/grad_norm:0.2 - perf/cpu_memory_used_gb:{230 + 17 * n}.5\n"
            for n in range(1, 48)
        )
    )
    assert run["process.memory_growing"] is True


def test_a_part_of_the_loss_is_no_score(read: Reads) -> None:
    run = read(
        "".join(f"step {n} | PPYoloELoss/loss_iou: 0.{90 - n} | loss: 1.{90 - n}\n" for n in range(20))
    )
    assert (run["log.accuracy.last"], run["log.eval_accuracy.last"]) == (None, None)


def test_errors_in_single_samples_are_none_of_validation(read: Reads) -> None:
    samples = "".join(f'  WER: 0.{n}1\n  loss: 0.8\n  result: "a sample"\n' for n in range(1, 6))
    run = read(
        f"Epoch 3\nTraining loss=12.9 WER: 0.159\n{samples}Validation loss=178.3 WER: 0.512\n{samples}"
    )
    assert (run["log.error_rate.last"], run["log.eval_error_rate.last"]) == (0.159, 0.512)
    assert run["log.eval_error_rate.rising"] is None


def test_errors_without_a_word_about_training_are_of_validation(read: Reads) -> None:
    run = read(
        "".join(f"epoch {n} | loss: {9 - n}.5 | WER: {wer}.0\n" for n, wer in enumerate((44, 31, 33, 38, 41)))
    )
    assert run["log.error_rate.last"] is None
    assert (run["log.eval_error_rate.last"], run["log.eval_error_rate.rising"]) == (0.41, True)


def test_errors_of_another_kind_in_training_are_not_compared(read: Reads) -> None:
    run = read("epoch 1 | train cer: 0.04 | val wer: 0.33\nepoch 2 | train cer: 0.03 | val wer: 0.31\n")
    assert (run["log.error_rate.last"], run["log.eval_error_rate.last"]) == (None, 0.31)


def test_the_row_of_a_class_is_no_score_of_the_run(read: Reads) -> None:
    table = "| Class |  IoU  |  Acc  |\n|  road | 97.61 | 98.61 |\n|  pole | 51.21 | 60.30 |\n"
    assert read(f"step 100 | loss 0.5\n{table}step 200 | loss 0.4\n")["log.accuracy.last"] is None


def test_the_rate_may_be_named_after_the_optimizer(read: Reads) -> None:
    assert read("epoch,lr-AdamW,train_loss\n0,0.03,2.0\n1,0.02,1.5\n", Kind.RECORDS)["log.lr.last"] == 0.02


@pytest.mark.parametrize(("score", "other"), [("coco/bbox_mAP_50: 0.{0}", True), ("val acc: 0.{0}", False)])
def test_different_scores_of_training_and_validation_are_told_apart(
    read: Reads, score: str, other: bool
) -> None:
    run = read("".join(LINE.format(n, f"0.{60 + n}", score.format(50 + n)) for n in range(1, 12)))
    assert run["log.accuracy.of_other_kind"] is other


@pytest.mark.parametrize(
    ("scores", "fell"),
    [
        ([60, 65, 70, 73, 75, 76, 78, 77, 76, 78, 77, 76], False),
        ([60, 65, 70, 75, 78, 78, 77, 74, 71, 69, 67, 66], True),
        ([70, 78, 76], False),
        ([70, 78, 70, 60, 58], True),
    ],
)
def test_validation_falls_where_it_loses_more_than_it_wobbles_by(
    read: Reads, scores: list[int], fell: bool
) -> None:
    run = read("".join(f"epoch {n} | val acc: 0.{score}\n" for n, score in enumerate(scores, 1)))
    fall = run["log.eval_accuracy.fall"]
    assert isinstance(fall, float)
    assert (fall > 0.015) is fell


def test_a_norm_of_zero_beside_a_loss_that_falls_was_not_measured(read: Reads) -> None:
    lines = "step {0} | loss {1} | grad_norm 0.0\n"
    falls = read("".join(lines.format(n, 4 - n / 20) for n in range(1, 41)))
    flat = read("".join(lines.format(n, 4.0) for n in range(1, 41)))
    assert (falls["grad.norm.zero"], flat["grad.norm.zero"]) == (None, True)


def test_a_loss_that_fell_far_is_not_where_it_began(read: Reads) -> None:
    run = read(
        "".join(f"step {n} loss {loss}\n" for n, loss in enumerate([6.9, 5.9, 2.1, 0.2, 0.03, 0.009], 1))
    )
    assert run["loss.near_random"] is False


def test_batches_and_averages_of_epochs_are_no_one_curve(read: Reads) -> None:
    batch = "INFO: {0}epoch:train:{1}-{2}batch: iter_time=2e-04, loss={3}.5, grad_norm=3.1, optim0_lr0=4e-04, train_time=1.8\n"
    epoch = "INFO: {0}epoch results: [train] iter_time=2e-04, loss=9.5, time=51 minutes, [valid] loss=8.5, time=33 seconds\n"
    parts = (
        "".join(batch.format(e, n, n + 99, 9) for n in range(1, 1000, 100)) + epoch.format(e) for e in (1, 2)
    )
    run = read("".join(parts))
    assert (run["loss.count"], run["loss.eval.count"]) == (20, 2)


def test_words_beside_a_measurement_make_it_no_row_of_settings(read: Reads) -> None:
    line = "time=10:00:{0:02} level=info logger=train msg=step host=node1 step={0} loss={1} lr=1e-4 grad_norm=1.0\n"
    run = read("".join(line.format(n, "nan" if n == 40 else 2.5 - n / 100) for n in range(41)))
    assert (run["loss.count"], run["loss.nonfinite"], run["log.steps"]) == (41, True, 40)


@pytest.mark.parametrize("name", ["train/loss={}", "loss/train: {}", "train/loss {}", "Train/Loss={}"])
def test_a_name_with_a_slash_is_no_unit_of_the_number_before_it(read: Reads, name: str) -> None:
    lines = [
        f"epoch={n} {name.format('nan' if n > 5 else 2.5 - n / 10)} val/loss={3 - n / 10:.1f}\n"
        for n in range(9)
    ]
    run = read("".join(lines))
    assert (run["loss.count"], run["loss.nonfinite"], run["loss.eval.nonfinite"]) == (9, True, False)


def test_what_is_compared_was_not_measured(read: Reads) -> None:
    lines = "".join(f"step {n} loss {2.5 - n / 10:.1f}\n" for n in range(9))
    assert read(f"{lines}expected: loss > 0\n")["loss.count"] == 9
    assert read(f"{lines}step 9 loss -> 1.5\n")["loss.count"] == 10
