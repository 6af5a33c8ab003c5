"""Small pictures, and a model that is trained on a data set of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset

from tests.live.checking import checked
from tests.live.looking import Said


def epochs(
    dataset: Any, model: nn.Module, loss: Callable[[Any, Any], Any] = F.cross_entropy, **loader: Any
) -> Said:
    """Three epochs over a data set, watched."""
    with checked() as said:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        for _ in range(3):
            for inputs, targets in DataLoader(dataset, batch_size=8, **loader):
                optimizer.zero_grad()
                loss(model(inputs), targets).backward()
                optimizer.step()
    return said


def pixels(outputs: int = 4) -> nn.Module:
    """A model of pictures of shape (3, 6, 5)."""
    return nn.Sequential(nn.Flatten(), nn.Linear(3 * 6 * 5, outputs))


class Pictures(Dataset[Any]):
    """Pictures of (channels, height, width) and their classes, of which each is prepared when it is fetched."""

    def __init__(self, prepare: Callable[[Any], Any], shape: tuple[int, ...] = (3, 6, 5)) -> None:
        self.prepare = prepare
        self.images = [torch.rand(shape) for _ in range(32)]
        self.labels = [number % 4 for number in range(32)]

    def __len__(self) -> int:
        return len(self.images)

    def __getitem__(self, place: int) -> Any:
        return self.prepare(self.images[place]), self.labels[place]
