"""Signatures, tracebacks and processes: what went wrong, and where first."""

from __future__ import annotations

import pytest

from traindx.engine.facts import Origin

from .conftest import Reads

STEP = "{'loss': 2.3, 'learning_rate': 1e-05, 'epoch': 0.1}\n"
TRACEBACK = """Traceback (most recent call last):
  File "/home/me/train.py", line 31, in <module>
    main()
  File "/home/me/train.py", line 20, in main
    loss.backward()
  File "/opt/env/lib/python3.11/site-packages/torch/_tensor.py", line 581, in backward
    torch.autograd.backward(
RuntimeError: CUDA out of memory. Tried to allocate 512.00 MiB
"""


def test_a_signature_gives_its_facts_in_their_units(read: Reads) -> None:
    run = read(STEP + TRACEBACK)
    assert run["log.device_memory_gone"] is True
    assert run["gpu.oom.tried_gib"] == 0.5
    assert run["gpu.present"] is True
    place = run.fact("log.device_memory_gone").place
    assert place is not None
    assert (place.line, place.text) == (9, "RuntimeError: CUDA out of memory. Tried to allocate 512.00 MiB")


def test_a_signature_not_found_in_a_whole_log_is_absent(read: Reads) -> None:
    assert read(STEP)["log.device_memory_gone"] is False


def test_without_machine_output_absence_says_nothing(read: Reads) -> None:
    run = read("note: I have no log at hand, but the loss is strange.\n")
    assert run["log.device_memory_gone"] is None
    assert run["log.machine"] is False


def test_a_signature_may_stretch_over_lines(read: Reads) -> None:
    warning = "UserWarning: This DataLoader will create 16 worker processes in total.\nOur suggested max number is 8\n"
    assert read(STEP + warning)["log.workers_too_many"] is True


def test_occurrences_are_counted(read: Reads) -> None:
    run = read((STEP + "CUDA out of memory. Tried to allocate 2.00 GiB\n") * 300)
    assert [event.what for event in run.findings.events] == ["The device has no memory left. (300 times)"]


def test_the_exception_and_the_last_frame_of_the_persons_own_code(read: Reads) -> None:
    run = read(TRACEBACK)
    assert run["log.exception.type"] == "RuntimeError"
    assert run["log.exception.message"] == "CUDA out of memory. Tried to allocate 512.00 MiB"
    assert (run["log.exception.file"], run["log.exception.line"]) == ("/home/me/train.py", 20)
    assert (run["log.exception.function"], run["log.exception.code"]) == ("main", "loss.backward()")
    assert run["log.exception.in_backward"] is True
    assert run["log.exception.in_saving"] is False


def test_a_message_of_several_lines_is_joined(read: Reads) -> None:
    run = read(
        'Traceback (most recent call last):\n  File "a.py", line 1, in f\n    g()\nValueError: first\n  second\n'
    )
    assert run["log.exception.message"] == "first\n  second"


def test_what_led_to_an_exception_is_kept(read: Reads) -> None:
    link = "\nDuring handling of the above exception, another exception occurred:\n\n"
    frames = 'Traceback (most recent call last):\n  File "a.py", line 1, in f\n    g()\n'
    run = read(f"{frames}KeyError: 'x'\n{link}{frames}ValueError: no x\n")
    assert run["log.exception.type"] == "ValueError"
    assert run["log.exception.chain"] == ("KeyError: 'x'",)


def test_the_failure_of_a_data_worker(read: Reads) -> None:
    run = read(
        'Traceback (most recent call last):\n  File "train.py", line 5, in <module>\n    for batch in loader:\n'
        "ValueError: Caught ValueError in DataLoader worker process 0.\nOriginal Traceback (most recent call last):\n"
        '  File "/home/me/data.py", line 9, in __getitem__\n    return int(text)\n'
        "ValueError: invalid literal for int() with base 10: ''\n"
    )
    assert run["log.exception.message"] == "invalid literal for int() with base 10: ''"
    assert run["log.exception.file"] == "/home/me/data.py"
    assert run["log.exception.in_data_loader"] is True


