"""A seed that is set again while the run trains."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import nn

from tests.live.checking import checked

FACT = "data.draws_repeat"
EPOCHS = 5


def is_told(between: Callable[[int], object], dropout: float = 0.5, anew: bool = False) -> bool:
    """Train some epochs of three steps, and do something after each; `anew` trains another model in each."""
    with checked() as said:
        for epoch in range(EPOCHS):
            if epoch == 0 or anew:
                model = nn.Sequential(nn.Linear(8, 8), nn.Dropout(dropout), nn.Linear(8, 1))
                optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
            for _ in range(3):
                optimizer.zero_grad()
                model(torch.ones(4, 8)).square().mean().backward()
                optimizer.step()
            between(epoch)
    return FACT in said.facts


def preview() -> None:
    torch.manual_seed(0)
    torch.randn(16)


def preview_aside() -> None:
    with torch.random.fork_rng():
        preview()


def preview_and_back() -> None:
    state = torch.get_rng_state()
    preview()
    torch.set_rng_state(state)


def test_a_preview_that_seeds_the_run_is_seen() -> None:
    assert is_told(lambda epoch: preview())


def test_a_seed_at_the_start_of_each_epoch_is_seen() -> None:
    assert is_told(lambda epoch: torch.random.manual_seed(7))


@pytest.mark.parametrize("aside", [preview_aside, preview_and_back])
def test_a_seed_whose_state_is_put_back_is_none(aside: Callable[[], None]) -> None:
    assert not is_told(lambda epoch: aside())


def test_a_seed_of_each_epoch_is_none() -> None:
    assert not is_told(lambda epoch: torch.manual_seed(epoch))


def test_a_generator_of_its_own_is_none() -> None:
    assert not is_told(lambda epoch: torch.Generator().manual_seed(0))


def test_training_that_draws_nothing_has_nothing_to_repeat() -> None:
    assert not is_told(lambda epoch: preview(), dropout=0.0)


def test_one_model_after_the_other_from_the_same_seed_is_none() -> None:
    assert not is_told(lambda epoch: preview(), anew=True)
