"""Gradients that vanish and explode."""

from __future__ import annotations

from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from tests.live.checking import checked, classes, mlp, numbers, train
from tests.live.looking import Said


def deep(depth: int = 12) -> nn.Sequential:
    layers = [layer for _ in range(depth) for layer in (nn.Linear(16, 16), nn.Sigmoid())]
    return nn.Sequential(nn.Linear(8, 16), *layers, nn.Linear(16, 4))


def test_gradients_that_vanish_in_depth_are_seen() -> None:
    said = train(deep(), nn.CrossEntropyLoss())
    assert said["grad.early_layers_small"] is True
    assert said["grad.vanishing"] is True
    assert said["grad.vanishing_module"] == "0.weight"
    assert train(mlp(), nn.CrossEntropyLoss())["grad.vanishing"] is False


class _Routed(nn.Module):
    """Two experts behind a shared layer, of which one is given what the loss never asks for."""

    def __init__(self) -> None:
        super().__init__()
        self.shared, self.last = nn.Linear(8, 16), nn.Linear(16, 4)
        self.experts = nn.ModuleList([nn.Linear(16, 16), nn.Linear(16, 16)])

    def forward(self, inputs: Any) -> Any:
        hidden = self.shared(inputs)
        asked, other = self.experts[0](hidden), self.experts[1](hidden)
        return self.last(hidden + torch.where(torch.zeros_like(other, dtype=torch.bool), other, asked))


def test_a_branch_that_the_loss_does_not_ask_for_vanishes_not_by_depth() -> None:
    said = train(_Routed(), nn.CrossEntropyLoss())
    assert said["grad.vanishing"] is False
    assert "grad.vanishing_module" not in said.facts


class _Residual(nn.Module):
    """Blocks whose last layer starts at zero, as that of the whole does."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.last = nn.Linear(8, 16), nn.Linear(16, 1)
        self.blocks = nn.ModuleList(
            [nn.Sequential(nn.Linear(16, 16), nn.SiLU(), nn.Linear(16, 16)) for _ in range(3)]
        )
        layers: list[Any] = [self.last, *(list(block.children())[-1] for block in self.blocks)]
        for layer in layers:
            nn.init.zeros_(layer.weight)
            nn.init.zeros_(layer.bias)

    def forward(self, inputs: Any) -> Any:
        hidden = self.first(inputs)
        for block in self.blocks:
            hidden = hidden + block(hidden)
        return self.last(hidden)


def warmed_up(model: Any, steps: int, over: int = 10_000) -> Said:
    with checked() as said:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        rates = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1.0, (step + 1) / over))
        for _ in range(steps):
            inputs, targets = numbers()
            optimizer.zero_grad()
            F.mse_loss(model(inputs), targets).backward()
            optimizer.step()
            rates.step()
    return said


@pytest.mark.parametrize(("steps", "over"), [(12, 10_000), (60, 1_000)])
def test_weights_that_leave_zero_while_the_rate_warms_up_do_not_vanish(steps: int, over: int) -> None:
    said = warmed_up(_Residual(), steps, over)
    assert said["grad.early_layers_small"] is False
    assert said["grad.vanishing"] is False


def test_a_vanishing_gradient_that_is_over_is_taken_back() -> None:
    model: Any = deep(4)
    with checked() as said:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        for step in range(60):
            inputs, labels = classes()
            cut = 1e-9 if step < 12 else 1.0
            hidden = model[1](model[0](inputs))
            hidden = cut * hidden + (1 - cut) * hidden.detach()
            optimizer.zero_grad()
            F.cross_entropy(model[2:](hidden), labels).backward()
            optimizer.step()
            if step == 15:
                assert said["grad.vanishing"] is True
    assert said["grad.vanishing"] is False
    assert "grad.vanishing_module" not in said.facts


def test_a_loss_near_zero_is_no_vanishing_gradient() -> None:
    inputs = torch.randn(32, 8)
    model: Any = mlp(8, 1)
    target = model(inputs).detach()
    said = train(model, nn.MSELoss(), lambda: (inputs, target))
    assert said.facts.get("grad.vanishing") is not True


def test_gradients_that_explode_are_named() -> None:
    said = train(mlp(8, 1), lambda out, y: 1e6 * F.mse_loss(out, y), numbers, lr=1e-12)
    assert said["grad.exploding_module"] == "0.weight"
    assert "grad.exploding_module" not in train(mlp(8, 1), nn.MSELoss(), numbers).facts


def test_layers_whose_task_is_solved_in_the_end_do_not_vanish() -> None:
    model: Any = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 16), nn.ReLU())
    heads: Any = nn.ModuleList([nn.Linear(16, 4), nn.Linear(16, 4)])
    with checked() as said:
        optimizer = torch.optim.SGD([*model.parameters(), *heads.parameters()], lr=0.01)
        for step in range(1, 1101):
            inputs, labels = classes()
            hidden = model(inputs)
            solved = step >= 900
            optimizer.zero_grad()
            loss: Any = F.cross_entropy(heads[0](hidden), labels) * (1e-9 if solved else 1.0)
            (loss + F.cross_entropy(heads[1](hidden.detach()), labels)).backward()
            optimizer.step()
    assert said["grad.early_layers_small"] is False