def test_a_traceback_of_a_notebook(read: Reads) -> None:
    run = read(
        "---------------------------------------------------------------------------\n"
        "ValueError                                Traceback (most recent call last)\n"
        "Cell In[7], line 3\n      1 model.train()\n      2 for x in data:\n----> 3     step(x)\n\n"
        "ValueError: bad shape\n"
    )
    assert (run["log.exception.type"], run["log.exception.message"]) == ("ValueError", "bad shape")
    assert run["log.exception.code"] == "step(x)"


@pytest.mark.parametrize(
    "label", ["web_1  | ", "2023-04-29 06:01:12.977 [177/fit/578 (pid 28936)] [9c5-4f] "]
)
def test_what_a_launcher_writes_before_each_line_is_no_part_of_the_traceback(read: Reads, label: str) -> None:
    run = read("".join(label + line for line in TRACEBACK.splitlines(keepends=True)))
    assert run["log.exception.type"] == "RuntimeError"
    assert (run["log.exception.file"], run["log.exception.line"]) == ("/home/me/train.py", 20)
    assert run["log.exception.code"] == "loss.backward()"


def test_what_stands_before_the_first_line_alone_is_no_label(read: Reads) -> None:
    run = read("it broke: " + TRACEBACK)
    assert (run["log.exception.type"], run["log.exception.code"]) == ("RuntimeError", "loss.backward()")


def test_an_exception_without_a_traceback_counts(read: Reads) -> None:
    assert (
        read("torch.OutOfMemoryError: CUDA out of memory.\n")["log.exception.type"]
        == "torch.OutOfMemoryError"
    )


def test_a_rank_is_not_survived_by_what_the_others_print(read: Reads) -> None:
    steps = [f"[rank{rank}]: step {step} loss 2.{step}\n" for step in range(1, 9) for rank in range(4)]
    broke = "[rank2]: Traceback (most recent call last):\n[rank2]: KeyError: 'labels'\n"
    lost = "[rank0]: Traceback (most recent call last):\n[rank0]: ConnectionError: peer closed\n"
    later = [one for one in steps[12:] if not one.startswith("[rank2]")]
    run = read("".join([*steps[:12], broke, *later, lost]))
    assert (run["log.exception.type"], run["log.first_failing_rank"]) == ("KeyError", 2)


def test_an_exception_the_run_survived_comes_after_the_one_that_ended_it(read: Reads) -> None:
    survived = TRACEBACK.replace(
        "RuntimeError: CUDA out of memory. Tried to allocate 512.00 MiB", "OSError: retrying"
    )
    assert read(survived + STEP * 5 + TRACEBACK)["log.exception.type"] == "RuntimeError"


TRIED = "looking for the largest batch that fits\n" + TRACEBACK
TRAINS = "".join(f"step {step} loss {2.5 - 0.1 * step:.2f}\n" for step in range(1, 13))


def test_an_exception_before_training_that_follows_is_overcome(read: Reads) -> None:
    run = read(TRIED + TRAINS)
    assert run["log.exception.type"] is None
    assert run["log.traceback"] is False
    assert (run["log.device_memory_gone"], run["gpu.oom.tried_gib"]) == (False, None)


_BROKE = "step 0 loss 3.0\nstep 10 loss 2.8\nTraceback (most recent call last):\nModuleNotFoundError: No module named 'foo'\n"


def _later(first: int, last: str) -> str:
    return "".join(f"step {first + n} loss {3 - n / 20}\n" for n in range(20)) + last


@pytest.mark.parametrize(
    ("later", "ended"),
    [
        pytest.param(_later(0, "Training complete.\n"), None, id="a run begun anew came to its end"),
        pytest.param(_later(0, ""), "ModuleNotFoundError", id="it may be running"),
        pytest.param(_later(11, "Training complete.\n"), "ModuleNotFoundError", id="it is the same run"),
    ],
)
def test_what_an_earlier_run_in_the_same_log_died_of_ends_none_that_completes(
    read: Reads, later: str, ended: str | None
) -> None:
    assert read(_BROKE + later)["log.exception.type"] == ended


@pytest.mark.parametrize(
    "text",
    [TRIED, TRIED + TRAINS[:40], TRAINS + TRIED, "note: the error and the log are these\n" + TRIED + TRAINS],
    ids=["no training", "hardly any", "training before it", "pieces that a person put together"],
)
def test_an_exception_is_not_overcome_where_nothing_shows_it(read: Reads, text: str) -> None:
    run = read(text)
    assert (run["log.exception.type"], run["log.device_memory_gone"]) == ("RuntimeError", True)


