"""Runs a training loop in this process under the parts that look closer, and reads back what they say."""

from __future__ import annotations

import json
import linecache
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import nn

from traindx.probes.live.observer import parts
from traindx.probes.live.observer.journal import Journal
from traindx.probes.live.observer.watcher import Watcher, install
from traindx.probes.live.processes import Process

LOOKING = ("losses.Losses", "gradients.Gradients", "steps.Steps", "batches.Batches", "nonfinite.Nonfinite")


class Said:
    """The records of one run. `said[name]` is the last value of a fact."""

    def __init__(self) -> None:
        self.lines: list[bytes] = []
        self.watcher: Watcher

    def records(self, kind: str) -> list[dict[str, Any]]:
        found = [json.loads(line) for line in self.lines]
        return [one for one in found if one["kind"] == kind]

    def __getitem__(self, name: str) -> Any:
        return self.facts[name]

    @contextmanager
    def failing(self, kind: type[Exception]) -> Iterator[None]:
        """The script is expected to end with this error, which the observer is told of."""
        try:
            yield
        except kind as error:
            self.watcher.failed(error)
            return
        raise AssertionError(f"no {kind.__name__}")

    @property
    def facts(self) -> dict[str, Any]:
        return {
            one["name"]: one["value"] for one in Process([json.loads(line) for line in self.lines]).facts()
        }

    @property
    def source(self) -> str:
        """The text of the line that was named."""
        file, _, line = str(self["act.nonfinite_line"]).rpartition(":")
        return linecache.getline(file, int(line))


@contextmanager
def watched(options: dict[str, Any] | None = None) -> Iterator[Said]:
    """Watch what runs inside. Fails where a part of the observer failed."""
    said = Said()
    names, parts.PARTS = parts.PARTS, LOOKING  # type: ignore[assignment]
    try:
        said.watcher = watcher = install(torch, Journal(said.lines.append), options or {})
    finally:
        parts.PARTS = names
    try:
        yield said
    finally:
        watcher.close()
    assert said.records("trouble") == []


def train(
    model: nn.Module,
    batch: Callable[[int], Any],
    loss: Callable[[Any, Any], Any],
    steps: int = 5,
    lr: float = 0.01,
) -> Said:
    """A plain loop over `batch(step)` (a pair), watched."""
    with watched() as said:
        optimizer = torch.optim.SGD(model.parameters(), lr=lr)
        for step in range(1, steps + 1):
            inputs, targets = batch(step)
            optimizer.zero_grad()
            loss(model(inputs), targets).backward()
            optimizer.step()
    return said
