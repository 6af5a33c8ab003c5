"""How a watched run ended: exceptions of one rank or several, standstills, signals."""

from __future__ import annotations

from typing import Any

import pytest

from traindx.engine.facts import Origin, Place
from traindx.engine.kb.knowledge import Knowledge

from .journals import Record, Seen, process, raised, steps

LOSSES = [2.0 - 0.01 * step for step in range(60)]
IN_COLLECTIVE = [
    'File "train.py", line 40, in main',
    'File "/env/lib/python3.11/site-packages/torch/distributed/distributed_c10d.py", line 2806, in all_reduce',
]


def stacks(*frames: str, **more: Any) -> Record:
    thread = {"name": "MainThread", "frames": list(frames)}
    return {"kind": "stacks", "t": 9.0, "why": "no step for 300 s", "step": 60, "threads": [thread], **more}


def test_an_exception_is_read_with_all_signatures(knowledge: Knowledge) -> None:
    message = "mat1 and mat2 shapes cannot be multiplied (32x50176 and 12544x128)"
    operands = [{"name": "input", "shape": [32, 50176], "dtype": "torch.float32", "device": "cpu"}]
    seen = Seen(knowledge, [process(), raised("RuntimeError", message, step=1, operands=operands)])

    assert (seen["log.matmul_shape_mismatch"], seen["log.shape.given"]) == (True, "32x50176")
    assert (seen["log.exception.file"], seen["log.exception.line"]) == ("train.py", 31)
    assert seen["log.exception.operands"] == ("input: float32[32x50176] on cpu",)
    found = seen.fact("log.matmul_shape_mismatch")
    assert (found.origin, found.place and found.place._replace(text="")) == (
        Origin.LIVE,
        Place("the run", step=1),
    )


def test_signatures_that_an_exception_does_not_have_are_absent(knowledge: Knowledge) -> None:
    seen = Seen(knowledge, [process(), raised("KeyError", "'labels'")])

    assert seen["log.cuda_oom"] is False


def test_without_an_exception_nothing_is_said_of_signatures(knowledge: Knowledge) -> None:
    seen = Seen(knowledge, [process(), steps(loss=LOSSES)])

    assert (seen["log.cuda_oom"], seen["log.traceback"]) == (None, None)


def test_the_rank_that_failed_first_is_told_from_those_that_followed(knowledge: Knowledge) -> None:
    follows = (
        "[../third_party/gloo/gloo/transport/tcp/pair.cc:598] Connection closed by peer [127.0.0.1]:23456"
    )
    seen = Seen(
        knowledge,
        [process(0, 2, time=1000.0), steps(loss=LOSSES), raised("RuntimeError", follows, t=20.5)],
        [
            process(1, 2, time=1000.2),
            steps(loss=LOSSES),
            raised("IndexError", "index 5 is out of range", t=20.0),
        ],
    )

    assert (seen["log.first_failing_rank"], seen["log.exception.type"]) == (1, "IndexError")


def test_a_run_that_stands_in_the_loader_waits_for_data(knowledge: Knowledge) -> None:
    frames = [
        'File "train.py", line 12, in <module>',
        'File "/env/site-packages/torch/utils/data/dataloader.py", line 1251, in _try_get_data',
    ]
    seen = Seen(knowledge, [process(), steps(loss=LOSSES), stacks(*frames)])

    assert (seen["process.stuck"], seen["process.stuck_data"], seen["process.stuck_collective"]) == (
        True,
        True,
        False,
    )
    assert seen["process.stuck_in"] == "train.py:12 (<module>)"


@pytest.mark.parametrize(
    ("status", "after", "stuck"),
    [(-15, [], True), (1, [], None), (0, [], None), (-15, [{"kind": "moves", "step": 60}], None)],
    ids=["ended in it", "failed", "went on to its end", "ended later"],
)
def test_a_halt_counts_where_the_run_was_ended_in_it(
    status: int, after: list[Record], stuck: bool | None, knowledge: Knowledge
) -> None:
    records = [
        process(),
        steps(loss=LOSSES),
        stacks('File "train.py", line 12, in <module>', halt=True),
        *after,
    ]
    seen = Seen(knowledge, records, status=status)

    assert seen["process.stuck"] is stuck


