"""What a model is given, and whether any operation reads it."""

from __future__ import annotations

from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from tests.live.checking import checked


class Conditioned(nn.Module):
    """Reads its class through an embedding, or as a part of it, or not."""

    def __init__(self, way: str) -> None:
        super().__init__()
        self.way, self.calls = way, 0
        self.net, self.embed = nn.Linear(8, 8), nn.Embedding(4, 8)

    def forward(self, x: Any, classes: Any = None) -> Any:
        self.calls += 1
        x = self.net(x)
        if self.way == "embedded" or (self.way == "guidance" and self.calls % 3 == 1):
            x = x + self.embed(classes)
        elif self.way == "view":
            x = x + self.embed(classes[:, None])[:, 0]
        return x


def train(way: str) -> Any:
    model = Conditioned(way)
    with checked() as said:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        all_classes = torch.randint(0, 4, (500,))
        for _ in range(10):
            classes = all_classes[torch.randint(0, 500, (16,))]
            before = F.one_hot(classes, 8).float() if way == "before" else 0
            optimizer.zero_grad()
            if way == "constant":
                classes = torch.zeros(16, dtype=torch.long)
            out = model(torch.randn(16, 8) + before, classes)
            loss = F.cross_entropy(out, classes) if way == "loss" else out.square().mean()
            loss.backward()
            optimizer.step()
    return said.facts.get("model.arguments_unread", "")


def test_a_class_that_nothing_reads_is_named() -> None:
    assert train("ignored") == "classes"


@pytest.mark.parametrize("way", ["embedded", "view", "guidance", "before", "loss", "constant"])
def test_what_is_read_in_some_step_or_some_other_way_is_not(way: str) -> None:
    """In guidance the class is left out of some steps; a loss, or what is made before, may read it instead."""
    assert train(way) == ""
