"""Loops that write all their weights down in every step, and those that write down less, or less often."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn

from tests.live.checking import checked, classes, cross_entropy, loop, mlp


def wide() -> Any:
    """Large enough that writing it down is work."""
    return nn.Sequential(nn.Linear(8, 128), nn.ReLU(), nn.Linear(128, 4))


def recording(record: Callable[[Any, int], None], model: Any = None) -> Any:
    def body(model: Any, optimizer: Any, step: int) -> None:
        inputs, labels = classes()
        optimizer.zero_grad()
        cross_entropy(model(inputs), labels).backward()
        optimizer.step()
        record(model, step)

    return loop(body, steps=30, model=model or wide()).facts.get("log.speed.weights_read_share")


def slowly(values: Any) -> None:
    json.dumps(values)
    time.sleep(0.01)


def test_a_loop_that_writes_all_weights_down_is_told() -> None:
    def record(model: Any, step: int) -> None:
        slowly([one.detach().flatten().tolist() for one in model.parameters()])

    assert recording(record) > 0.5


def test_gradients_and_histograms_count_too() -> None:
    def record(model: Any, step: int) -> None:
        slowly([one.grad.histc(10).tolist() for one in model.parameters()])

    assert recording(record) > 0.5


def names(model: Any, step: int) -> None:
    slowly([name for name, _ in model.named_parameters()])


def norms(model: Any, step: int) -> None:
    slowly([one.grad.norm().item() for one in model.parameters()])


def last_layer(model: Any, step: int) -> None:
    slowly(model[-1].bias.tolist())


def now_and_then(model: Any, step: int) -> None:
    if step % 10 == 0:
        slowly([one.tolist() for one in model.parameters()])


def predictions(model: Any, step: int) -> None:
    slowly(model(classes(4096)[0]).tolist())


@pytest.mark.parametrize("record", [names, norms, last_layer, now_and_then, predictions])
def test_what_is_no_copy_of_the_weights_is_left_alone(record: Any) -> None:
    assert recording(record) is None


def test_what_comes_after_the_reading_counts_only_until_the_loop_goes_on() -> None:
    """Here a loader or an environment is slow, and the weights are read in no time."""
    with checked() as said:
        model = wide()
        optimizer = torch.optim.SGD(model.parameters(), 0.01)
        for _ in range(30):
            inputs, labels = classes()
            loss = nn.CrossEntropyLoss()(model(inputs), labels)
            optimizer.zero_grad()
            time.sleep(0.03)
            loss.backward()
            optimizer.step()
            for one in model.parameters():
                one.tolist()
            time.sleep(0.003)
    assert said["log.speed.weights_read_share"] < 0.3


def test_the_path_of_a_handful_of_weights_is_a_line_of_a_table() -> None:
    def record(model: Any, step: int) -> None:
        slowly([one.tolist() for one in model.parameters()])

    assert recording(record, mlp()) is None
