"""How wide products of two tables start, beside what they are to be."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from tests.live.checking import checked


class Ratings(nn.Module):
    """Rows of two tables, and what a user and an item are worth by themselves."""

    def __init__(self, join: Callable[[Any, Any], Any], std: float, width: int = 64) -> None:
        super().__init__()
        self.users, self.items = nn.Embedding(50, width), nn.Embedding(40, width)
        self.worth = nn.Embedding(40, 1)
        self.join = join
        for table in (self.users, self.items):
            nn.init.normal_(table.weight, std=std)

    def forward(self, user: Any, item: Any) -> Any:
        return self.join(self.users(user), self.items(item)) + self.worth(item).squeeze(1) + 3.5


def summed(one: Any, other: Any) -> Any:
    return (one * other).sum(1)


def multiplied(one: Any, other: Any) -> Any:
    return torch.bmm(one.unsqueeze(1), other.unsqueeze(2)).squeeze(2).squeeze(1)


def squashed(one: Any, other: Any) -> Any:
    return 5 * torch.sigmoid((one * other).sum(1))


def averaged(one: Any, other: Any) -> Any:
    return (one * other).mean(1)


def start_of(model: nn.Module, loss: Callable[[Any, Any], Any] = F.mse_loss) -> Any:
    with checked() as said:
        optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
        for _ in range(8):
            user, item = torch.randint(0, 50, (64,)), torch.randint(0, 40, (64,))
            target = 3.5 + torch.randn(64)
            optimizer.zero_grad()
            loss(model(user, item), (target > 3.5).float() if loss is not F.mse_loss else target).backward()
            optimizer.step()
    return said.facts.get("model.init_products_wide")


@pytest.mark.parametrize("join", [summed, multiplied])
@pytest.mark.parametrize("loss", [F.mse_loss, F.binary_cross_entropy_with_logits])
def test_products_of_default_tables_start_too_wide(join: Any, loss: Any) -> None:
    assert start_of(Ratings(join, 1.0), loss) > 5


@pytest.mark.parametrize(
    ("join", "std"), [(summed, 0.1), (multiplied, 0.1), (squashed, 1.0), (averaged, 1.0)]
)
def test_products_of_the_size_of_the_targets_are_no_fault(join: Any, std: float) -> None:
    assert start_of(Ratings(join, std)) is None


def test_few_factors_start_narrow_enough() -> None:
    assert start_of(Ratings(summed, 1.0, width=4)) is None
