"""Progress bars and counts: which of them say how far the training is."""

from __future__ import annotations

import pytest

from .conftest import Reads

STEP = "{{'loss': {:.3f}, 'grad_norm': 1.1, 'learning_rate': 1e-05, 'epoch': {:.2f}}}\n"


def test_the_step_comes_from_the_bar_before_the_line(read: Reads) -> None:
    run = read(" 12%|█▏        | 60/500 [02:52<20:47,  2.84s/it]\n" + STEP.format(2.0, 0.3))
    place = run.fact("loss.first").place
    assert place is not None
    assert (place.line, place.step) == (2, 60)


def test_redrawn_bars_count_as_one_line(read: Reads) -> None:
    bars = "".join(f"\r{done}%|█ | {done}/100 [00:01<00:02, 5.00it/s]" for done in range(1, 9))
    place = read(f"{bars}\nstep 9 loss 1.5\n").fact("loss.first").place
    assert place is not None
    assert place.line == 2


def test_each_redrawn_bar_has_a_step_of_its_own(read: Reads) -> None:
    bar = "Epoch 1:  {0}%|#  | {0}/100 [00:01<00:02, 5.00it/s, train_loss={1}]"
    log = "\r".join(bar.format(step, "nan" if step > 61 else 3 - step / 50) for step in range(1, 90))
    run = read(f"{log}\n")
    assert (run["log.steps"], run["loss.first_nonfinite_step"]) == (89, 62)
    assert (run.place("loss.nonfinite").line, run.place("loss.nonfinite").step) == (1, 62)


def test_bars_of_other_work_than_training_count_no_steps(read: Reads) -> None:
    run = read(
        "Loading checkpoint shards:  50%|#####     | 1/2 [00:05<00:05,  5.1s/it]\n"
        "train: Scanning /data/labels...:  41%|####      | 3712/9053 [00:51<00:58, 91.3it/s]\n"
        "Epoch 1:  20%|##        | 20/100 [00:10<00:40,  2.0it/s, loss=0.5]\n"
    )
    assert run["log.steps"] == 20


def test_bars_of_other_work_tell_no_speed(read: Reads) -> None:
    scan = "Scanning labels...: {0} images: {0}%|#   | {0}/100 [00:01<00:01, 812.11it/s]\n"
    epoch = "Epoch 1:  {0}%|##   | {0}/100 [00:10<00:40,  2.0it/s, loss=0.5]\n"
    log = "".join(line.format(done) for line in (scan, epoch) for done in range(10, 99, 10))
    run = read(log)
    assert (run["log.speed.steps_per_second"], run["log.speed.slowdown"]) == (2.0, None)


@pytest.mark.parametrize(
    "line",
    [
        "Test: [ 10/20]\tTime 0.1\tLoss 2.5\n",
        "Validating: 100%|####| 20/20 [00:03<00:00, 5.9it/s]\n",
        "Validation step 19/20 loss 2.5\n",
    ],
)
def test_batches_of_a_validation_are_no_steps(read: Reads, line: str) -> None:
    run = read(f"Epoch: 3 [40/100] loss 2.0\n{line}val_loss 2.5\n")
    assert (run["log.steps"], run.place("loss.eval.last").step) == (240, 240)


def test_a_validation_may_stand_at_a_step_of_training(read: Reads) -> None:
    assert read("Validation at step 200/400: loss 2.5\n")["log.steps"] == 200


def test_of_two_pairs_the_first_counts_epochs(read: Reads) -> None:
    run = read("[0/25][781/782] Loss_D: 0.9\n[1/25][40/782] Loss_D: 0.6\n")
    assert (run["log.epochs"], run["log.steps"], run["log.total_steps"]) == (1.0, 822, 19550)


@pytest.mark.parametrize(
    "line",
    [
        "Transferred 469/475 items from pretrained weights\n",
        "trainer: task=detect, epochs=60, time=None, patience=9, batch=16, save=True, cache=False, lr0=0.01, box=7.5\n",
    ],
)
def test_other_counts_are_no_steps(read: Reads, line: str) -> None:
    run = read(f"{line}loss 2.0\n")
    assert (run["log.steps"], run["log.epochs"], run["log.lr.first"]) == (None, None, None)


def test_samples_are_no_steps(read: Reads) -> None:
    run = read("Train Epoch: 2 [1280/60000 (2%)]\tLoss: 0.38\n")
    assert (run["log.steps"], run["log.epochs"]) == (None, 2.0)


def test_a_bar_behind_the_row_of_a_table_tells_step_and_speed(read: Reads) -> None:
    header = "      Epoch    GPU_mem   box_loss   cls_loss  Instances       Size\n"
    row = "       {}/60      6.76G        1.2       13.0          7        640:  62%|###  | 72/115 [00:12<00:07,  6.50it/s]\n"
    scores = "                 Class     Images  Instances      Box(P          R      mAP50): 100%|###| 8/8 [00:01<00:00,  5.12it/s]\n"
    run = read("".join(header + row.format(epoch) + scores for epoch in (1, 2)))
    assert (run["log.steps"], run["log.speed.steps_per_second"]) == (115 + 72, 6.5)


def test_of_a_bar_that_is_drawn_anew_the_last_counts(read: Reads) -> None:
    steps = "".join(f"step {step} loss 2.0\n" for step in range(9))
    tried = "scan: CUDA out of memory. Tried to allocate {}.00 GiB"
    run = read(f"{steps}{tried.format(2)}\r{tried.format(3)}\n{tried.format(9)}\n")
    assert run["gpu.oom.tried_gib"] == 3.0


@pytest.mark.parametrize("between", ["", "\n"])
def test_an_exception_behind_a_bar_comes_at_the_step_of_that_bar(read: Reads, between: str) -> None:
    bars = "  0%|          | 0/120 [00:00<?, ?it/s]\n  7%|7         | 8/120 [00:11<02:27,  1.32s/it]"
    trace = 'Traceback (most recent call last):\n  File "train.py", line 9, in <module>\n    go()\n'
    error = "RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB\n"
    run = read(f"{bars}{between}{trace}{error}")
    assert run.place("gpu.oom.tried_gib").step == 8
    assert run["gpu.oom.when"] == "later"
    # What is quoted behind it is no bar of the run.
    quoted = read(f"{bars}\n{trace}    print('50%|50/100 it/s')\n{error}")
    assert quoted.place("gpu.oom.tried_gib").step == 8
