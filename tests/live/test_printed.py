"""What a watched script prints: passed through as it is, and read for what it says of validation."""

from __future__ import annotations

from pathlib import Path

import pytest

from traindx.engine.kb.knowledge import Knowledge
from traindx.probes.live.observer.printed import MOST

from .journals import Record, Seen, process
from .running import run_bare, watch

SCRIPT = """
import sys
import torch
print("epoch 1", end=" ")
print("val_loss", 2.5)
sys.stderr.write("10%\\r50%\\r100%\\n")
sys.stdout.write("no end")
"""


def printed(folder: Path, script: str) -> list[str]:
    ran = watch(script, folder)
    assert (ran.code, ran.out, ran.err) == run_bare(script, folder)
    assert not ran.of("trouble")
    return [line for record in ran.of("printed") for line in record["lines"]]


def test_lines_are_heard_whole_and_what_a_bar_wrote_over_is_left_out(tmp_path: Path) -> None:
    assert printed(tmp_path, SCRIPT) == ["epoch 1 val_loss 2.5", "100%", "no end"]


def test_a_script_without_torch_is_not_heard(tmp_path: Path) -> None:
    assert printed(tmp_path, 'print("val_loss 2.5")') == []


def test_streams_of_the_scripts_own_stay_its_own(tmp_path: Path) -> None:
    script = """
import io, sys, torch
kept, sys.stdout = sys.stdout, io.StringIO()
print("aside")
aside, sys.stdout = sys.stdout.getvalue(), kept
print(len(aside), sys.stdout.isatty(), type(sys.stdout).__name__)
"""
    assert printed(tmp_path, script) == ["6 False TextIOWrapper"]


def test_what_a_forked_child_prints_is_not_told_twice(tmp_path: Path) -> None:
    script = """
import os, torch
print("before")
if os.fork() == 0:
    os._exit(0)
os.wait()
print("after")
"""
    assert printed(tmp_path, script) == ["before", "after"]


def test_no_more_than_a_bounded_part_is_kept(tmp_path: Path) -> None:
    script = f"import torch\\nfor _ in range(20):\\n    print('x' * {MOST // 10})"
    assert sum(map(len, printed(tmp_path, script))) <= MOST


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