def test_what_ends_a_run_is_told_beside_what_it_got_over(read: Reads) -> None:
    run = read(TRIED + TRAINS + TRACEBACK.replace("RuntimeError: CUDA", "ValueError: no"))
    assert (run["log.exception.type"], run["log.traceback"]) == ("ValueError", True)


def test_where_a_person_stopped_the_run_is_told(read: Reads) -> None:
    run = read(
        STEP
        + '^CTraceback (most recent call last):\n  File "loader.py", line 9, in _get_data\n    q.get()\nKeyboardInterrupt\n'
    )
    assert run["log.interrupt.frames"] == ("loader.py:_get_data",)
    assert run["log.exception.type"] is None


def test_a_pasted_piece_without_the_header_keeps_its_frames(read: Reads) -> None:
    run = read(
        '  File "train.py", line 7, in step\n    optimizer.step()\n'
        '  File "torch/optim/adagrad.py", line 64, in step\n    clr = lr / 2\n'
        "TypeError: unsupported operand type(s) for /: 'str' and 'int'\n"
    )
    assert run["log.exception.frames"] == ("train.py:step", "torch/optim/adagrad.py:step")
    assert run["log.exception.line"] == 7


def test_lines_before_an_exception_that_are_no_frames_stay_out(read: Reads) -> None:
    run = read("  warming up\n  reading\nValueError: bad sample\n")
    assert run["log.exception.type"] == "ValueError"
    assert run["log.exception.frames"] is None


def test_a_person_stopping_the_run_is_no_failure(read: Reads) -> None:
    run = read(
        STEP + 'Traceback (most recent call last):\n  File "a.py", line 1, in f\n    g()\nKeyboardInterrupt\n'
    )
    assert run["log.exception.type"] is None
    assert run["log.traceback"] is True


def test_the_rank_that_failed_first_is_told_from_those_that_followed(read: Reads) -> None:
    run = read(
        "[rank1]: RuntimeError: Watchdog caught collective operation timeout: WorkNCCL(SeqNum=3)\n"
        "[rank3]: ValueError: bad sample\n"
        "[rank2]: RuntimeError: Watchdog caught collective operation timeout: WorkNCCL(SeqNum=3)\n"
    )
    assert run["log.first_failing_rank"] == 3
    assert run["log.exception.type"] == "ValueError"
    assert run["log.ranks"] == 3


def test_tracebacks_of_several_ranks_may_be_interleaved(read: Reads) -> None:
    lines = TRACEBACK.splitlines()
    mixed = "".join(f"[rank0]: {line}\n[rank1]: {line}\n" for line in lines)
    run = read(mixed)
    assert (run["log.exception.line"], run["log.first_failing_rank"]) == (20, 0)


def test_one_rank_gives_the_series(read: Reads) -> None:
    run = read(
        "".join(f"[rank{rank}]: step {step} loss {rank + 1}.5\n" for step in range(1, 6) for rank in (1, 0))
    )
    assert (run["loss.first"], run["loss.count"], run["log.steps"]) == (1.5, 5, 5)
    place = run.fact("loss.first").place
    assert place is not None
    assert place.rank == 0


def test_what_a_person_says_has_its_own_origin(read: Reads) -> None:
    run = read(STEP + "note: my run is broken. It is slow too.\n")
    assert run.fact("log.said_broken").origin is Origin.PROSE
    assert run["log.prose"] == ("my run is broken.", "It is slow too.")


TIMED_OUT = "[rank1]: RuntimeError: [gloo/transport/tcp/unbound_buffer.cc:78] Timed out waiting 5000ms for recv operation to complete\n"
CLOSED = (
    "[rank0]: RuntimeError: [gloo/transport/tcp/pair.cc:553] Connection closed by peer [127.0.0.1]:2452.\n"
)
SPAWNED = """Traceback (most recent call last):
  File "train.py", line 55, in <module>
    mp.spawn(main, nprocs=2)
torch.multiprocessing.spawn.ProcessRaisedException:

-- Process 1 terminated with the following error:
"""


def of_rank(rank: int, line: int, error: str) -> str:
    header = f'[rank{rank}]: Traceback (most recent call last):\n[rank{rank}]:   File "train.py", line {line}, in main\n'
    return f"{header}[rank{rank}]:     step()\n{error}"


