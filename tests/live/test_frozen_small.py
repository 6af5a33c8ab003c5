"""Small layers that are frozen before anything was learnt are known by their numbers, and those that have learnt are not."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import nn

from .small_runs import facts, train, watched


def a_model() -> nn.Sequential:
    """Its layers are too small for a standard deviation to tell much."""
    torch.manual_seed(1)
    return nn.Sequential(nn.Linear(8, 48), nn.ReLU(), nn.Linear(48, 32), nn.ReLU(), nn.Linear(32, 4))


def seen_frozen(model: nn.Sequential) -> object:
    """What is said of all but the last layer, which trains alone."""
    model[:-1].requires_grad_(False)
    optimizer = torch.optim.SGD([one for one in model.parameters() if one.requires_grad], 0.01)
    return facts(watched(lambda: train(model, optimizer, steps=12))).get("model.frozen_random")


def drawn(scheme: Callable[[torch.Tensor], object]) -> nn.Sequential:
    model = a_model()
    for layer in (model[0], model[2]):
        scheme(layer.weight)  # type: ignore[arg-type]
    return model


@pytest.mark.parametrize(
    "scheme",
    [lambda weight: None, nn.init.xavier_uniform_, nn.init.kaiming_uniform_],
    ids=["own", "xavier", "he"],
)
def test_what_fills_the_range_of_a_scheme_has_learnt_nothing(
    scheme: Callable[[torch.Tensor], object],
) -> None:
    assert seen_frozen(drawn(scheme)) is True


@pytest.mark.parametrize("steps", [30, 300])
def test_what_was_trained_before_the_run_is_not_random(steps: int) -> None:
    model = a_model()
    train(model, torch.optim.Adam(model.parameters(), lr=1e-3), steps=steps)
    assert seen_frozen(model) is not True


def test_of_a_few_numbers_without_bounds_nothing_is_said() -> None:
    assert seen_frozen(drawn(nn.init.kaiming_normal_)) is None


def test_a_scheme_of_another_width_is_none() -> None:
    assert seen_frozen(drawn(lambda weight: nn.init.uniform_(weight, -0.03, 0.03))) is None
