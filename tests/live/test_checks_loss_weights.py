"""Weights of a loss, and whether an optimizer holds them."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from tests.live.checking import checked, mlp, numbers


def run(network: nn.Module, loss_of: Callable[[Any], Any], *also: nn.Parameter) -> Any:
    """What is said of a loop with this loss, and an optimizer that also holds these."""
    with checked("holding.Holding") as said:
        optimizer = torch.optim.SGD([*network.parameters(), *also], lr=0.01)
        for _ in range(12):
            optimizer.zero_grad()
            loss_of(network).backward()
            optimizer.step()
    return said.facts


class Uncertainty(nn.Module):
    """Weighs two terms by what it learns."""

    def __init__(self) -> None:
        super().__init__()
        self.logs = nn.ParameterList(nn.Parameter(torch.zeros(())) for _ in range(2))

    def forward(self, *terms: Any) -> Any:
        return sum((-log).exp() * term + log for log, term in zip(self.logs, terms, strict=True))


class Margin(nn.Module):
    """Holds one row for each class."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(4, 1))

    def forward(self, first: Any, second: Any) -> Any:
        return first + (self.weight * second).square().mean()


class Scaled(nn.Module):
    """Multiplies each feature."""

    def __init__(self) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.ones(4))

    def forward(self, rows: Any) -> Any:
        return rows * self.scale


@pytest.mark.parametrize("kind", [Uncertainty, Margin])
@pytest.mark.parametrize("held", [False, True])
def test_weights_of_a_loss_that_no_optimizer_holds(kind: Any, held: bool) -> None:
    weigh = kind()

    def loss(model: Any) -> Any:
        inputs, targets = numbers()
        outputs = model(inputs)
        return weigh(F.mse_loss(outputs, targets), F.l1_loss(outputs, targets))

    facts = run(mlp(8, 1), loss, *(weigh.parameters() if held else ()))
    assert facts.get("model.loss_weights_outside") == (None if held else [kind.__name__])


def test_the_weights_of_a_copy_and_of_a_network_may_stay() -> None:
    network, margin, judge = mlp(8, 1), Margin(), nn.Linear(1, 1)

    def loss(model: Any) -> Any:
        inputs, targets = numbers()
        teacher = copy.deepcopy(margin)
        outputs = judge(model(inputs))
        return teacher(F.mse_loss(outputs, targets), outputs.mean())

    assert "model.loss_weights_outside" not in run(network, loss)


def test_a_layer_that_was_written_by_hand_within_a_network_may_stay() -> None:
    judge = nn.Sequential(nn.Linear(1, 4), Scaled(), nn.Linear(4, 1))

    def loss(model: Any) -> Any:
        inputs, targets = numbers()
        return F.mse_loss(judge(model(inputs)), targets)

    assert "model.loss_weights_outside" not in run(mlp(8, 1), loss)
