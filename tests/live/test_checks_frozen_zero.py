"""Adapters that start at zero and are frozen with the network that they sit in."""

from __future__ import annotations

from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from tests.live.checking import loop, loss_of


class LowRank(nn.Module):
    """A layer with a product of two thin matrices beside it, the second of which starts at zero."""

    def __init__(self, base: nn.Linear, way: str) -> None:
        super().__init__()
        self.base, self.way = base, way
        self.down = nn.Parameter(torch.randn(2, base.in_features))
        self.up = nn.Parameter(torch.zeros(base.out_features, 2))

    def forward(self, x: Any) -> Any:
        if self.way == "off":
            return self.base(x)
        if self.way == "by hand":
            return self.base(x) + x @ self.down.T @ self.up.T
        return self.base(x) + F.linear(F.linear(x, self.down), self.up)


def adapted(way: str, frozen: tuple[str, ...], thaw_at: int = 99) -> Any:
    adapter = LowRank(nn.Linear(8, 16), way)
    model = nn.Sequential(adapter, nn.ReLU(), nn.Linear(16, 4))
    adapter.base.requires_grad_(False)
    for name in frozen:
        getattr(adapter, name).requires_grad_(False)

    def body(net: Any, optimizer: Any, step: int) -> None:
        if step == thaw_at:
            adapter.requires_grad_(True)
        optimizer.zero_grad()
        loss_of(net).backward()
        optimizer.step()

    return loop(body, 12, model).facts.get("model.frozen_at_zero")


@pytest.mark.parametrize("way", ["by function", "by hand"])
def test_an_adapter_that_is_frozen_at_zero_is_named(way: str) -> None:
    assert adapted(way, ("down", "up")) == ["0.up"]


@pytest.mark.parametrize(
    ("way", "frozen"), [("by function", ()), ("by function", ("up",)), ("off", ("down", "up"))]
)
def test_one_that_trains_or_is_switched_off_is_not(way: str, frozen: tuple[str, ...]) -> None:
    assert adapted(way, frozen) is None


def test_one_that_is_thawed_later_is_taken_back() -> None:
    assert adapted("by function", ("down", "up"), thaw_at=5) is None
