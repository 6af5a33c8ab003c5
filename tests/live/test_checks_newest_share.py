"""How much of the averages of a batch normalisation is the newest batch."""

from __future__ import annotations

from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from tests.live.checking import checked, classes, cross_entropy
from tests.live.looking import Said

SHARE = "model.batchnorm_newest_share"


def follow(norm: nn.Module, steps: int = 26) -> Said:
    """Train with this normalisation in the middle."""
    model = nn.Sequential(nn.Linear(8, 16), norm, nn.ReLU(), nn.Linear(16, 4))
    with checked() as said:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        for _ in range(steps):
            inputs, labels = classes(8)
            optimizer.zero_grad()
            cross_entropy(model(inputs), labels).backward()
            optimizer.step()
    return said


@pytest.mark.parametrize("momentum", [0.99, 0.1, 0.01])
def test_the_momentum_is_the_share_of_the_newest_batch(momentum: float) -> None:
    assert follow(nn.BatchNorm1d(16, momentum=momentum))[SHARE] == pytest.approx(momentum)


def test_an_average_over_all_batches_has_a_share_that_falls() -> None:
    """The first batch of it is all there is."""
    assert follow(nn.BatchNorm1d(16, momentum=None))[SHARE] < 0.5


def test_layers_without_averages_have_no_share() -> None:
    said = follow(nn.BatchNorm1d(16, momentum=0.99, track_running_stats=False))
    assert SHARE not in said.facts


def test_averages_that_are_made_for_one_call_are_thrown_away() -> None:
    """As where a network is called with weights of its own for each task, and always normalises by the batch."""

    class Afresh(nn.Module):
        def forward(self, values: Any) -> Any:
            mean, variance = torch.zeros(16), torch.ones(16)
            return F.batch_norm(values, mean, variance, training=True, momentum=1.0)

    assert SHARE not in follow(Afresh()).facts