def test_ranks_in_a_collective_are_told_from_the_one_elsewhere(knowledge: Knowledge) -> None:
    seen = Seen(
        knowledge,
        [process(0, 2), steps(loss=LOSSES), stacks(*IN_COLLECTIVE)],
        [process(1, 2), steps(loss=LOSSES), stacks('File "train.py", line 77, in save')],
    )

    assert (seen["dist.collective"], seen["dist.waiting_ranks"]) == ("all_reduce", "0")
    assert seen["dist.elsewhere"] == "rank 1 in train.py:77 (save)"
    assert (seen["dist.collectives_differ"], seen["dist.rank_failed"]) == (False, False)


@pytest.mark.parametrize(("later", "differ"), [([], True), ([{"kind": "moves", "step": 60}], False)])
def test_a_rank_that_halts_while_another_stands_still_counts(
    knowledge: Knowledge, later: list[Record], differ: bool
) -> None:
    halt = stacks('File "train.py", line 40, in train', halt=True, collective="backward")
    seen = Seen(
        knowledge,
        [process(0, 2), steps(loss=LOSSES), stacks(*IN_COLLECTIVE)],
        [process(1, 2), steps(loss=LOSSES), halt, *later],
    )

    assert seen["dist.collectives_differ"] is differ


def test_a_rank_that_is_held_up_explains_the_wait(knowledge: Knowledge) -> None:
    seen = Seen(
        knowledge,
        [process(0, 2), steps(loss=LOSSES), stacks(*IN_COLLECTIVE)],
        [process(1, 2), steps(loss=LOSSES), stacks('File "train.py", line 77, in save')],
    )

    assert seen["dist.rank_held_up"] is True


def test_a_loop_that_went_on_afterwards_does_not_stand_still(knowledge: Knowledge) -> None:
    later = {**steps(loss=[1.0, 0.9]), "step": [61, 62]}
    seen = Seen(knowledge, [process(0, 2), steps(loss=LOSSES), stacks(*IN_COLLECTIVE), later])

    assert seen["process.stuck"] is None


def test_a_rank_that_had_ended_explains_the_wait(knowledge: Knowledge) -> None:
    end = {"kind": "end", "t": 8.0, "how": "exit", "status": 0, "steps": 60}
    seen = Seen(
        knowledge,
        [process(0, 2), steps(loss=LOSSES), stacks(*IN_COLLECTIVE)],
        [process(1, 2), steps(loss=LOSSES), end],
    )

    assert (seen["dist.rank_ended_early"], seen["dist.elsewhere"]) == (True, "rank 1 had ended (exit)")


def test_a_rank_that_failed_explains_the_wait(knowledge: Knowledge) -> None:
    seen = Seen(
        knowledge,
        [process(0, 2), steps(loss=LOSSES), stacks(*IN_COLLECTIVE)],
        [process(1, 2), steps(loss=LOSSES), raised("ValueError", "bad sample")],
    )

    assert (seen["dist.rank_failed"], seen["dist.rank_ended_early"]) == (True, False)


def test_the_end_of_the_command_is_its_status(knowledge: Knowledge) -> None:
    killed = Seen(knowledge, [process(), steps(loss=LOSSES)], status=-9)
    by_shell = Seen(knowledge, [process(), steps(loss=LOSSES)], status=139)
    well = Seen(knowledge, [process(), steps(loss=LOSSES)], status=0)

    assert (killed["process.exit_code"], killed["process.signal"]) == (-9, "SIGKILL")
    assert by_shell["process.signal"] == "SIGSEGV"
    assert (well["process.exit_code"], well["process.signal"]) == (0, None)


def test_what_happened_is_told_in_its_order(knowledge: Knowledge) -> None:
    event = {"kind": "event", "t": 2.0, "what": "a look began", "step": 30}
    broken = [*LOSSES[:40], *["nan"] * 20]
    seen = Seen(knowledge, [process(), event, steps(loss=broken), raised("RuntimeError", "boom", step=60)])

    told = [one.what for one in seen.findings.events]
    assert told[0] == "a look began"
    assert "NaN or Inf for the first time" in told[1]
    assert told[-1] == "train.py:31 raises RuntimeError: boom"


