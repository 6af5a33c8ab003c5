"""Inputs that were normalised for training and not for evaluation, or the reverse."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn

from tests.live.checking import checked

SIDE = "data.inputs.normalised_in"
Draw = Callable[[int], torch.Tensor]


def table(rows: int) -> torch.Tensor:
    """Eight columns, each of its own level and unit."""
    return torch.randn(rows, 8) * torch.linspace(0.5, 3, 8) + torch.linspace(-2, 4, 8)


def scaled(rows: int) -> torch.Tensor:
    return (table(rows) - torch.linspace(-2, 4, 8)) / torch.linspace(0.5, 3, 8)


def pictures(count: int) -> torch.Tensor:
    return torch.rand(count, 3, 8, 8)


def bright(count: int) -> torch.Tensor:
    return (pictures(count) - 0.5) / 0.29


def side(training: Draw, *evaluation: Draw, rows: int = 64) -> Any:
    """What is said where a model is trained on these and evaluated on those."""
    width = training(1)[0].numel()
    model = nn.Sequential(nn.Flatten(), nn.Linear(width, 1))
    with checked() as said:
        optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)
        for _ in range(4):
            model.train()
            for _ in range(4):
                optimizer.zero_grad()
                model(training(64)).mean().backward()
                optimizer.step()
            model.eval()
            with torch.no_grad():
                for draw in evaluation:
                    model(draw(rows))
    return said.facts.get(SIDE)


def test_a_side_that_alone_was_normalised_is_named() -> None:
    assert side(scaled, table) == "training"
    assert side(table, scaled) == "evaluation"
    assert side(bright, pictures) == "training"


def test_the_training_set_may_be_evaluated_too() -> None:
    assert side(scaled, lambda rows: scaled(400), lambda rows: table(200)) == "training"


@pytest.mark.parametrize("draw", [scaled, table, pictures, bright])
def test_sides_that_are_prepared_alike_are_fine(draw: Draw) -> None:
    assert side(draw, draw) == "both"


def test_noise_in_training_alone_is_no_other_preparation() -> None:
    assert side(lambda rows: bright(rows) + torch.randn(rows, 3, 8, 8), bright) == "both"


def test_a_small_last_batch_tells_little() -> None:
    def last(rows: int) -> torch.Tensor:
        return scaled(5) + 1

    assert side(scaled, scaled, scaled, last) == "both"


def test_the_places_at_which_a_function_is_drawn_may_lie_anywhere() -> None:
    assert side(lambda rows: torch.randn(200, 2), lambda rows: 9 * torch.randn(200, 2)) is None


def test_a_test_set_of_another_kind_is_not_one_that_was_left_as_it_was() -> None:
    """Neither side has mean 0 and deviation 1."""
    assert side(table, lambda rows: 3 * table(rows)) is None
