"""What a watched script prints: passed through as it is, and read for what it says of validation."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from traindx.engine.kb.knowledge import Knowledge
from traindx.probes.live.observer.printed import LONGEST, MOST

from .checking import checked
from .journals import Record, Seen, process
from .running import run_bare, watch

SCRIPT = """
import io, os, sys
import torch
print("epoch 1", end=" ")
print("val_loss", 2.5)
sys.stderr.write("10%\\r50%\\r100%\\n")
kept, sys.stdout = sys.stdout, io.StringIO()
print("aside")
aside, sys.stdout = sys.stdout.getvalue(), kept
print(len(aside), sys.stdout.isatty(), type(sys.stdout).__name__, flush=True)
if os.fork() == 0:
    os._exit(0)
os.wait()
sys.stdout.write("no end")
"""


def test_lines_are_heard_whole_and_the_streams_stay_what_they_are(tmp_path: Path) -> None:
    ran = watch(SCRIPT, tmp_path)
    assert (ran.code, ran.out, ran.err) == run_bare(SCRIPT, tmp_path)
    assert not ran.of("trouble")
    # What a bar wrote over and what goes elsewhere is left out; a forked child says nothing again.
    heard = [line for record in ran.of("printed") for line in record["lines"]]
    assert heard == ["epoch 1 val_loss 2.5", "100%", "6 False TextIOWrapper", "no end"]


def test_a_script_without_torch_is_not_heard(tmp_path: Path) -> None:
    assert watch('print("val_loss 2.5")', tmp_path).of("printed") == []


def test_no_more_than_a_bounded_part_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stdout", stream)
    monkeypatch.setattr(sys, "stderr", stream)
    with checked("printed.Printed") as said:
        for _ in range(20):
            print("x" * (MOST // 10))
    heard = [line for record in said.records("printed") for line in record["lines"]]
    assert 0 < sum(map(len, heard)) <= 20 * LONGEST
    assert len(heard) <= 10
    assert len(stream.getvalue()) > MOST


class Tee(io.StringIO):
    def write(self, message: str, flush: bool = False) -> int:
        return super().write(message)


def test_a_stream_of_another_kind_is_called_as_the_script_calls_it(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = Tee()
    monkeypatch.setattr(sys, "stdout", stream)
    monkeypatch.setattr(sys, "stderr", stream)
    with checked("printed.Printed"):
        stream.write("val_loss", True)
        stream.write(message=" 0.5\n", flush=True)
    assert stream.getvalue() == "val_loss 0.5\n"
    assert "write" not in vars(stream)


STEPS: Record = {"kind": "steps", "step": list(range(1, 21)), "loss": [2 / n for n in range(1, 21)]}


@pytest.mark.parametrize(
    ("values", "rising"), [((1.0, 0.6, 0.5, 0.5, 0.9, 1.4, 2.0), True), ((1.0, 0.8, 0.6, 0.5, 0.4), False)]
)
def test_the_validation_loss_is_read_from_what_is_printed(
    knowledge: Knowledge, values: tuple[float, ...], rising: bool
) -> None:
    lines = [f"epoch {number}: val_loss={value}" for number, value in enumerate(values, 1)]
    seen = Seen(knowledge, [process(), STEPS, {"kind": "printed", "step": 20, "lines": lines}])
    assert seen["loss.eval.rising"] is rising
    assert seen["loss.eval.last"] == values[-1]


def test_what_is_seen_of_the_training_itself_is_not_read_from_print(knowledge: Knowledge) -> None:
    lines = ["step 1 loss 77.0", "step 2 loss 78.0", "step 3 loss nan"]
    seen = Seen(knowledge, [process(), STEPS, {"kind": "printed", "step": 20, "lines": lines}])
    assert seen["loss.first"] == 2.0
    assert seen["loss.nonfinite"] is False


@pytest.mark.parametrize("optimizers", [1, 2])
def test_what_an_agent_earns_is_read_from_print(knowledge: Knowledge, optimizers: int) -> None:
    lines = [f"episode {20 * number} return {9.0 + 7 * number % 11 / 10}" for number in range(20)]
    steps = [{**STEPS, "optimizer": number} for number in range(optimizers)]
    seen = Seen(knowledge, [process(), *steps, {"kind": "printed", "step": 20, "lines": lines}])
    assert seen["log.reward.risen"] is False


def logged_by_torch(said: str) -> str:
    return f"W1123 02:50:55.163000 26359 torch/_dynamo/convert_frame.py:1994] [0/8] {said}"


@pytest.mark.parametrize("as_torch", [True, False])
def test_what_torch_logs_is_taken_and_the_same_words_of_the_script_are_not(
    knowledge: Knowledge, as_torch: bool
) -> None:
    said = ["torch._dynamo hit config.recompile_limit (8)", "   last reason: 0/7: self.calls == 7"]
    lines = ["step 1 loss 2.0", *(logged_by_torch(one) if as_torch else one for one in said)]
    seen = Seen(knowledge, [process(), STEPS, {"kind": "printed", "step": 20, "lines": lines}])
    assert seen["log.recompile_limit_hit"] is (True if as_torch else None)
    assert (seen["model.recompile_reason"] is not None) is as_torch


def test_of_a_run_in_which_torch_logs_nothing_is_not_said_that_it_compiles_once(knowledge: Knowledge) -> None:
    printed = {"kind": "printed", "step": 20, "lines": ["step 1 loss 2.0"]}
    assert Seen(knowledge, [process(), STEPS, printed])["log.recompile_limit_hit"] is None
