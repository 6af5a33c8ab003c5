"""A run that goes on from a file and leaves the optimizer's state in it, and runs that only begin with its weights."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from .checking import checked, loss_of, mlp
from .looking import Said

NAME = "checkpoint.optimizer_state_left"
PER_EPOCH = 4


def adam(model: Any) -> torch.optim.Optimizer:
    return torch.optim.Adam(model.parameters(), lr=0.01)


def plain(model: Any) -> torch.optim.Optimizer:
    return torch.optim.SGD(model.parameters(), lr=0.01)


def epochs(model: Any, optimizer: Any, file: Path, first: int, count: int, key: str = "epoch") -> None:
    for epoch in range(first, first + count):
        for _ in range(PER_EPOCH):
            optimizer.zero_grad()
            loss_of(model).backward()
            optimizer.step()
        done = epoch if key == "epoch" else (epoch + 1) * PER_EPOCH
        state = {"net": model.state_dict(), "opt": optimizer.state_dict(), key: done, "classes": 4}
        torch.save(state, file)


def second(
    folder: Path,
    take_up: Callable[[Any, Any, Any], int],
    make: Callable[[Any], torch.optim.Optimizer] = adam,
    key: str = "epoch",
) -> Said:
    """Six epochs in one process, and four in another, in which `take_up` tells at which epoch it begins."""
    file = folder / "last.pt"
    model = mlp()
    epochs(model, make(model), file, 0, 6, key)
    with checked() as said:
        model = mlp()
        optimizer = make(model)
        first = take_up(torch.load(file, weights_only=True), model, optimizer)
        epochs(model, optimizer, folder / "another.pt", first, 4, key)
    return said


def weights_and_place(state: Any, model: Any, optimizer: Any) -> int:
    model.load_state_dict(state["net"])
    return 6


def all_of_it(state: Any, model: Any, optimizer: Any) -> int:
    optimizer.load_state_dict(state["opt"])
    return weights_and_place(state, model, optimizer)


def weights_alone(state: Any, model: Any, optimizer: Any) -> int:
    model.load_state_dict(state["net"])
    return 0


@pytest.mark.parametrize("key", ["epoch", "global_step"])
def test_a_run_that_counts_on_with_an_empty_optimizer_left_its_state_behind(tmp_path: Path, key: str) -> None:
    assert second(tmp_path, weights_and_place, key=key)[NAME] is True


@pytest.mark.parametrize("key", ["epoch", "global_step"])
def test_a_run_that_restores_its_optimizer_left_nothing(tmp_path: Path, key: str) -> None:
    assert NAME not in second(tmp_path, all_of_it, key=key).facts


@pytest.mark.parametrize("key", ["epoch", "global_step"])
def test_a_new_run_from_the_weights_of_another_leaves_the_state_on_purpose(tmp_path: Path, key: str) -> None:
    assert NAME not in second(tmp_path, weights_alone, key=key).facts


def test_an_optimizer_that_gathers_nothing_has_nothing_to_restore(tmp_path: Path) -> None:
    assert NAME not in second(tmp_path, weights_and_place, make=plain).facts


def test_a_file_that_is_read_for_a_look_after_training_is_no_beginning(tmp_path: Path) -> None:
    with checked() as said:
        model = mlp()
        optimizer = adam(model)
        epochs(model, optimizer, tmp_path / "best.pt", 0, 3)
        model.load_state_dict(torch.load(tmp_path / "best.pt", weights_only=True)["net"])
        epochs(model, adam(model), tmp_path / "best.pt", 3, 3)
    assert NAME not in said.facts
