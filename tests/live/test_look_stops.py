"""What a look does at its edges: compiled models, scripts that stop, modes that come and go."""

from __future__ import annotations

import sys
import types
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from traindx.probes.live.observer.look.found import Found
from traindx.probes.live.observer.look.stack import put_in, take_out
from traindx.probes.live.observer.look.stopped import named_by_source

from .looking import watched


class Mode:
    def __torch_function__(self, function: Any, kinds: Any, args: Any = (), kwargs: Any = None) -> Any:
        return function(*args, **(kwargs or {}))


def test_a_mode_of_the_script_that_was_there_before_may_end_while_ours_is_in() -> None:
    ours = Mode()
    with torch.device("meta"):
        put_in(torch, ours)
    assert torch.empty(1).device.type == "cpu"
    assert take_out(torch, ours)
    assert torch._C._len_torch_function_stack() == 0


def test_a_mode_of_the_script_that_came_after_ours_stays_when_ours_goes() -> None:
    ours = Mode()
    put_in(torch, ours)
    with torch.device("meta"):
        assert take_out(torch, ours)
        assert torch.empty(1).device.type == "meta"
    assert torch._C._len_torch_function_stack() == 0


def test_what_is_not_in_is_not_taken_out() -> None:
    assert not take_out(torch, Mode())


@pytest.fixture
def script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file that stands for the script that runs."""
    path = tmp_path / "train.py"
    main = types.ModuleType("__main__")
    main.__file__ = str(path)
    monkeypatch.setitem(sys.modules, "__main__", main)
    return path


LOG = Found("forward", "operation", "nan", "log", "LogBackward0")


def test_the_only_line_that_calls_the_operation_is_named(script: Path) -> None:
    script.write_text(
        "import torch, math\nscale = math.log(2)\nloss = -torch.log(p).mean()\nself.log('loss', loss)\n"
    )
    assert str(named_by_source(torch, LOG).place) == f"{script}:3"


def test_of_two_lines_that_call_the_operation_none_is_named(script: Path) -> None:
    script.write_text("loss = p.log().mean()\nentropy = q.log().mean()\n")
    assert str(named_by_source(torch, LOG).place) == ""


def test_a_script_that_cannot_be_read_names_nothing(script: Path) -> None:
    script.write_text("loss = (")
    assert named_by_source(torch, LOG) == LOG


def test_where_the_model_is_compiled_there_is_no_look() -> None:
    torch.manual_seed(0)
    torch._dynamo.reset()
    model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
    compiled = torch.compile(model, backend="eager")
    with watched() as said:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for step in range(5):
            outputs = compiled(torch.randn(8, 4))
            loss = (outputs.log() if step == 3 else outputs).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    assert torch._dynamo.utils.counters["stats"]["unique_graphs"] == 1
    assert "no closer look: parts of the run are compiled" in [one["what"] for one in said.records("event")]
    assert said["test.anomaly_names_op"] == "LogBackward0"
    torch._dynamo.reset()
    torch._dynamo.utils.counters.clear()
