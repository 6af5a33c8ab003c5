"""Norms over a single value, and those that only look small."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn

from tests.live.checking import numbers, train

pytestmark = pytest.mark.usefixtures("whole_heap")


class Pictures(nn.Module):
    """Comes down to one pixel, and normalises there."""

    def __init__(self, groups: int) -> None:
        super().__init__()
        self.conv, self.norm, self.last = nn.Conv2d(1, 8, 2), nn.GroupNorm(groups, 8), nn.Linear(8, 1)

    def forward(self, inputs: torch.Tensor) -> Any:
        return self.last(self.norm(self.conv(inputs[:, :4].reshape(-1, 1, 2, 2))).flatten(1))


def said_of(model: nn.Module) -> Any:
    return train(model, nn.MSELoss(), numbers, steps=30)


@pytest.mark.parametrize(
    ("model", "name"),
    [
        (nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1), nn.LayerNorm(1)), "3"),
        (Pictures(8), "norm"),
    ],
)
def test_a_norm_over_one_value_is_named(model: nn.Module, name: str) -> None:
    assert said_of(model)["act.normalised_alone"] == name


@pytest.mark.parametrize(
    "model",
    [
        nn.Sequential(nn.Linear(8, 16), nn.LayerNorm(16), nn.ReLU(), nn.Linear(16, 1)),
        nn.Sequential(nn.Linear(8, 16), nn.GroupNorm(8, 16), nn.ReLU(), nn.Linear(16, 1)),
        Pictures(4),
    ],
)
def test_a_norm_over_several_values_is_left_alone(model: nn.Module) -> None:
    assert "act.normalised_alone" not in said_of(model).facts
