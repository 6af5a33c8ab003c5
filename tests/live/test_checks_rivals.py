"""A discriminator that is given what is real in another range than what imitates it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from tests.live.checking import checked

BEYOND = "data.real_out_of_reach"
Batch = Callable[[int], torch.Tensor]


def pictures(low: float, high: float, noise: float = 0.0) -> Batch:
    """Small pictures, half of each dark."""

    def draw(count: int) -> torch.Tensor:
        bright = torch.rand(count, 1, 6, 6) < 0.5
        return torch.where(bright, high, low) + noise * torch.randn(count, 1, 6, 6)

    return draw


def played(
    real: Batch, last: nn.Module, shown: Callable[[Any], Any] = lambda fake: fake, cut: bool = True
) -> Any:
    """A generator against a discriminator, for some rounds."""
    maker = nn.Sequential(nn.Linear(4, 36), nn.Unflatten(1, (1, 6, 6)), nn.Conv2d(1, 1, 3, padding=1), last)
    judge = nn.Sequential(nn.Conv2d(1, 4, 3), nn.LeakyReLU(0.2), nn.Flatten(), nn.Linear(64, 1))
    with checked() as said:
        of_judge = torch.optim.Adam(judge.parameters(), lr=1e-3)
        of_maker = torch.optim.Adam(maker.parameters(), lr=1e-3)
        for _ in range(14):
            if cut:
                fake = shown(maker(torch.randn(8, 4)))
            else:
                with torch.no_grad():
                    fake = shown(maker(torch.randn(8, 4)))
            of_judge.zero_grad()
            (F.softplus(-judge(real(8))) + F.softplus(judge(fake.detach()))).mean().backward()
            of_judge.step()
            of_maker.zero_grad()
            F.softplus(-judge(shown(maker(torch.randn(8, 4))))).mean().backward()
            of_maker.step()
    return said.facts.get(BEYOND)


@pytest.mark.parametrize(
    ("real", "last", "cut"),
    [
        (pictures(-1, 1), nn.Sigmoid(), True),
        (pictures(-1, 1), nn.Sigmoid(), False),
        (pictures(-1.5, 2.5), nn.Tanh(), True),
        (pictures(-1, 1), nn.ReLU(), True),
    ],
)
def test_what_is_real_lies_beyond_the_generator(real: Batch, last: nn.Module, cut: bool) -> None:
    assert played(real, last, cut=cut) is True


@pytest.mark.parametrize(
    ("real", "last"),
    [
        (pictures(-1, 1), nn.Tanh()),
        (pictures(0, 1), nn.Sigmoid()),
        (pictures(-1, 1, 0.05), nn.Tanh()),
        (pictures(0, 1, 0.05), nn.Sigmoid()),
    ],
)
def test_a_generator_that_reaches_what_is_real(real: Batch, last: nn.Module) -> None:
    assert played(real, last) is False


def test_what_is_brought_into_range_behind_the_activation() -> None:
    assert played(pictures(-1, 1), nn.Sigmoid(), shown=lambda fake: 2 * fake - 1) is None


def test_a_network_without_a_bound() -> None:
    assert played(pictures(-3, 3), nn.Identity()) is None


def test_a_state_that_a_cell_hands_to_itself() -> None:
    """It begins at random, and goes through the tanh of the same network from then on."""
    cell = nn.RNNCell(3, 5)
    with checked() as said:
        optimizer = torch.optim.Adam(cell.parameters(), lr=1e-3)
        for _ in range(14):
            state = 3 * torch.randn(8, 5)
            for _ in range(3):
                state = cell(torch.randn(8, 3), state)
            optimizer.zero_grad()
            state.square().mean().backward()
            optimizer.step()
    assert said.facts.get(BEYOND) is None


@pytest.mark.parametrize(("scale", "beyond"), [(2.0, True), (1.0, False)])
def test_actions_that_a_critic_is_given(scale: float, beyond: bool) -> None:
    """Of a store, and of an actor that ends in a tanh."""
    actor = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 2), nn.Tanh())

    class Critic(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.net = nn.Linear(8, 1)

        def forward(self, state: Any, action: Any) -> Any:
            return self.net(torch.cat([state, action], 1))

    critic = Critic()
    with checked() as said:
        of_critic = torch.optim.Adam(critic.parameters(), lr=1e-3)
        of_actor = torch.optim.Adam(actor.parameters(), lr=1e-3)
        for _ in range(14):
            state, action = 3 * torch.randn(16, 6), scale * (2 * torch.rand(16, 2) - 1)
            of_critic.zero_grad()
            (critic(state, action) - torch.randn(16, 1)).square().mean().backward()
            of_critic.step()
            of_actor.zero_grad()
            (-critic(state, actor(state))).mean().backward()
            of_actor.step()
    assert said.facts.get(BEYOND) is beyond
