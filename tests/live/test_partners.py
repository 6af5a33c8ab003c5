"""A rank that lost another: how that one had ended, by its own last record or by the launcher's words."""

from __future__ import annotations

from typing import Any

import pytest

from traindx.engine.kb.knowledge import Knowledge

from .journals import Record, Seen, process, raised, steps

LOSSES = [2.0 - 0.01 * step for step in range(60)]
CLOSED = "[../gloo/transport/tcp/pair.cc:553] Connection closed by peer [127.0.0.1]:23456"
COLLECTIVE = "/env/lib/python3.11/site-packages/torch/distributed/distributed_c10d.py:3252 in all_reduce"
BY_TORCHRUN = """
Failures:
[1]:
  rank      : 0 (local_rank: 0)
  exitcode  : -15 (pid: 100)  (SIGTERM)
Root Cause (first observed failure):
[0]:
  rank      : 1 (local_rank: 1)
  exitcode  : -9 (pid: 101)
"""


def lost(**more: Any) -> list[Record]:
    """Rank 0, which was left alone in the middle of a step."""
    error = {**raised("RuntimeError", CLOSED, t=9.5), **more}
    return [process(0, 2, parent=50), steps(loss=LOSSES), error]


def end(t: float = 9.2, **more: object) -> Record:
    return {"kind": "end", "t": t, "how": "exit", "steps": 60, **more}


def other(*more: Record) -> list[Record]:
    return [process(1, 2, parent=50), steps(loss=LOSSES), *more]


def launcher(kind: str, message: str) -> list[Record]:
    return [process(pid=50, role="main"), raised(kind, message, t=12.0)]


def stands(*frames: str, **more: object) -> Record:
    threads = [{"name": "MainThread", "frames": list(frames)}]
    return {"kind": "stacks", "t": 9.0, "why": "no step", "step": 60, "threads": threads, **more}


def fault(*frames: str) -> Record:
    threads = [{"name": "MainThread", "frames": list(frames)}]
    return {"kind": "fault", "t": 9.1, "why": "Aborted", "threads": threads, "traceback": "Fatal Python error: Aborted\n"}  # fmt: skip


def test_a_rank_that_came_to_its_end_had_no_more_collectives(knowledge: Knowledge) -> None:
    seen = Seen(knowledge, lost(file="train.py", line=40), other(end()), status=1)

    assert (seen["dist.rank_ended_early"], seen["dist.rank_failed"]) == (True, False)
    assert (
        seen["dist.elsewhere"] == "rank 1 had come to its end in good order; rank 0 wanted it in train.py:40"
    )


def test_a_rank_that_left_with_a_bad_status_failed(knowledge: Knowledge) -> None:
    seen = Seen(knowledge, lost(), other(end(status=3)), status=1)

    assert (seen["dist.rank_failed"], seen["dist.rank_ended_early"]) == (True, False)
    assert seen["dist.failed_how"] == "rank 1 left with exit code 3 and raised nothing"
    assert seen.place("dist.failed_how").rank == 1


def test_a_rank_that_ended_later_is_not_the_reason(knowledge: Knowledge) -> None:
    seen = Seen(knowledge, lost(), other(end(t=30.0, status=3)), status=1)

    assert (seen["dist.rank_ended_early"], seen["dist.failed_how"]) == (None, None)


def test_a_rank_that_also_lost_another_did_not_fail(knowledge: Knowledge) -> None:
    seen = Seen(knowledge, lost(), other(raised("RuntimeError", CLOSED, t=9.6)), status=1)

    assert (seen["dist.rank_ended_early"], seen["dist.failed_how"]) == (None, None)


@pytest.mark.parametrize(
    ("kind", "message", "how"),
    [
        ("ChildFailedError", BY_TORCHRUN, "rank 1 was ended by SIGKILL"),
        ("ProcessExitedException", "process 1 terminated with signal SIGSEGV", "rank 1 was ended by SIGSEGV"),
        (
            "ProcessExitedException",
            "process 1 terminated with exit code 7",
            "rank 1 left with exit code 7 and raised nothing",
        ),
        ("ChildFailedError", BY_TORCHRUN.replace("-9", "-15"), None),
        ("ChildFailedError", BY_TORCHRUN.replace("101", "777"), None),
    ],
    ids=["torchrun", "a signal by spawn", "a status by spawn", "ended by the launcher", "another process"],
)
def test_the_launcher_knows_what_ended_a_silent_rank(
    knowledge: Knowledge, kind: str, message: str, how: str | None
) -> None:
    seen = Seen(knowledge, launcher(kind, message), lost(), other(), status=1)

    assert seen["dist.failed_how"] == how


