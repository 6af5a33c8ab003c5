"""Graphs that sums and lists keep alive."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn

from tests.live.checking import checked, loop, loss_of, mlp
from tests.live.looking import Said
from traindx.probes.live.observer.checks import tails


def test_a_sum_of_losses_keeps_every_graph() -> None:
    with checked() as said:
        model = mlp()
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        total: Any = 0
        for _ in range(16):
            loss = loss_of(model)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss
    assert said["process.graph_kept"] is True
    assert said["process.growing_type"] == "tensor (total)"
    assert said["process.graph_kept_where"].startswith(__file__)


def test_a_list_of_losses_keeps_every_graph() -> None:
    losses = []

    def body(model: Any, optimizer: Any, step: int) -> None:
        loss = loss_of(model)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss)

    assert loop(body, 32)["process.graph_kept"] is True


def test_numbers_and_detached_tensors_keep_nothing() -> None:
    losses: list[Any] = []

    def body(model: Any, optimizer: Any, step: int) -> None:
        loss = loss_of(model)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.extend([loss.item(), loss.detach()])

    assert loop(body, 32)["process.graph_kept"] is False


class Monitor:
    """What a part of the model gives for the same inputs after each step."""

    def __init__(self, part: nn.Module, keep: Callable[[Any], Any], most: int | None = None) -> None:
        self.part, self.keep, self.most = part, keep, most
        self.probe = torch.randn(4, 8)
        self.history: list[Any] = []

    def update(self) -> None:
        """Once a step."""
        self.history.append(self.keep(self.part(self.probe).mean()))
        if self.most is not None and len(self.history) == self.most:
            torch.stack(self.history).sum()
            self.history.clear()


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lists are looked at however short the run."""
    monkeypatch.setattr(tails, "SHARE", 1e6)


def monitored(keep: Callable[[Any], Any], most: int | None = None, begin: int = 0, steps: int = 32) -> Said:
    model = mlp()
    monitor = Monitor(model[0], keep, most)

    def body(model: Any, optimizer: Any, step: int) -> None:
        optimizer.zero_grad()
        loss_of(model).backward()
        optimizer.step()
        if step >= begin:
            monitor.update()

    return loop(body, steps, model)


@pytest.mark.usefixtures("hurried")
def test_a_list_of_what_a_part_of_the_model_gives_keeps_every_graph() -> None:
    said = monitored(lambda given: given)
    assert said["process.graph_kept"] is True
    assert said["process.growing_type"] == "list of tensors (Monitor.history)"
    assert said["process.graph_kept_where"].startswith(__file__)


@pytest.mark.usefixtures("hurried")
def test_a_list_that_begins_late_is_seen_from_one_turn_to_the_next() -> None:
    assert monitored(lambda given: given, begin=40, steps=75)["process.graph_kept"] is True


@pytest.mark.usefixtures("hurried")
def test_numbers_of_a_part_of_the_model_keep_nothing() -> None:
    assert monitored(lambda given: given.detach())["process.graph_kept"] is False


@pytest.mark.usefixtures("hurried")
def test_what_is_gathered_for_a_few_steps_is_given_up_again() -> None:
    assert monitored(lambda given: given, most=5)["process.graph_kept"] is False
