"""Whether evaluation gives the model inputs of the size that it trained on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn

from tests.live.checking import checked

PIXELS = "data.inputs.eval_over_train"


def evaluated(held_out: Callable[[int], Any], calls: int = 8, width: int = 32) -> dict[str, Any]:
    """Train on standardised rows, and evaluate on these after every second step."""
    model = nn.Sequential(nn.Linear(width, 8), nn.Tanh(), nn.Linear(8, 1))
    with checked() as said:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        for step in range(8):
            model.train()
            optimizer.zero_grad()
            model(torch.randn(16, width)).square().mean().backward()
            optimizer.step()
            if step % 2:
                model.eval()
                with torch.no_grad():
                    for call in range(calls):
                        model(held_out(call))
    return said.facts


@pytest.mark.parametrize(("factor", "times"), [(100.0, 100), (3.0, 3), (1.0, 1)])
def test_inputs_of_evaluation_are_measured_beside_those_of_training(factor: float, times: float) -> None:
    said = evaluated(lambda _: factor * torch.randn(16, 32))
    assert times / 2 < said[PIXELS] < 2 * times + 2


def test_a_sampler_goes_from_noise_to_what_it_was_trained_on() -> None:
    noise = torch.logspace(3, -1, 200)
    assert evaluated(lambda call: noise[call] * torch.randn(16, 32), calls=200)[PIXELS] == 1.0


def test_pixels_that_only_training_keeps_up_to_255_make_evaluation_small() -> None:
    assert evaluated(lambda _: 0.01 * torch.randn(16, 32))[PIXELS] < 0.02


@pytest.mark.parametrize("held_out", [torch.zeros(16, 32), 100 * torch.randn(1, 32)])
def test_zeros_and_a_few_numbers_tell_nothing(held_out: torch.Tensor) -> None:
    """Zeros are what a model is tried with, and an agent sees a few numbers at a time."""
    assert PIXELS not in evaluated(lambda _: held_out)
