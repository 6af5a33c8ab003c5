"""What a data set and its sampler do to the samples, seen where they are fetched."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch.utils.data import Dataset, Subset, TensorDataset, WeightedRandomSampler

from tests.live.pictures import Pictures, epochs, pixels


@pytest.mark.parametrize(
    ("prepare", "changes"),
    [
        (lambda x: x.mul_(1.1), True),
        (lambda x: x.sub_(0.5).div_(0.2), True),
        (lambda x: x * 1.1, None),
        (lambda x: x.clone().mul_(1.1), None),
        (lambda x: x.clamp_(0.1, 0.9), None),
        (lambda x: x.copy_(x.flip(-1)), None),
    ],
)
def test_a_sample_that_is_changed_whenever_it_is_fetched_is_seen(prepare: Any, changes: bool | None) -> None:
    assert epochs(Pictures(prepare), pixels()).facts.get("data.stored_sample_changes") is changes


class Filled(Dataset[Any]):
    """Computes each sample once, into a tensor for all of them."""

    def __init__(self) -> None:
        self.cache = torch.zeros(32, 3, 6, 5)
        self.filled: set[int] = set()

    def __len__(self) -> int:
        return 32

    def __getitem__(self, place: int) -> Any:
        if place not in self.filled:
            self.filled.add(place)
            self.cache[place] = torch.rand(3, 6, 5)
        return self.cache[place], place % 4


def test_a_cache_is_filled_once() -> None:
    assert "data.stored_sample_changes" not in epochs(Filled(), pixels()).facts


class Noisy(TensorDataset):
    """Adds noise to what is stored."""

    def __getitem__(self, place: int) -> Any:
        image, label = (one[place] for one in self.tensors)
        image += 0.1 * torch.randn_like(image)
        return image, label


def test_a_part_of_a_set_of_tensors_is_followed_too() -> None:
    whole = Noisy(torch.rand(32, 3, 6, 5), torch.arange(32) % 4)
    said = epochs(Subset(whole, list(range(4, 30))), pixels(), shuffle=True)
    assert (said["data.stored_sample_changes"], said["data.stored_sample_changes_by_chance"]) == (True, True)


def test_a_preparation_in_place_draws_no_random_numbers() -> None:
    said = epochs(Pictures(lambda x: x.sub_(0.5).div_(0.2)), pixels(), shuffle=True)
    assert said["data.stored_sample_changes_by_chance"] is False


@pytest.mark.parametrize(
    ("weights", "number", "told"),
    [
        ([0.1, 0.9, 0.5, 0.2], 32, (4, 32)),
        ([0.1] * 32, 32, (None, None)),
        # The first few on purpose, each of them once.
        ([1.0] * 8, 8, (None, None)),
        ([1.0] * 4 + [0.0] * 28, 32, (None, None)),
    ],
)
def test_a_sampler_with_one_weight_for_each_class_is_seen(
    weights: list[float], number: int, told: tuple[int | None, int | None]
) -> None:
    said = epochs(
        Pictures(lambda x: x), pixels(), sampler=WeightedRandomSampler(weights, number, replacement=True)
    )
    assert (said.facts.get("data.sampler_weights"), said.facts.get("data.sampler_samples")) == told
