"""Loops that are fed by a generator of their own, which takes its time; and those in which something else does."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
import torch

from tests.live.checking import checked, classes, cross_entropy, mlp

Batches = Iterator[tuple[torch.Tensor, torch.Tensor]]
STEPS = 16


def generated(pause: float) -> Batches:
    for _ in range(STEPS):
        time.sleep(pause)
        yield classes()


class Stream:
    """An iterator instead of a generator."""

    def __init__(self, pause: float) -> None:
        self.left, self.pause = STEPS, pause

    def __iter__(self) -> Stream:
        return self

    def __next__(self) -> tuple[torch.Tensor, torch.Tensor]:
        self.left -= 1
        if self.left < 0:
            raise StopIteration
        time.sleep(self.pause)
        return classes()


def watched(batches: Batches, pause: float = 0.0) -> Any:
    """What is told where the thread looks every few milliseconds. `pause` goes by in the loop itself."""
    with checked() as said:
        model = mlp()
        optimizer = torch.optim.SGD(model.parameters(), 0.01)
        beats = _beating(said.watcher)
        for inputs, labels in batches:
            loss = cross_entropy(model(inputs), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            time.sleep(pause)
        beats()
    return said


def _beating(watcher: Any) -> Any:
    stop = threading.Event()

    def beat() -> None:
        while not stop.wait(0.004):
            watcher.beat()

    thread = threading.Thread(target=beat, daemon=True)
    thread.start()

    def end() -> None:
        stop.set()
        thread.join()

    return end


@pytest.mark.parametrize("kind", [generated, Stream])
def test_a_generator_that_makes_the_loop_wait_is_named(kind: Any) -> None:
    said = watched(kind(0.03))
    assert said["log.speed.feeding_share"] > 0.6
    assert said["log.speed.feeding_at"] in ("generated", "__next__")


def test_a_stream_in_a_loader_is_timed_by_that_alone() -> None:
    class Slow(torch.utils.data.IterableDataset[Any]):
        def __iter__(self) -> Batches:
            return generated(0.02)

    said = watched(iter(torch.utils.data.DataLoader(Slow(), batch_size=None)))
    assert "log.speed.feeding_share" not in said.facts


def test_where_the_loop_itself_takes_the_time_no_generator_is_blamed() -> None:
    assert watched(generated(0.0), pause=0.03).facts.get("log.speed.feeding_share", 0.0) < 0.2


def test_a_generator_that_trains_feeds_nobody() -> None:
    """The loop may stand in a generator that hands out the losses."""

    def training(model: Any, optimizer: Any) -> Iterator[float]:
        for _ in range(STEPS):
            inputs, labels = classes()
            time.sleep(0.03)
            loss = cross_entropy(model(inputs), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            yield loss.item()

    with checked() as said:
        model = mlp()
        beats = _beating(said.watcher)
        losses = list(training(model, torch.optim.SGD(model.parameters(), 0.01)))
        beats()
    assert len(losses) == STEPS
    assert "log.speed.feeding_share" not in said.facts


def test_a_generator_that_asks_the_model_feeds_nobody() -> None:
    """An agent acts in an environment, and hands out what it has seen."""

    def acting(model: Any) -> Batches:
        for _ in range(STEPS):
            with torch.no_grad():
                seen = model(classes()[0])
            time.sleep(0.03)
            yield classes()[0], seen.argmax(1)

    with checked() as said:
        model = mlp()
        optimizer = torch.optim.SGD(model.parameters(), 0.01)
        beats = _beating(said.watcher)
        for inputs, labels in acting(model):
            optimizer.zero_grad()
            cross_entropy(model(inputs), labels).backward()
            optimizer.step()
        beats()
    assert "log.speed.feeding_share" not in said.facts


class Slow(torch.nn.Module):
    """What takes its time is the module."""

    def __init__(self, layer: torch.nn.Module) -> None:
        super().__init__()
        self.layer = layer

    def forward(self, inputs: torch.Tensor) -> Any:
        time.sleep(0.03)
        return self.layer(inputs)


def late(inner: Any) -> Any:
    """A loop that steps fast, and then stands in this generator for long."""
    with checked() as said:
        model = mlp()
        optimizer = torch.optim.SGD(model.parameters(), 0.01)
        beats = _beating(said.watcher)
        for _ in range(6):
            inputs, labels = classes()
            optimizer.zero_grad()
            cross_entropy(model(inputs), labels).backward()
            optimizer.step()
        assert len(list(inner(model, optimizer))) == STEPS
        beats()
    return said


def answers(model: Any, optimizer: Any) -> Iterator[Any]:
    """What a trained model says, one after the other."""
    slow = Slow(model)
    for _ in range(STEPS):
        with torch.no_grad():
            yield slow(classes()[0]).argmax(1)


def second_stage(model: Any, optimizer: Any) -> Iterator[float]:
    slow = Slow(model)
    for _ in range(STEPS):
        inputs, labels = classes()
        loss = cross_entropy(slow(inputs), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        yield loss.item()


@pytest.mark.parametrize("inner", [answers, second_stage])
def test_a_generator_that_asks_or_trains_the_model_for_the_first_time_late_feeds_nobody(inner: Any) -> None:
    assert "log.speed.feeding_share" not in late(inner).facts


def test_a_module_without_weights_that_changes_pictures_is_part_of_the_feeding() -> None:
    def changed(model: Any, optimizer: Any) -> Batches:
        change = Slow(torch.nn.Identity())
        for _ in range(STEPS):
            inputs, labels = classes()
            yield change(inputs), labels

    assert late(changed)["log.speed.feeding_at"] == "changed"