@pytest.mark.parametrize(("status", "how"), [(1, "rank 1 was ended by SIGKILL"), (-15, None), (143, None)])
def test_a_rank_that_fell_silent_without_a_launcher_was_killed(
    knowledge: Knowledge, status: int, how: str | None
) -> None:
    assert Seen(knowledge, lost(), other(), status=status)["dist.failed_how"] == how


def test_of_two_silent_ranks_either_may_be_the_reason(knowledge: Knowledge) -> None:
    third = [process(2, 3), steps(loss=LOSSES)]

    assert Seen(knowledge, lost(), other(), third, status=1)["dist.failed_how"] is None


def test_a_rank_that_raised_itself_is_named_with_what_it_raised(knowledge: Knowledge) -> None:
    own = {**raised("KeyError", "'stars'", t=9.1), "file": "train.py", "line": 31}
    seen = Seen(knowledge, lost(), other(own), status=1)

    assert seen["dist.failed_how"] == "rank 1 raised KeyError: 'stars' at train.py:31"


def test_native_code_that_fails_in_a_collective_is_no_failure_of_its_rank(knowledge: Knowledge) -> None:
    in_collective = Seen(knowledge, lost(), other(fault("train.py:56 in worker", COLLECTIVE)), status=1)
    in_own_code = Seen(knowledge, lost(), other(fault("train.py:30 in decode")), status=1)

    assert in_collective["dist.failed_how"] is None
    assert (
        in_own_code["dist.failed_how"] == "rank 1 was ended in native code (Aborted) at train.py:30 (decode)"
    )


def test_the_collective_in_which_native_code_failed_is_named_whatever_was_called_in_it(
    knowledge: Knowledge,
) -> None:
    below = "/env/lib/python3.11/site-packages/torch/_ops.py:882 in redispatch"
    gathers = Seen(knowledge, [process(0, 2), fault("train.py:18 in <module>", COLLECTIVE, below)])
    functional = "/env/lib/python3.11/site-packages/torch/distributed/_functional_collectives.py:209 in all_gather_single"
    shards = Seen(knowledge, [process(0, 2), fault("train.py:18 in <module>", functional, below)])
    computes = Seen(knowledge, [process(0, 2), fault("train.py:18 in <module>", below)])

    assert gathers["process.fault_collective"] == "all_reduce"
    assert shards["process.fault_collective"] == "all_gather_single"
    assert computes["process.fault_collective"] is None


def test_a_rank_that_left_while_another_stands_in_a_collective(knowledge: Knowledge) -> None:
    waits = [process(0, 2), steps(loss=LOSSES), stands("train.py:40 in main", COLLECTIVE)]
    left = Seen(knowledge, waits, other(end(status=3)))
    finished = Seen(knowledge, waits, other(end(status=0)))

    assert (left["dist.rank_failed"], left["dist.rank_ended_early"]) == (True, False)
    assert left["dist.elsewhere"] == "rank 1 left with exit code 3 and raised nothing"
    assert (finished["dist.rank_failed"], finished["dist.rank_ended_early"]) == (False, True)


def test_our_own_frames_are_not_those_of_an_import(knowledge: Knowledge) -> None:
    ours = "<frozen traindx, hidden as importlib._bootstrap is>:71 in fetch"
    seen = Seen(
        knowledge, [process(), steps(loss=LOSSES), fault("train.py:44 in main", ours, "data.py:30 in get")]
    )

    assert seen["process.fault_importing"] is False


JOINS = [
    "train.py:63 in <module>",
    "/env/lib/python3.11/site-packages/torch/multiprocessing/spawn.py:140 in join",
    "/usr/lib/python3.11/multiprocessing/connection.py:947 in wait",
]
INITIALISES = stands("train.py:12 in run", COLLECTIVE.replace("all_reduce", "init_process_group"))


@pytest.mark.parametrize(
    ("child", "where"),
    [
        ([], None),
        ([{**INITIALISES, "moving": True}], None),
        ([INITIALISES], "train.py:12 (run)"),
        ([end()], "train.py:63 (<module>)"),
    ],
    ids=["begins", "computes", "stands too", "has ended"],
)
def test_what_waits_for_its_own_processes_stands_where_they_stand(
    knowledge: Knowledge, child: list[Record], where: str | None
) -> None:
    started = [
        process(pid=321, parent=100, role="child"),
        {"kind": "torch", "t": 2.0, "torch": "2.9"},
        *child,
    ]
    seen = Seen(knowledge, [process(pid=100), stands(*JOINS)], started)

    assert (seen["process.stuck"], seen["process.stuck_in"]) == (None if where is None else True, where)