def fault(*frames: str, why: str = "Segmentation fault") -> Record:
    """What faulthandler left, innermost frame last."""
    threads = [{"name": "MainThread", "frames": list(frames)}]
    text = f"Fatal Python error: {why}\n\nCurrent thread 0x01 (most recent call first):\n"
    return {"kind": "fault", "t": 6.0, "why": why, "threads": threads, "traceback": text}


def test_native_code_that_ends_a_process_is_named_with_the_line_that_called_it(knowledge: Knowledge) -> None:
    frames = [
        "train.py:61 in <module>",
        "data.py:22 in load",
        "/env/lib/python3.11/site-packages/turbojpeg/decode.py:310 in decode",
    ]
    seen = Seen(knowledge, [process(), steps(loss=LOSSES), fault(*frames)], status=-11)

    assert (seen["process.fault_library"], seen["process.fault_importing"]) == ("turbojpeg", False)
    assert seen["process.fault_line"] == "data.py:22 (load)"
    assert seen["process.signal"] == "SIGSEGV"


def test_a_module_of_the_standard_library_is_named_too(knowledge: Knowledge) -> None:
    frames = ["read.py:4 in read", "/usr/lib/python3.11/ctypes/__init__.py:519 in string_at"]
    seen = Seen(knowledge, [process(), fault(*frames)])

    assert seen["process.fault_library"] == "ctypes"


def test_native_code_that_dies_while_it_is_imported_is_told_apart(knowledge: Knowledge) -> None:
    frames = ["train.py:2 in <module>", "<frozen importlib._bootstrap>:241 in _call_with_frames_removed"]
    seen = Seen(knowledge, [process(), fault(*frames)])

    assert (seen["process.fault_importing"], seen["process.fault_library"]) == (True, None)


def test_a_rank_that_fails_while_another_goes_on_has_failed_by_itself(knowledge: Knowledge) -> None:
    seen = Seen(
        knowledge,
        [process(0, 2), steps(loss=LOSSES)],
        [process(1, 2), steps(loss=LOSSES[:9]), raised("ValueError", "no rows left", step=9)],
    )

    assert seen["dist.rank_failed"] is True
    assert seen.place("dist.rank_failed").rank == 1


def test_ranks_that_fail_in_the_same_step_may_have_the_same_fault(knowledge: Knowledge) -> None:
    seen = Seen(
        knowledge,
        [process(0, 2), steps(loss=LOSSES[:9])],
        [process(1, 2), steps(loss=LOSSES[:9]), raised("ValueError", "no rows left", step=9)],
    )

    assert seen["dist.rank_failed"] is None


def test_a_rank_whose_partner_went_away_has_no_error_of_its_own(knowledge: Knowledge) -> None:
    lost = raised("RuntimeError", "Connection closed by peer [127.0.0.1]:61625", step=9)
    seen = Seen(knowledge, [process(0, 2), steps(loss=LOSSES[:9]), lost], [process(1, 2), steps(loss=LOSSES)])

    assert seen["dist.rank_failed"] is None


def machine(busy: float, own: float) -> list[Record]:
    """What the parent writes of a run of ten seconds on two processors."""
    record = {"kind": "processors", "t": 10.0, "busy": busy, "all": 20.0, "own": own}
    return [process(role="parent"), record]


def test_programs_beside_the_run_are_told_from_the_run(knowledge: Knowledge) -> None:
    seen = Seen(knowledge, [process(), steps(loss=LOSSES)], machine(busy=19.0, own=6.0))

    assert seen["env.processors_free"] == pytest.approx(0.05)
    assert seen["env.processors_elsewhere"] == pytest.approx(0.65)


def test_what_the_processes_say_that_they_took_is_their_own(knowledge: Knowledge) -> None:
    end = {"kind": "end", "t": 9.9, "how": "exit", "processor": 16.0}
    seen = Seen(knowledge, [process(), steps(loss=LOSSES), end], machine(busy=19.0, own=0.0))

    assert seen["env.processors_elsewhere"] == pytest.approx(0.15)


