"""Parameter groups with rates of their own, and schedules that give all of them one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

from tests.live.checking import checked, classes, mlp

FACT = "log.lr.groups_made_one"


def is_told(schedule: Callable[[Any, int], object], rates: tuple[float, ...] = (1e-4, 1e-2)) -> bool:
    """Train forty steps, with something done to the optimizer before each."""
    model = mlp()
    with checked() as said:
        groups = [{"params": model[2 * place].parameters(), "lr": rate} for place, rate in enumerate(rates)]
        optimizer = torch.optim.SGD(groups)
        for number in range(40):
            schedule(optimizer, number)
            inputs, labels = classes()
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(model(inputs), labels).backward()
            optimizer.step()
    return FACT in said.facts


def one_for_all(optimizer: Any, number: int) -> None:
    for group in optimizer.param_groups:
        group["lr"] = 0.01 * min(1.0, (number + 1) / 10)


def each_its_own(optimizer: Any, number: int) -> None:
    for group in optimizer.param_groups:
        group["lr"] = group.setdefault("first", group["lr"]) * (1 - number / 50)


def a_common_floor(optimizer: Any, number: int) -> None:
    for group in optimizer.param_groups:
        group["lr"] = max(1e-5, group["lr"] * 0.8)


def one_cycle(optimizer: Any, number: int) -> None:
    if number == 0:
        optimizer.cycle = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=0.01, total_steps=60)
    else:
        optimizer.cycle.step()


@pytest.mark.parametrize("schedule", [one_for_all, one_cycle])
def test_one_rate_for_groups_that_were_set_apart_is_seen(schedule: Callable[[Any, int], object]) -> None:
    assert is_told(schedule)


@pytest.mark.parametrize("schedule", [each_its_own, a_common_floor, lambda optimizer, number: None])
def test_groups_that_keep_apart_are_none(schedule: Callable[[Any, int], object]) -> None:
    assert not is_told(schedule)


def test_groups_that_differ_in_other_things_are_none() -> None:
    assert not is_told(one_for_all, rates=(1e-2, 1e-2))
