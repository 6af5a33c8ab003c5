"""A critic that takes turns with the network it judges: what is no evaluation, and no data."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch import nn

from tests.live.checking import checked
from tests.live.looking import Said


def turns(steps: int, growth: float = 1.0) -> Said:
    """Fits a critic to features, and then the encoder, its head and its decoder; `growth` of the features a step."""
    torch.manual_seed(0)
    encoder, head, decoder = nn.Linear(6, 4), nn.Linear(4, 3), nn.Linear(4, 6)
    critic = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
    with checked() as said:
        of_network = torch.optim.SGD(
            [*encoder.parameters(), *head.parameters(), *decoder.parameters()], lr=1e-6
        )
        of_critic = torch.optim.SGD(critic.parameters(), lr=1e-6)
        for _ in range(steps):
            source, target = torch.randn(8, 6), torch.randn(8, 6)
            with torch.no_grad():
                features = encoder(source)
            of_critic.zero_grad()
            F.softplus(critic(features)).mean().backward()
            of_critic.step()
            near, far = encoder(source), encoder(target)
            of_network.zero_grad()
            loss: Any = head(near).square().mean() + F.mse_loss(decoder(far), target) + critic(far).mean()
            loss.backward()
            of_network.step()
            with torch.no_grad():
                encoder.weight.mul_(growth)
    return said


def test_the_network_that_needs_more_forwards_than_its_critic_is_not_evaluated() -> None:
    assert turns(40).facts.get("model.grad_in_eval") is not True


def test_features_that_a_critic_is_given_may_grow() -> None:
    assert "data.inputs.grown" not in turns(60, growth=1.2).facts
