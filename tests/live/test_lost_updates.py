"""How many numbers of BF16 weights stay where they are, as rounding takes their update away."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn

from tests.live.checking import checked
from traindx.probes.live.observer.lost_updates import SAMPLES, LostUpdates


def lost_share(
    rate: float, dtype: Any = torch.bfloat16, kind: Any = torch.optim.SGD, steps: int = 320
) -> float | None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 1)).to(dtype)
    with checked("updates.Updates", "losses.Losses", "steps.Steps") as said:
        optimizer = kind(model.parameters(), lr=rate)
        for _ in range(steps):
            inputs = torch.randn(16, 16).to(dtype)
            optimizer.zero_grad()
            (model(inputs) - inputs[:, :1]).square().mean().backward()
            optimizer.step()
    found: float | None = said.facts.get("grad.lost_update_share")
    return found


def test_small_steps_are_lost_and_large_ones_are_not() -> None:
    small, large = lost_share(1e-4), lost_share(0.3, kind=torch.optim.Adam)
    assert small is not None
    assert large is not None
    assert small > 0.9
    assert large < 0.5


def test_the_better_half_of_a_run_counts() -> None:
    lost = LostUpdates()
    for still in [100.0] * SAMPLES + [10.0] * SAMPLES:  # a warm-up, and then larger steps
        assert lost.share() is None
        lost.read([100.0, still])
    assert lost.share() == 0.1


@pytest.mark.parametrize(
    ("dtype", "kind", "steps"),
    [
        (torch.float32, torch.optim.SGD, 320),
        (torch.bfloat16, torch.optim.SGD, 100),
        (torch.bfloat16, type("Stochastic", (torch.optim.SGD,), {"__module__": "elsewhere"}), 320),
    ],
)
def test_full_precision_short_runs_and_optimizers_of_others_say_nothing(
    dtype: Any, kind: Any, steps: int
) -> None:
    assert lost_share(1e-4, dtype, kind, steps) is None
