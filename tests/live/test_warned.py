"""Warnings that Python prints are noted once, with their lines, and read as the lines of a log are."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from traindx.engine.facts import Place
from traindx.engine.kb.knowledge import Knowledge

from .journals import Record, Seen, process
from .running import run_bare, watch

DEVIATION = "std(): degrees of freedom is <= 0. Correction should be strictly less than the reduction factor"

TWICE = """
import sys, warnings
def often():
    for _ in range(3):
        warnings.warn("few values", RuntimeWarning)
often()
warnings.simplefilter("always")
often()
print("end", file=sys.stderr)
"""


def noted(script: str, folder: Path, **more: Any) -> list[tuple[str, int]]:
    """The text and the line of each warning that was noted; what was printed is as without us."""
    _, out, err = run_bare(script, folder)
    ran = watch(script, folder, **more)
    assert (ran.out, ran.err) == (out, err)
    assert not ran.of("trouble")
    return [(one["message"], one["line"]) for one in ran.of("warning")]


def test_a_warning_is_noted_once_with_its_line_however_often_it_is_printed(tmp_path: Path) -> None:
    assert noted(TWICE, tmp_path) == [("few values", 5)]


def test_a_warning_of_torch_names_the_line_of_the_script_and_the_step(tmp_path: Path) -> None:
    script = """
import torch
weight = torch.nn.Parameter(torch.ones(1))
optimizer = torch.optim.SGD([weight], lr=0.1)
weight.sum().backward()
optimizer.step()
weight.std()
"""
    record = next(one for one in watch(script, tmp_path).of("warning") if "std()" in one["message"])
    assert (record["file"], record["line"], record["step"]) == (str(tmp_path / "program.py"), 7, 1)
    assert record["category"] == "UserWarning"


@pytest.mark.parametrize(
    "script",
    [
        "warnings.simplefilter('ignore')\nwarnings.warn('few values')",
        "with warnings.catch_warnings(record=True):\n    warnings.warn('few values')",
        "warnings.showwarning = lambda *args: print('mine', args[0])\nwarnings.warn('few values')",
        "import logging\nlogging.captureWarnings(True)\nwarnings.warn('few values')",
    ],
    ids=["filtered", "caught", "shown otherwise", "logged"],
)
def test_a_warning_that_python_does_not_print_is_not_noted(script: str, tmp_path: Path) -> None:
    assert noted(f"import warnings\n{script}\n", tmp_path) == []


def test_what_is_printed_after_warnings_were_caught_is_noted_again(tmp_path: Path) -> None:
    script = "import warnings\nwith warnings.catch_warnings():\n    pass\nwarnings.warn('few values')\n"
    assert noted(script, tmp_path) == [("few values", 4)]


def test_a_format_of_the_scripts_own_is_kept(tmp_path: Path) -> None:
    own = "import warnings\nwarnings.formatwarning = lambda *args: f'mine {args[0]}'\n"
    assert noted(f"{own}warnings.warn('few values')\n", tmp_path) == [("few values", 3)]


def test_what_printing_raises_shows_nothing_of_ours(tmp_path: Path) -> None:
    own = "import warnings\nwarnings.formatwarning = lambda *args: 1 / 0\n"
    assert noted(f"{own}warnings.warn('few values')\n", tmp_path) == []


def test_warnings_that_are_errors_stay_errors(tmp_path: Path) -> None:
    ran = watch(TWICE, tmp_path, flags=("-W", "error"))
    bare = [sys.executable, "-W", "error", str(tmp_path / "program.py")]
    alone = subprocess.run(bare, check=False, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert (ran.code, ran.err) == (alone.returncode, alone.stderr)
    assert ran.code == 1
    assert ran.of("warning") == []


def test_no_more_than_some_warnings_of_a_process_are_noted(tmp_path: Path) -> None:
    script = (
        "import warnings\nfor at in range(200):\n    warnings.warn_explicit('x', UserWarning, 'a.py', at)\n"
    )
    assert len(noted(script, tmp_path)) == 64


def warning(message: str, line: int, **more: Any) -> Record:
    return {
        "kind": "warning", "t": 1.0, "category": "UserWarning", "message": message, "file": "agent.py", "line": line, **more
    }  # fmt: skip


def test_a_warning_is_read_with_the_signatures_of_logs_at_its_own_line(knowledge: Knowledge) -> None:
    sizes = "Using a target size (torch.Size([64])) that is different to the input size (torch.Size([64, 1])). This will likely lead"
    seen = Seen(
        knowledge,
        [process(), warning("of\nanything", 3), warning(DEVIATION, 66, step=38), warning(sizes, 70)],
    )
    assert seen["log.deviation_of_too_few"] is True
    place = seen.place("log.deviation_of_too_few")
    assert (place.input, place.line) == ("agent.py", 66)
    assert seen["log.shape.target"] == "[64]"
    event = next(one for one in seen.findings.events if "deviation" in one.what)
    assert event.place._replace(text="") == Place("agent.py", 66, step=38)


def test_what_was_not_warned_of_is_not_known(knowledge: Knowledge) -> None:
    seen = Seen(knowledge, [process(), warning(DEVIATION, 66)])
    assert seen["log.target_size_broadcasts"] is None
    assert seen["log.traceback"] is None
