from __future__ import annotations

import io
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from traindx.engine.kb.knowledge import Knowledge
from traindx.probes.inputs import Kind
from traindx.probes.logs import follow
from traindx.probes.logs.follow import Following
from traindx.probes.logs.followed import FollowedLog
from traindx.probes.logs.noticing import Noticed


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(follow, "POLL", 0.01)


def steps(first: int, last: int, loss: Callable[[int], float] = lambda step: 2.0 / (1 + step / 50)) -> str:
    return "".join(f"step {step} loss {loss(step):.4f}\n" for step in range(first, last))


class Tail:
    """A log that a writer appends to while it is followed. What was noticed and told is collected."""

    def __init__(self, path: Path, knowledge: Knowledge) -> None:
        self.path = path
        self.noticed: list[Noticed] = []
        self.told: list[str] = []
        self.stop = threading.Event()
        self._log = FollowedLog(
            path,
            Kind.LOG,
            knowledge,
            stop=self.stop,
            say=self.noticed.append,
            tell=self.told.append,
            patience=30,
        )

    def follow(self, write: Callable[[Tail], None]) -> dict[str, object]:
        """The facts in the end; `write` runs beside, and the following stops when it is done."""

        def work() -> None:
            try:
                write(self)
                time.sleep(0.1)
            finally:
                self.stop.set()

        writer = threading.Thread(target=work)
        writer.start()
        facts: dict[str, object] = {fact.name: fact.value for fact in self._log.run().facts}
        writer.join()
        return facts

    def append(self, text: str) -> None:
        with self.path.open("a", encoding="utf-8") as file:
            file.write(text)

    def until(self, wanted: str) -> None:
        """Wait until something was said that holds these words."""
        end = time.monotonic() + 20
        while not any(wanted in one for one in (*(one.what for one in self.noticed), *self.told)):
            assert time.monotonic() < end, f"{wanted!r} was not said: {self.noticed} {self.told}"
            time.sleep(0.01)


@pytest.fixture
def tail(tmp_path: Path, knowledge: Knowledge) -> Tail:
    return Tail(tmp_path / "train.log", knowledge)


def test_a_nan_is_said_once_while_the_log_grows(tail: Tail) -> None:
    def write(tail: Tail) -> None:
        tail.append(steps(0, 30))
        tail.append("step 30 loss nan\n")
        tail.until("NaN")
        tail.append("step 31 loss nan\n")

    facts = tail.follow(write)
    said = [one for one in tail.noticed if one.what == "the loss is NaN or Inf"]
    assert [(one.place.line, one.place.step) for one in said] == [(31, 30)]
    assert facts["loss.first_nonfinite_step"] == 30


def test_an_error_text_is_said_with_its_line(tail: Tail) -> None:
    def write(tail: Tail) -> None:
        tail.append(steps(0, 3))
        tail.append("RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB\n")
        tail.until("memory")

    tail.follow(write)
    assert any(one.role == "failure" and one.place.line == 4 for one in tail.noticed)


def test_a_healthy_log_is_followed_in_silence(tail: Tail) -> None:
    tail.follow(lambda tail: tail.append(steps(0, 300)))
    assert tail.noticed == []


def test_a_rotated_log_goes_on_in_its_successor(tail: Tail) -> None:
    def write(tail: Tail) -> None:
        tail.append(steps(0, 30))
        tail.append("RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB\n")
        tail.until("memory")
        os.rename(tail.path, tail.path.with_suffix(".1"))
        tail.append("step 30 loss nan\n")
        tail.until("NaN")

    facts = tail.follow(write)
    assert (facts["loss.count"], facts["loss.nonfinite"]) == (31, True)


def test_a_log_that_is_cut_short_belongs_to_another_run(tail: Tail) -> None:
    def write(tail: Tail) -> None:
        tail.append(steps(0, 30) + "step 30 loss nan\n")
        tail.until("NaN")
        tail.path.write_text("", encoding="utf-8")
        tail.until("cut short")
        tail.append(steps(0, 20))

    facts = tail.follow(write)
    assert (facts["loss.count"], facts["loss.nonfinite"]) == (20, False)


def test_a_log_that_is_not_there_yet_is_waited_for(tail: Tail) -> None:
    def write(tail: Tail) -> None:
        time.sleep(0.05)
        tail.append(steps(0, 5))

    assert tail.follow(write)["loss.count"] == 5


@pytest.mark.parametrize(("there", "why"), [(False, "there is no such file yet"), (True, "empty")])
def test_a_log_that_never_came_is_not_called_empty(
    tmp_path: Path, knowledge: Knowledge, there: bool, why: str
) -> None:
    path, stop = tmp_path / "train.log", threading.Event()
    if there:
        path.touch()
    silent = FollowedLog(path, Kind.LOG, knowledge, stop=stop, say=print, tell=print, patience=0.05)
    assert [one.note for one in silent.run().inputs] == [why]


def test_a_half_written_line_waits_for_its_rest(tail: Tail) -> None:
    def write(tail: Tail) -> None:
        tail.append(steps(0, 10) + "step 10 loss n")
        time.sleep(0.1)
        tail.append("an\n")
        tail.until("NaN")

    assert tail.follow(write)["loss.count"] == 11


def test_silence_ends_the_following(tmp_path: Path) -> None:
    path = tmp_path / "train.log"
    path.write_text("step 1 loss 2\n", encoding="utf-8")
    following = Following(path, threading.Event(), lambda: None, patience=0.05)
    with io.BufferedReader(following) as stream:
        assert stream.read() == b"step 1 loss 2\n"