def test_where_all_only_followed_the_earliest_is_first_whatever_is_read_to_its_end_first(read: Reads) -> None:
    run = read(of_rank(1, 45, TIMED_OUT) + of_rank(0, 41, CLOSED) + SPAWNED)
    assert (run["log.first_failing_rank"], run["log.exception.line"]) == (1, 45)


SAMPLE = """Traceback (most recent call last):
  File "/env/lib/python3.11/site-packages/torch/utils/data/_utils/fetch.py", line 54, in fetch
    data = [self.dataset[idx] for idx in possibly_batched_index]
  File "clips.py", line 20, in __getitem__
    item = torch.load(self.files[i])
RuntimeError: PytorchStreamReader failed reading zip archive: failed finding central directory
"""


def test_a_file_that_a_data_set_reads_is_told_from_a_checkpoint(read: Reads) -> None:
    assert read(SAMPLE)["log.exception.in_sample"] is True
    assert read(TRACEBACK)["log.exception.in_sample"] is False


def waiting(*ranks: int) -> str:
    return "".join(
        f"[rank{rank}]:[E501 10:31:22 ProcessGroupNCCL.cpp:607] [Rank {rank}] Watchdog caught collective operation "
        "timeout: WorkNCCL(SeqNum=24011, OpType=ALLREDUCE, Timeout(ms)=600000) ran for 600041 milliseconds\n"
        for rank in ranks
    )


PRINTING = "".join(f"[rank{rank}]: step 1200 loss 2.31\n" for rank in range(4))


def test_the_rank_that_prints_and_does_not_wait_with_the_others_is_missing(read: Reads) -> None:
    assert read(PRINTING + waiting(2, 1, 3))["dist.missing_ranks"] == "0"


def test_of_many_ranks_that_wait_each_is_heard(read: Reads) -> None:
    printing = "".join(f"[rank{rank}]: step 1200 loss 2.31\n" for rank in range(300))
    assert read(printing + waiting(*range(7), *range(8, 300)))["dist.missing_ranks"] == "7"


def test_a_rank_of_thousands_of_digits_breaks_nothing(read: Reads) -> None:
    assert read(PRINTING + waiting(10**4200, 1))["log.watchdog_fired"] is True


def test_where_few_wait_or_all_do_none_is_missing(read: Reads) -> None:
    assert read(PRINTING + waiting(2))["dist.missing_ranks"] is None
    assert read(PRINTING + waiting(0, 1, 2, 3))["dist.missing_ranks"] is None


def stopped(rank: int, number: int, kind: str, group: int = 0) -> str:
    return (
        f"[rank{rank}]:[E501 10:31:22 ProcessGroupNCCL.cpp:632] [PG ID {group} PG GUID {group}(it) Rank {rank}] Watchdog caught "
        f"collective operation timeout: WorkNCCL(SeqNum={number}, OpType={kind}, Timeout(ms)=600000) ran for 600041 milliseconds\n"
    )


def test_the_rank_that_waits_in_another_collective_is_named(read: Reads) -> None:
    run = read(
        PRINTING + stopped(0, 12, "ALLREDUCE") + stopped(1, 12, "ALLREDUCE") + stopped(3, 11, "ALLGATHER")
    )
    assert run["dist.ranks_out_of_step"] == "3"
    assert (
        run["dist.out_of_step"] == "rank 3 waited in ALLGATHER number 11, ranks 0, 1 in ALLREDUCE number 12"
    )


@pytest.mark.parametrize(
    "log",
    [
        stopped(0, 12, "ALLREDUCE") + stopped(1, 12, "ALLREDUCE") + stopped(2, 12, "ALLREDUCE"),
        # One against one: neither is the odd one.
        stopped(0, 12, "ALLREDUCE") + stopped(1, 11, "ALLREDUCE"),
        # Groups of processes count by themselves, and messages between two ranks belong to these.
        stopped(0, 12, "ALLREDUCE") + stopped(1, 12, "ALLREDUCE") + stopped(2, 7, "ALLGATHER", group=3),
        stopped(0, 12, "ALLREDUCE") + stopped(1, 12, "ALLREDUCE") + stopped(2, 30, "SEND"),
        stopped(0, 12, "ALLREDUCE")
        + stopped(1, 14, "ALLREDUCE")
        + stopped(2, 30, "ALLGATHER")
        + stopped(3, 30, "ALLGATHER"),
        # What times out on a rank later follows from the first.
        stopped(0, 12, "ALLREDUCE")
        + stopped(1, 12, "ALLREDUCE")
        + stopped(2, 12, "ALLREDUCE")
        + stopped(2, 13, "ALLGATHER"),
    ],
)
def test_ranks_that_wait_in_one_collective_are_in_step(read: Reads, log: str) -> None:
    assert read(PRINTING + log)["dist.out_of_step"] is None


