"""Small runs under the whole observer, in this process."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from traindx.probes.live.observer.journal import Journal
from traindx.probes.live.observer.watcher import install

Record = dict[str, Any]


def an_mlp() -> nn.Module:
    """Eight numbers to four classes."""
    return nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4))


def train(model: nn.Module, optimizer: Any, steps: int = 12, samples: int = 16) -> None:
    """Steps on noise."""
    for _ in range(steps):
        optimizer.zero_grad()
        x, y = torch.randn(samples, 8), torch.randint(0, 4, (samples,))
        nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()


def watched(run: Callable[[], object]) -> list[Record]:
    """What the observer writes of a run. Fails where a part of it failed."""
    torch.manual_seed(0)
    lines: list[bytes] = []
    watcher = install(torch, Journal(lines.append), {})
    try:
        run()
    finally:
        watcher.close()
    records = [json.loads(line) for line in lines]
    assert [one for one in records if one["kind"] == "trouble"] == []
    return records


def facts(records: list[Record]) -> Record:
    """The last value of each fact."""
    return {one["name"]: one["value"] for one in records if one["kind"] == "fact"}


def column(records: list[Record], name: str) -> list[Any]:
    """What was measured in each step."""
    return [
        value
        for one in records
        if one["kind"] == "steps"
        for value in one.get(name, [None] * len(one["step"]))
    ]
