"""Work in a child process beside ours."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator

import pytest

from traindx.engine.beside import beside, both_halves


def test_the_first_half_comes_before_the_second() -> None:
    assert both_halves(lambda half: range(half, 6, 2)) == [0, 2, 4, 1, 3, 5]


def test_a_mistake_in_either_half_is_not_passed_over() -> None:
    def second_fails(half: int) -> Iterator[int]:
        yield 1
        if half:
            raise SystemExit("broken")

    with pytest.raises(SystemExit, match="broken"):
        both_halves(second_fails)


def test_work_whose_child_dies_is_done_here() -> None:
    parent = os.getpid()

    def work() -> str:
        if os.getpid() != parent:
            os._exit(9)
        return "done"

    assert beside(work)() == "done"


def test_what_cannot_be_sent_is_made_here() -> None:
    assert beside(lambda: lambda: 3)()() == 3


def test_work_in_a_child_may_have_work_beside_it() -> None:
    assert beside(lambda: beside(lambda: 1)() + 2)() == 3


def test_a_process_ends_though_nobody_asks_for_the_result() -> None:
    code = "from traindx.engine.beside import beside\nrest = beside(lambda: bytes(1 << 24))"
    assert subprocess.run([sys.executable, "-c", code], timeout=30, check=False).returncode == 0


def test_with_threads_nothing_is_forked() -> None:
    over = threading.Event()
    thread = threading.Thread(target=over.wait)
    thread.start()
    try:
        assert beside(os.getpid)() == os.getpid()
    finally:
        over.set()
        thread.join()