@pytest.mark.parametrize(
    "call", ["ConfigWithLimits(", "args = TrainingArguments(", "self.settings = ModelConfig("]
)
def test_a_call_in_a_pasted_frame_is_no_block_of_settings(read: Reads, call: str) -> None:
    run = read(
        f"""\
File "/work/app/load.py", line 213, in validate
  {call}
File "/env/lib/python3.11/site-packages/pydantic/main.py", line 171, in __init__
  self.__pydantic_validator__.validate_python(data, self_instance=self)
pydantic_core._pydantic_core.ValidationError: 1 validation error for ConfigWithLimits
  Input should be a valid list [type=list_type, input_value='c4', input_type=str]
"""
    )
    assert run["log.exception.type"] == "pydantic_core._pydantic_core.ValidationError"


def test_what_tensorflow_says_in_brackets_is_no_part_of_the_exception(read: Reads) -> None:
    run = read("FailedPreconditionError (see above for traceback): Attempting to use uninitialized value w\n")
    assert run["log.exception.type"] == "FailedPreconditionError"
    assert run["log.exception.message"] == "Attempting to use uninitialized value w"


LIBRARY = "/opt/env/lib/python3.11/site-packages/"


def _failed(frames: list[tuple[str, str]], error: str) -> str:
    """A traceback of those files and lines."""
    shown = "".join(f'  File "{file}", line 7, in f\n    {code}\n' for file, code in frames)
    return f"{STEP}Traceback (most recent call last):\n{shown}{error}\n"


def test_the_line_that_raised_is_past_those_that_hand_a_call_on(read: Reads) -> None:
    handed_on = (LIBRARY + "torch/nn/modules/module.py", "return forward_call(*args, **kwargs)")
    error = "TypeError: Net.forward() got an unexpected keyword argument 'mask'"
    run = read(_failed([("train.py", "model(x, mask=m)"), handed_on], error))
    assert run["log.exception.raised_in_own"] is True
    assert run["log.exception.raised_in_machinery"] is False


@pytest.mark.parametrize(
    ("file", "machinery"),
    [
        ("transformers/trainer.py", True),
        ("deepspeed/runtime/zero/stage3.py", True),
        ("torch/distributed/fsdp/_optim_utils.py", True),
        # What looks into the data, and what a layer is given.
        ("torch/utils/data/_utils/collate.py", False),
        ("torch/nn/modules/linear.py", False),
        ("transformers/tokenization_utils_base.py", False),
    ],
)
def test_a_library_raised_it(read: Reads, file: str, machinery: bool) -> None:
    run = read(_failed([("train.py", "trainer.train()"), (LIBRARY + file, "x = y")], "KeyError: 'a'"))
    assert run["log.exception.raised_in_own"] is False
    assert run["log.exception.raised_in_machinery"] is machinery


def test_an_own_file_named_as_a_library_is_own(read: Reads) -> None:
    run = read(_failed([("/home/me/trainer.py", "trainer.fit()")], "KeyError: 'a'"))
    assert run["log.exception.raised_in_own"] is True
    assert run["log.exception.raised_in_machinery"] is False


def test_without_frames_nobody_is_blamed(read: Reads) -> None:
    run = read(STEP + "KeyError: 'a'\n")
    assert run["log.exception.raised_in_own"] is None


@pytest.mark.parametrize(("end", "gone"), [("Training complete.\n", False), ("", True)])
def test_what_was_tried_before_a_training_that_came_to_its_end_did_not_fail_it(
    read: Reads, end: str, gone: bool
) -> None:
    tried = "batch 64 failed: CUDA out of memory. Tried to allocate 2.00 GiB. Trying 32\n"
    assert read(tried + TRAINS + end)["log.device_memory_gone"] is gone
