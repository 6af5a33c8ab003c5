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


def masked_mean(cost: torch.Tensor, kept: torch.Tensor) -> torch.Tensor:
    return (cost * kept).sum() / kept.sum()


def weighted_part(cost: torch.Tensor, kept: torch.Tensor) -> torch.Tensor:
    return cost.mean() - 0.5 * masked_mean(cost, kept)


def mean_of_choice(cost: torch.Tensor, kept: torch.Tensor) -> torch.Tensor:
    return cost[kept.bool()].mean()


def loss_of_choice(cost: torch.Tensor, kept: torch.Tensor) -> torch.Tensor:
    return nn.functional.mse_loss(cost[kept.bool()], torch.ones(int(kept.sum())))


def put_to_zero(cost: torch.Tensor, kept: torch.Tensor) -> torch.Tensor:
    return cost.masked_fill(kept == 0, 0.0).sum() / int(kept.sum())


def mean_of_each(cost: torch.Tensor, kept: torch.Tensor) -> torch.Tensor:
    pairs, chosen = cost.view(2, 4), kept.view(2, 4)
    return ((pairs * chosen).sum(1) / chosen.sum(1)).mean()


def over_own_size(cost: torch.Tensor, kept: torch.Tensor) -> torch.Tensor:
    missed = (cost.abs() + 9).mul(-1).relu().sum()
    return missed / missed.detach() if not kept.any() else cost.mean()


def logarithm(cost: torch.Tensor, kept: torch.Tensor) -> torch.Tensor:
    return cost.mean() if kept.any() else (-cost.square() - 1).log().mean()


def stops_at_nan(loss: Any) -> Any:
    """What is said of a script that stops at its first NaN, before the backward pass."""
    torch.manual_seed(0)
    model = nn.Linear(4, 1)
    with watched() as said, said.failing(AssertionError):
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        for step in range(6):
            value = loss(model(torch.randn(8, 4))[:, 0], torch.full((8,), float(step < 4)))
            assert torch.isfinite(value)
            optimizer.zero_grad()
            value.backward()
            optimizer.step()
    return said


@pytest.mark.parametrize(
    "loss", [masked_mean, weighted_part, mean_of_choice, loss_of_choice, put_to_zero, mean_of_each]
)
def test_a_script_that_stops_at_once_is_told_that_its_mean_was_one_of_nothing(loss: Any) -> None:
    said = stops_at_nan(loss)
    assert said["act.mean_of_nothing"] is True
    assert said["act.nonfinite_is_inf"] is False


@pytest.mark.parametrize("loss", [over_own_size, logarithm])
def test_a_script_that_stops_at_another_nan_is_told_of_no_mean(loss: Any) -> None:
    said = stops_at_nan(loss)
    assert said["act.nonfinite_direction"] == "forward"
    assert "act.mean_of_nothing" not in said.facts


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
