"""Runs a training loop in this process under the checks for silent faults, and reads back what they say."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
import torch.nn.functional as F
from torch import nn

from tests.live.looking import Said
from traindx.probes.live.observer import parts
from traindx.probes.live.observer.journal import Journal
from traindx.probes.live.observer.watcher import install

# torch's `backward` has no types.
cross_entropy: Callable[..., Any] = F.cross_entropy
Loss = Callable[[Any, Any], Any]
CHECKS: Any = tuple(one for one in parts.PARTS if one.startswith("checks."))


@contextmanager
def checked(*others: str) -> Iterator[Said]:
    """Watch what runs inside, with one thread and from one seed, and by other parts too. Fails where a check failed."""
    said = Said()
    names, parts.PARTS = parts.PARTS, (*CHECKS, *others)
    torch.manual_seed(0)
    torch.set_num_threads(1)
    try:
        said.watcher = watcher = install(torch, Journal(said.lines.append), {})
    finally:
        parts.PARTS = names
    try:
        yield said
    except BaseException as error:
        watcher.failed(error)
        raise
    finally:
        watcher.close()
        assert said.records("trouble") == []


def mlp(inputs: int = 8, outputs: int = 4, *last: nn.Module) -> Any:
    """A small network."""
    return nn.Sequential(nn.Linear(inputs, 16), nn.ReLU(), nn.Linear(16, outputs), *last)


def classes(count: int = 32, of: int = 4) -> tuple[torch.Tensor, torch.Tensor]:
    """A random batch with class labels."""
    return torch.randn(count, 8), torch.randint(0, of, (count,))


def numbers(count: int = 32) -> tuple[torch.Tensor, torch.Tensor]:
    """A random batch with one number each, of shape (count, 1)."""
    inputs = torch.randn(count, 8)
    return inputs, inputs.sum(1, keepdim=True)


def train(
    model: nn.Module,
    loss: Callable[[Any, Any], Any],
    batch: Callable[[], Any] = classes,
    steps: int = 12,
    lr: float = 0.01,
) -> Said:
    """A plain, correct loop, watched."""
    with checked() as said:
        optimizer = torch.optim.SGD(model.parameters(), lr=lr)
        for _ in range(steps):
            inputs, targets = batch()
            optimizer.zero_grad()
            loss(model(inputs), targets).backward()
            optimizer.step()
    return said


def loop(body: Callable[[Any, Any, int], None], steps: int = 16, model: nn.Module | None = None) -> Said:
    """Call `body(model, optimizer, step)` so many times, watched."""
    with checked() as said:
        net = model or mlp()
        optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
        for step in range(1, steps + 1):
            body(net, optimizer, step)
    return said


def loss_of(model: nn.Module) -> Any:
    """The loss of one batch of classes."""
    inputs, labels = classes()
    return cross_entropy(model(inputs), labels)


def trained(loss: Loss, outputs: int = 1, steps: int = 4) -> Said:
    """A loop in which the loss is given the output of the model and targets of shape (32, 1)."""
    model = mlp(8, outputs)
    with checked() as said:
        optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)
        for _ in range(steps):
            inputs, targets = numbers()
            optimizer.zero_grad()
            loss(model(inputs), targets).backward()
            optimizer.step()
    return said
