"""How far the first step moves the weights of layers."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn

from tests.live.checking import checked


def first_update(rate: float, start: float = 1.0, kind: Any = torch.optim.Adam) -> float | None:
    model = nn.Sequential(*(nn.Linear(16, 16) for _ in range(4)))
    with torch.no_grad():
        for one in model.parameters():
            one.mul_(start)
    with checked("updates.Updates", "losses.Losses", "steps.Steps") as said:
        optimizer = kind(model.parameters(), lr=rate)

        def closure() -> Any:
            optimizer.zero_grad()
            loss = (model(inputs) - 5).square().mean()
            loss.backward()
            return loss

        for _ in range(3):
            inputs = torch.randn(32, 16)
            optimizer.step(closure)
    found: float | None = said.facts.get("grad.first_update_ratio")
    return found


@pytest.mark.parametrize(("rate", "least", "most"), [(0.5, 2.0, 10.0), (0.001, 0.0, 0.1)])
def test_the_first_step_is_measured_by_the_weights_that_it_moves(
    rate: float, least: float, most: float
) -> None:
    ratio = first_update(rate)
    assert ratio is not None
    assert least < ratio < most


def test_weights_that_begin_near_zero_and_a_step_of_many_moves_tell_nothing() -> None:
    assert first_update(0.01, start=0.01) is None
    assert first_update(1.0, kind=torch.optim.LBFGS) is None


def test_a_second_phase_is_judged_by_its_own_weights() -> None:
    with checked("updates.Updates", "gradients.Gradients", "losses.Losses", "steps.Steps") as said:
        for rate in (0.1, 1e-30):  # what a rate of 1e-30 adds to a number of usual size is rounded away
            model = nn.Linear(8, 4)
            optimizer = torch.optim.SGD(model.parameters(), rate)
            for _ in range(20):
                optimizer.zero_grad()
                model(torch.randn(4, 8)).square().mean().backward()
                optimizer.step()
    assert said["model.unchanged_names"] == ["weight", "bias"]
