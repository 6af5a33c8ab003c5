"""Where graphs are kept: in containers and objects of all kinds, however they stand in each other."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable
from dataclasses import dataclass
from queue import Queue
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from tests.live.checking import checked, classes, mlp, train


@dataclass
class Row:
    """One step of an agent, to be replayed."""

    step: int
    state: Any


@dataclass(slots=True)
class Slim:
    """The same without a dictionary."""

    state: Any


class Memory:
    """What an agent has met."""

    def __init__(self, size: int = 1000) -> None:
        self.rows: deque[Any] = deque(maxlen=size)
        self.ring: list[Any] = [None] * size
        self.kinds: dict[int, list[Any]] = defaultdict(list)
        self.queue: Queue[Any] = Queue()


def tuples(memory: Memory, step: int, state: Any) -> None:
    memory.rows.append((step, torch.zeros(2), (state, state)))


def objects(memory: Memory, step: int, state: Any) -> None:
    memory.rows.append(Row(step, {"state": state}))


def slots(memory: Memory, step: int, state: Any) -> None:
    memory.rows.append(Slim([state]))


def places(memory: Memory, step: int, state: Any) -> None:
    memory.ring[step] = (step, state)


def kinds(memory: Memory, step: int, state: Any) -> None:
    memory.kinds[step % 3].append(Row(step, state))


def queued(memory: Memory, step: int, state: Any) -> None:
    memory.queue.put(Row(step, state))


def remember(
    keep: Callable[[Memory, int, Any], None], change: Callable[[Any], Any] = lambda state: state
) -> Any:
    """A network that gives a state beside its scores, and a memory that keeps the states."""
    model, memory = Recurrent(), Memory()
    with checked() as said:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        for step in range(24):
            inputs, labels = classes()
            scores, state = model(inputs)
            keep(memory, step, change(state))
            optimizer.zero_grad()
            F.cross_entropy(scores, labels).backward()
            optimizer.step()
    return said


class Recurrent(nn.Module):
    """Scores, and a state that the loss does not depend on."""

    def __init__(self) -> None:
        super().__init__()
        self.body, self.head, self.core = mlp(8, 8), nn.Linear(8, 4), nn.Linear(8, 8)

    def forward(self, inputs: Any) -> Any:
        hidden = self.body(inputs)
        return self.head(hidden), torch.tanh(self.core(hidden))


@pytest.mark.parametrize("keep", [tuples, objects, slots, places, kinds, queued])
def test_states_kept_with_their_graph_are_seen_wherever_they_stand(keep: Any) -> None:
    said = remember(keep)
    assert said["process.graph_kept"] is True
    assert said["process.graph_kept_where"]


class Deep(nn.Module):
    """Many layers, and a list of what the first of them gave."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.head = nn.Linear(8, 8), nn.Linear(8, 4)
        self.body = nn.Sequential(*(one for _ in range(300) for one in (nn.Linear(8, 8), nn.ReLU())))
        self.kept: list[Any] = []

    def forward(self, inputs: Any) -> Any:
        hidden = self.first(inputs)
        self.kept.append(hidden.mean())
        return self.head(self.body(hidden))


def test_a_graph_kept_below_hundreds_of_layers_is_seen() -> None:
    assert train(Deep(), F.cross_entropy, steps=14)["process.graph_kept"] is True


@pytest.mark.parametrize("keep", [tuples, objects, places])
def test_states_kept_without_their_graph_are_cleared(keep: Any) -> None:
    assert remember(keep, torch.Tensor.detach)["process.graph_kept"] is False
