"""Numbers that a model is given for each sample, and what is left of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from tests.live.checking import checked

STEPS = 50


class Timed(nn.Module):
    """Reads a point and a time."""

    def __init__(self, scaled: Callable[[Any], Any]) -> None:
        super().__init__()
        self.scaled = scaled
        self.time, self.body = nn.Linear(1, 16), nn.Linear(18, 2)

    def forward(self, x: Any, t: Any) -> Any:
        return self.body(torch.cat([x, self.time(self.scaled(t).float().reshape(-1, 1))], 1))


def trained(scaled: Callable[[Any], Any], samples: int = 32, before: bool = False) -> Any:
    model = Timed((lambda t: t) if before else scaled)
    with checked() as said:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        for _ in range(8):
            t = torch.randint(STEPS, (samples,))
            loss: Any = F.mse_loss(
                model(torch.randn(samples, 2), scaled(t) if before else t), torch.randn(samples, 2)
            )
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return said.facts.get("data.condition_rounded_away")


@pytest.mark.parametrize(
    "scaled",
    [
        lambda t: t // STEPS,
        lambda t: (t / STEPS).long(),
        lambda t: torch.div(t, STEPS, rounding_mode="floor"),
        lambda t: (t[:, None] / STEPS).floor(),
    ],
    ids=["divided", "made whole", "told to round", "in a column"],
)
def test_times_that_all_become_zero_are_lost(scaled: Callable[[Any], Any]) -> None:
    assert trained(scaled) is True


@pytest.mark.parametrize(
    "scaled",
    [
        lambda t: t / STEPS,
        lambda t: t // 10,
        lambda t: (t > STEPS).long(),
        lambda t: torch.zeros_like(t) // STEPS,
        lambda t: torch.div(t, STEPS),
    ],
    ids=["a fraction", "groups", "a flag of none", "zero from the first", "divided as numbers"],
)
def test_what_is_left_of_the_times_may_be_coarse(scaled: Callable[[Any], Any]) -> None:
    assert trained(scaled) is None


def test_few_samples_tell_nothing() -> None:
    assert trained(lambda t: t // STEPS, samples=4) is None


def test_what_the_loop_rounds_is_its_own() -> None:
    assert trained(lambda t: t // STEPS, before=True) is None
