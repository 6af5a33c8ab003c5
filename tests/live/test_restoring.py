"""Weights that were kept by reference are not what is loaded back."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn

from tests.live.checking import checked, mlp


def restored(keep: Callable[[nn.Module], Any], when: int = 1) -> Any:
    """Whether a loop that keeps a state after a step, and loads it in the end, is said to bring nothing back."""
    with checked("models.Models", "restoring.Restoring") as said:
        model = mlp()
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        kept: Any = None
        for step in range(4):
            optimizer.zero_grad()
            model(torch.randn(4, 8)).square().mean().backward()
            optimizer.step()
            if step == when:
                kept = keep(model)
        model.load_state_dict(kept)
    return said.facts.get("checkpoint.restores_itself")


@pytest.mark.parametrize(
    "keep",
    [lambda model: model.state_dict(), lambda model: dict(model.state_dict().items())],
)
def test_a_state_kept_by_reference_brings_nothing_back(keep: Callable[[nn.Module], Any]) -> None:
    assert restored(keep) is True


@pytest.mark.parametrize(
    "keep",
    [
        lambda model: copy.deepcopy(model.state_dict()),
        lambda model: {name: one.clone() for name, one in model.state_dict().items()},
        lambda model: copy.deepcopy(model).state_dict(),
        lambda model: mlp().state_dict(),
    ],
)
def test_a_copy_is_restored(keep: Callable[[nn.Module], Any]) -> None:
    assert restored(keep) is None


def test_a_state_that_is_taken_and_loaded_between_two_steps_is_no_memory() -> None:
    assert restored(lambda model: model.state_dict(), when=3) is None


def test_weights_that_no_optimizer_trains_may_be_changed_through_their_state() -> None:
    with checked("models.Models", "restoring.Restoring") as said:
        model, mean = mlp(), mlp()
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        state = mean.state_dict()
        for _ in range(4):
            optimizer.zero_grad()
            model(torch.randn(4, 8)).square().mean().backward()
            optimizer.step()
            for name, one in model.state_dict().items():
                state[name].lerp_(one, 0.1)
            mean.load_state_dict(state)
    assert "checkpoint.restores_itself" not in said.facts


def synchronised(update: Callable[[nn.Module, nn.Module], Any]) -> Any:
    """Whether a loop that brings a copy up to date in this way is said to load it with itself."""
    with checked("models.Models", "restoring.Restoring") as said:
        model = mlp()
        target = copy.deepcopy(model)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        for _ in range(6):
            optimizer.zero_grad()
            model(torch.randn(4, 8)).square().mean().backward()
            optimizer.step()
            update(target, model)
    return said.facts.get("checkpoint.copy_loads_itself")


def lerp_in_state(target: nn.Module, model: nn.Module) -> None:
    state = target.state_dict()
    for name, one in model.state_dict().items():
        state[name].lerp_(one, 0.1)
    target.load_state_dict(state)


def test_a_copy_that_is_loaded_with_itself_gets_nothing() -> None:
    assert synchronised(lambda target, model: target.load_state_dict(target.state_dict())) is True


@pytest.mark.parametrize(
    "update",
    [
        lambda target, model: target.load_state_dict(model.state_dict()),
        lerp_in_state,
    ],
)
def test_a_copy_that_gets_other_weights_is_up_to_date(update: Callable[[nn.Module, nn.Module], Any]) -> None:
    assert synchronised(update) is None
