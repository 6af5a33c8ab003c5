"""Who wrote a line, and what of it is the message: labels of launchers, speakers, source, sentences."""

from __future__ import annotations

import pytest

from traindx.engine.facts import Origin

from .conftest import Reads

STEP = "{'loss': 2.3, 'learning_rate': 1e-05, 'epoch': 0.1}\n"
FRAMES = """Traceback (most recent call last):
  File "/home/me/train.py", line 31, in <module>
    main()
  File "/home/me/train.py", line 20, in main
    loss.backward()
"""
TRACEBACK = FRAMES + "RuntimeError: CUDA out of memory. Tried to allocate 512.00 MiB\n"


def test_labels_of_srun_and_of_torchrun_stand_one_behind_the_other(read: Reads) -> None:
    steps = "".join(
        f"{rank:2d}: [rank{rank}]: step {n} loss 2.5\n" for n in range(1, 20) for rank in range(4)
    )
    lines = TRACEBACK.splitlines()
    run = read(steps + "".join(f" 3: [rank3]: {line}\n 1: [rank1]: step 20 loss 2.5\n" for line in lines))
    assert (run["log.exception.line"], run["log.first_failing_rank"], run["log.ranks"]) == (20, 3, 4)


def test_a_label_of_srun_hides_no_traceback_and_is_shown_as_it_stands(read: Reads) -> None:
    steps = "".join(f" {rank}: step {n} loss 2.5\n" for n in range(1, 20) for rank in range(4))
    run = read(steps + "".join(f" 2: {line}\n" for line in TRACEBACK.splitlines()))
    assert (run["log.exception.line"], run["log.first_failing_rank"]) == (20, 2)
    assert run.place("log.exception.type").text.startswith("2: ")


def test_the_signal_of_a_person_at_the_launcher_is_no_failure(read: Reads) -> None:
    ended = "torch.distributed.elastic.multiprocessing.api.SignalException: Process 8812 got signal: {}\n"
    by_person, by_other = (read(STEP + FRAMES + ended.format(signal)) for signal in (2, 9))
    assert by_person["log.exception.type"] is None
    assert by_other["log.exception.type"] is not None


def test_an_exception_without_a_message_takes_none_from_the_next_line(read: Reads) -> None:
    run = read(FRAMES + "AssertionError\nINFO 2025-07-14 saving\n")
    assert run["log.exception.message"] == "AssertionError"


def test_the_source_of_an_error_is_not_the_error(read: Reads) -> None:
    raising = FRAMES + '    raise ValueError("Tried: CUDA out of memory. Tried to allocate 2.00 GiB")\n'
    assert read(raising + "ValueError: no memory\n")["log.device_memory_gone"] is False


@pytest.mark.parametrize("speaker", ["小王: ", "小王：", "Wang: ", "[14:03] Oleg: ", ""])
def test_an_error_that_somebody_sent_is_an_error_whoever_it_was(read: Reads, speaker: str) -> None:
    error = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 4.64 GiB. 2.27 GiB is free, 20.62 GiB is allocated."
    run = read(
        f"小王: 跑 qwen2.5-7b 的 lora 爆显存了,求救\n{speaker}{error}\n老李: batch 改成一,开梯度检查点\n"
    )
    assert (run["log.exception.type"], run["gpu.oom.tried_gib"]) == ("torch.OutOfMemoryError", 4.64)
    assert run.fact("gpu.oom.tried_gib").origin is Origin.LOG


def test_a_sentence_stands_in_the_line_in_which_it_is_said(read: Reads) -> None:
    run = read(
        "I have trained this for a while now and it was all fine\nfor a day or two. But now my run is broken\nand I do not know why that is.\n"
    )
    assert run.place("log.said_broken").line == 2


def test_a_nan_that_is_inferred_is_told_as_inferred(read: Reads) -> None:
    run = read(
        "".join(
            f"{{'loss': {loss}, 'grad_norm': {norm}, 'epoch': 0.1}}\n"
            for loss, norm in ((2.5, 1.1), (0.0, "nan"), (0.0, "nan"))
        )
    )
    whats = [event.what for event in run.findings.events]
    assert "The loss is shown as 0, or not at all, where it must be NaN" in whats
    assert "The loss is NaN or Inf for the first time" not in whats
