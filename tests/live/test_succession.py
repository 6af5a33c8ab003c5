"""Optimizers that are made anew for the same parameters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

from .checking import checked, mlp
from .looking import Said

EPOCHS, STEPS = 8, 5


def epochs(
    make: Callable[[Any], Any], between: Callable[[Any], object] = lambda model: None, steps: int = STEPS
) -> Said:
    """A new optimizer in every epoch."""
    with checked() as said:
        model = mlp()
        for _ in range(EPOCHS):
            between(model)
            optimizer = make(model.parameters())
            for _ in range(steps):
                optimizer.zero_grad()
                model(torch.randn(4, 8)).square().mean().backward()
                optimizer.step()
    return said


def adam(parameters: Any) -> torch.optim.Optimizer:
    return torch.optim.Adam(parameters, lr=1e-3)


def test_state_that_is_thrown_away_in_every_epoch_is_counted() -> None:
    assert epochs(adam)["log.optimizer_remade"] == 3


@pytest.mark.parametrize("momentum", [0.0, 0.9])
def test_plain_sgd_has_none_to_lose(momentum: float) -> None:
    said = epochs(lambda parameters: torch.optim.SGD(parameters, lr=1e-3, momentum=momentum))
    assert ("log.optimizer_remade" in said.facts) is bool(momentum)


@pytest.mark.parametrize(("steps", "lost"), [(60, True), (130, False)])
def test_a_momentum_that_had_its_time_is_no_loss(steps: int, lost: bool) -> None:
    """One task after the other, each with an optimizer of its own."""
    said = epochs(lambda parameters: torch.optim.SGD(parameters, lr=1e-3, momentum=0.9), steps=steps)
    assert ("log.optimizer_remade" in said.facts) is lost


def test_averages_of_squares_remember_longer() -> None:
    assert "log.optimizer_remade" in epochs(adam, steps=130).facts


def test_weights_that_are_put_back_begin_another_training() -> None:
    start = {name: one.clone() for name, one in mlp().state_dict().items()}
    assert "log.optimizer_remade" not in epochs(adam, lambda model: model.load_state_dict(start)).facts


def test_another_model_is_another_training() -> None:
    with checked() as said:
        for _ in range(EPOCHS):
            model = mlp()
            optimizer = adam(model.parameters())
            for _ in range(STEPS):
                optimizer.zero_grad()
                model(torch.randn(4, 8)).square().mean().backward()
                optimizer.step()
    assert "log.optimizer_remade" not in said.facts


def test_a_parameter_that_counts_no_versions_breaks_nothing() -> None:
    with torch.inference_mode():
        frozen = torch.nn.Parameter(torch.zeros(2), requires_grad=False)
    weight = torch.nn.Parameter(torch.ones(2))
    with checked() as said:
        for _ in range(EPOCHS):
            optimizer = adam([frozen, weight])
            for _ in range(STEPS):
                optimizer.zero_grad()
                weight.square().sum().backward()
                optimizer.step()
    assert "log.optimizer_remade" not in said.facts


def test_tasks_with_heads_of_their_own_on_one_trunk_lose_nothing() -> None:
    with checked() as said:
        trunk = torch.nn.Linear(8, 16)
        heads = [torch.nn.Linear(16, 4) for _ in range(EPOCHS)]
        for head in heads:
            optimizer = adam([*trunk.parameters(), *head.parameters()])
            for _ in range(STEPS):
                optimizer.zero_grad()
                head(trunk(torch.randn(4, 8))).square().mean().backward()
                optimizer.step()
    assert "log.optimizer_remade" not in said.facts