OWN_QUEUE = [
    'File "train.py", line 12, in <module>',
    'File "/work/replay_queue.py", line 171, in get',
]
WAITS = [
    'File "train.py", line 12, in <module>',
    'File "/usr/lib/python3.11/queue.py", line 171, in get',
    'File "/usr/lib/python3.11/threading.py", line 320, in wait',
]


@pytest.mark.parametrize(
    ("main", "failed"),
    [
        (raised("_queue.Empty", "", t=14.0), True),
        (stacks(*WAITS), True),
        (stacks("train.py:12 in <module>: q.get()", "/usr/lib/python3.11/queue.py:171 in get: wait()"), True),
        (stacks(*WAITS, moving=True), None),
        (stacks(*OWN_QUEUE), None),
        (stacks('File "train.py", line 12, in <module>'), None),
        (raised("ValueError", "no rows left", t=14.0), None),
    ],
    ids=[
        "gave up",
        "still waits",
        "waits, as Python tells",
        "moves",
        "a queue of one's own",
        "computes",
        "another error",
    ],
)
def test_a_thread_that_raised_is_told_where_the_main_one_waits_for_it(
    knowledge: Knowledge, main: Record, failed: bool | None
) -> None:
    feeder = raised("KeyError", "'frames'", t=5.0, thread="feeder")
    seen = Seen(knowledge, [process(), steps(loss=LOSSES), feeder, main])

    assert seen["process.feeder_failed"] is failed


def test_a_run_that_went_on_without_the_thread_that_raised_did_not_wait_in_vain(knowledge: Knowledge) -> None:
    feeder = raised("KeyError", "'frames'", t=5.0, thread="feeder")
    later = {**steps(loss=[1.0, 1.0]), "step": [61, 62], "t": 12.0}
    seen = Seen(knowledge, [process(), steps(loss=LOSSES), feeder, stacks(*WAITS), later])

    assert seen["process.feeder_failed"] is None


ENDS = [
    "/usr/lib/python3.11/multiprocessing/util.py:360 in _exit_function: _run_finalizers()",
    "/usr/lib/python3.11/multiprocessing/queues.py:199 in _finalize_join: thread.join()",
    "/usr/lib/python3.11/threading.py:1139 in _wait_for_tstate_lock: if lock.acquire(block, timeout):",
]
JOINS = [
    "games.py:45 in collect: worker.join()",
    "/usr/lib/python3.11/multiprocessing/process.py:149 in join: res = self._popen.wait(timeout)",
    "/usr/lib/python3.11/multiprocessing/popen_fork.py:27 in poll: pid, sts = os.waitpid(self.pid, flag)",
]
GETS = [
    "games.py:41 in collect: results.get()",
    "/usr/lib/python3.11/multiprocessing/queues.py:103 in get: res = self._recv_bytes()",
]


@pytest.mark.parametrize(
    ("parent", "child", "told"),
    [
        (stacks(*JOINS), stacks(*ENDS), True),
        (stacks(*GETS), stacks(*ENDS), None),
        (stacks(*JOINS), stacks("games.py:12 in play: board = think(board)"), None),
        (stacks(*JOINS, moving=True), stacks(*ENDS), None),
    ],
    ids=["joined first", "the queue is read", "the child computes", "it moves"],
)
def test_a_process_that_is_joined_before_its_queue_is_read_is_told(
    knowledge: Knowledge, parent: Record, child: Record, told: bool | None
) -> None:
    helper = process(role="child", pid=321, parent=100)
    seen = Seen(knowledge, [process(), steps(loss=LOSSES), parent], [helper, child])

    assert seen["process.queue_not_read"] is told


def test_a_child_of_another_process_waits_for_somebody_else(knowledge: Knowledge) -> None:
    helper = process(role="child", pid=321, parent=55)
    seen = Seen(knowledge, [process(), steps(loss=LOSSES), stacks(*JOINS)], [helper, stacks(*ENDS)])

    assert seen["process.queue_not_read"] is None
