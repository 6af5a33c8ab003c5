"""Views of samples that a contrastive loss is given, and the noise that a diffusion ends with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset

from tests.live.checking import checked

TWICE, EARLY = "data.view_used_twice", "data.noise_ends_early"


class Pairs(Dataset[Any]):
    """Two noisy versions of each picture."""

    def __init__(self, named: bool) -> None:
        self.pictures = torch.rand(96, 1, 6, 6)
        self.named = named

    def __len__(self) -> int:
        return 96

    def __getitem__(self, place: int) -> Any:
        one, other = (self.pictures[place] + 0.1 * torch.randn(1, 6, 6) for _ in range(2))
        return {"one": one, "other": other} if self.named else ([one, other], place)


def contrasted(embed: Callable[[Any, Any], tuple[Any, Any]], named: bool = True) -> Any:
    """A loss over pairs, for some steps."""
    net = nn.Sequential(nn.Flatten(), nn.Linear(36, 16), nn.ReLU(), nn.Linear(16, 8))
    with checked() as said:
        optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
        for _ in range(2):
            for batch in DataLoader(Pairs(named), batch_size=8):
                first, second = embed(net, batch)
                scores = F.normalize(first, dim=1) @ F.normalize(second, dim=1).t() / 0.2
                optimizer.zero_grad()
                F.cross_entropy(scores, torch.arange(len(scores))).backward()
                optimizer.step()
    return said.facts.get(TWICE)


@pytest.mark.parametrize(
    ("embed", "named", "told"),
    [
        (lambda net, batch: (net(batch["one"]), net(batch["one"])), True, True),
        (lambda net, batch: (net(batch["one"]), net(batch["other"])), True, False),
        (lambda net, batch: net(torch.cat([batch[0][0], batch[0][0]])).chunk(2), False, True),
        (lambda net, batch: net(torch.cat(batch[0])).chunk(2), False, False),
        (lambda net, batch: (net(batch["one"].clone()), net(batch["one"] + 0.1)), True, None),
        (lambda net, batch: (net(batch["one"]), net(batch["one"].flip(-1) + 0 * batch["other"])), True, False),
    ],
    ids=["one twice", "both", "one joined with itself", "both joined", "changed in the loop", "both are read"],
)  # fmt: skip
def test_a_view_that_is_used_twice(embed: Any, named: bool, told: bool | None) -> None:
    assert contrasted(embed, named) is told


def test_one_picture_that_goes_through_twice_with_a_target_beside_it() -> None:
    """A mask of the same shape is what the loss is for."""
    net = nn.Sequential(nn.Conv2d(1, 4, 3, padding=1), nn.Dropout(0.3), nn.Conv2d(4, 1, 1))
    with checked() as said:
        optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
        for batch in DataLoader(Pairs(True), batch_size=6):
            first, second = net(batch["one"]), net(batch["one"])
            loss = F.mse_loss(first, batch["other"]) + F.mse_loss(first, second)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    assert said.facts.get(TWICE) is False


class Denoiser(nn.Module):
    """Given a picture and a step."""

    def __init__(self, values: int = 36) -> None:
        super().__init__()
        self.net = nn.Sequential(nn.Linear(values + 1, 32), nn.SiLU(), nn.Linear(32, values))

    def forward(self, noisy: Any, step: Any) -> Any:
        return self.net(torch.cat([noisy.flatten(1), step.reshape(-1, 1).float()], 1)).view_as(noisy)


def diffused(kept: torch.Tensor, by_hand: bool = False, scale: float = 1.0) -> Any:
    """What is said of a denoiser that is trained with these shares of the picture's power."""
    net = Denoiser()
    with checked() as said:
        optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
        for _ in range(30):
            clean = scale * torch.rand(64, 1, 6, 6).sub(0.5)
            step = torch.randint(0, len(kept), (64,))
            noise = torch.randn_like(clean)
            share = kept[step].view(-1, 1, 1, 1)
            found = net(share.sqrt() * clean + (1 - share).sqrt() * noise, step)
            loss = ((noise - found) ** 2).mean() if by_hand else F.mse_loss(found, noise)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return said.facts.get(EARLY)


def linear(steps: int, last: float = 0.02) -> torch.Tensor:
    """The share of the picture that is left after each step."""
    return torch.cumprod(1 - torch.linspace(1e-4, last, steps), 0)


@pytest.mark.parametrize(
    ("kept", "by_hand", "told"),
    [
        (linear(100), False, True),
        (linear(40), True, True),
        (linear(1000), False, False),
        (linear(100, 0.2), True, False),
        (torch.cos(torch.linspace(0.01, 1.56, 200)).square(), False, False),
    ],
    ids=["a hundred of a thousand", "forty", "a thousand", "a hundred, and steeper", "cosine"],
)
def test_a_schedule_that_ends_before_the_picture_is_gone(kept: Any, by_hand: bool, told: bool) -> None:
    assert diffused(kept, by_hand) is told


@pytest.mark.parametrize("seed", range(3))
def test_a_few_points_do_not_tell_how_much_is_left_of_them(seed: int) -> None:
    """Of their power a tenth is left in the last steps, and chance may make it look like more."""
    torch.manual_seed(seed)
    kept, net = linear(100, 0.045), Denoiser(2)
    with checked() as said:
        optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
        for _ in range(30):
            clean, noise, step = torch.randn(64, 2) * 1.2, torch.randn(64, 2), torch.randint(0, 100, (64,))
            share = kept[step].view(-1, 1)
            loss = F.mse_loss(net(share.sqrt() * clean + (1 - share).sqrt() * noise, step), noise)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    assert said.facts.get(EARLY) is not True


def test_a_denoiser_of_one_level_has_no_schedule() -> None:
    assert diffused(torch.full((100,), 0.8)) is None
