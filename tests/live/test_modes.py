"""Which modules behave differently in training and in evaluation."""

from __future__ import annotations

from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from traindx.probes.live.observer.checks.modes import is_noisy


class Dropping(nn.Module):
    def __init__(self, p: float) -> None:
        super().__init__()
        self.p = p

    def forward(self, x: Any) -> Any:
        return F.dropout(x, self.p, self.training)


class WithLayer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.dropout = nn.Dropout(0.0)

    def forward(self, x: Any) -> Any:
        return self.dropout(F.relu(x)) if self.training else x


class Own(nn.Dropout):
    pass


@pytest.mark.parametrize(
    "module", [nn.Dropout(0.1), nn.BatchNorm2d(3), Dropping(0.5), Own(0.2), nn.LSTM(2, 2, 2, dropout=0.3)]
)
def test_what_draws_or_counts_in_training_is_noisy(module: nn.Module) -> None:
    assert is_noisy(module)


@pytest.mark.parametrize(
    "module", [nn.Dropout(0.0), Dropping(0.0), Own(0.0), WithLayer(), nn.LSTM(2, 2), nn.Linear(2, 2)]
)
def test_what_drops_nothing_is_not(module: nn.Module) -> None:
    assert not is_noisy(module)


def test_a_recurrent_layer_drops_between_its_layers_only() -> None:
    with pytest.warns(UserWarning, match="dropout"):
        layer = nn.LSTM(2, 2, num_layers=1, dropout=0.3)
    assert not is_noisy(layer)


def test_a_scripted_module_can_be_asked() -> None:
    with pytest.warns(DeprecationWarning, match="script"):
        assert not is_noisy(torch.jit.script(nn.Linear(2, 2)))
