"""The outputs of compiled models, and parameters that learn no more from some step on."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch
from torch import nn

from tests.live.checking import checked, numbers
from tests.live.looking import Said

PARTS = ("parameters.Parameters", "gradients.Gradients", "steps.Steps")


@pytest.fixture(autouse=True)
def nothing_stays_compiled() -> Iterator[None]:
    """Where something was compiled in this process, other tests would see nothing."""
    yield
    torch._dynamo.reset()
    torch._dynamo.utils.counters.clear()


def network() -> nn.Sequential:
    return nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))


def regression(model: nn.Module, compiled: bool, silence_at: int, steps: int = 240) -> Said:
    """A regression whose hidden units fall silent at some step, as after one that is too large."""
    run = torch.compile(model, backend="eager") if compiled else model
    with checked(*PARTS) as said:
        optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
        for step in range(steps):
            if step == silence_at:
                model.get_parameter("0.bias").data.sub_(100.0)
            inputs, targets = numbers()
            optimizer.zero_grad()
            nn.functional.mse_loss(run(inputs), targets).backward()
            optimizer.step()
    return said


def test_a_compiled_model_that_falls_silent_is_seen() -> None:
    said = regression(network(), compiled=True, silence_at=15)
    assert said["act.same_output"] is True
    assert said["grad.died_share"] == 0.75  # the bias of the last layer learns on


def test_a_compiled_model_that_learns_is_not() -> None:
    said = regression(network(), compiled=True, silence_at=-1)
    assert said["act.same_output"] is False
    assert "grad.died_share" not in said.facts


def test_what_has_died_is_told_of_a_model_that_is_not_compiled_too() -> None:
    assert regression(network(), compiled=False, silence_at=15)["grad.died_share"] == 0.75


def test_a_loss_that_has_become_zero_leaves_nothing_dead() -> None:
    """Every gradient is zero then, that of the last bias as well."""
    model = network()
    with checked(*PARTS) as said:
        optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
        for step in range(240):
            optimizer.zero_grad()
            margin = 1e6 if step < 10 else -1e6
            torch.relu(margin - model(torch.randn(16, 8))).mean().backward()
            optimizer.step()
    assert "grad.died_share" not in said.facts


def test_a_loop_that_trains_both_parts_in_turn_has_nothing_dead() -> None:
    """A gradient that is there in some of the steps."""
    first, second = nn.Linear(8, 1), nn.Linear(8, 1)
    with checked(*PARTS) as said:
        optimizer = torch.optim.SGD([*first.parameters(), *second.parameters()], lr=1e-3)
        for step in range(240):
            inputs, targets = numbers()
            optimizer.zero_grad(set_to_none=False)
            part = first if step % 4 < 2 else second
            nn.functional.mse_loss(part(inputs), targets).backward()
            optimizer.step()
    assert "grad.died_share" not in said.facts
