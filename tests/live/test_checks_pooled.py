"""Attention written by hand that is normalised over the samples of a batch, and what looks like it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from tests.live.checking import cross_entropy, train

FACT = "model.pooled_over_batch"
PLACES, WIDTH = 6, 8
Pool = Callable[[Any, Any], Any]


class Pooling(nn.Module):
    """Scores each place, and makes one row of a sample."""

    def __init__(self, pool: Pool) -> None:
        super().__init__()
        self.score, self.out, self.pool = nn.Linear(WIDTH, 1), nn.Linear(WIDTH, 4), pool

    def forward(self, places: Any) -> Any:
        return self.out(self.pool(self.score(places), places))


def sequences() -> tuple[torch.Tensor, torch.Tensor]:
    return torch.randn(10, PLACES, WIDTH), torch.randint(0, 4, (10,))


def summed(dim: int) -> Pool:
    def pool(scores: Any, places: Any) -> Any:
        weights = F.softmax(scores.squeeze(-1), dim=dim)
        return (weights.unsqueeze(-1) * places).sum(1)

    return pool


def multiplied(dim: int) -> Pool:
    def pool(scores: Any, places: Any) -> Any:
        weights = F.dropout(scores.softmax(dim), 0.1)
        return torch.bmm(weights.transpose(1, 2) if dim else weights.view(-1, 1, PLACES), places).squeeze(1)

    return pool


def implicit(scores: Any, places: Any) -> Any:
    return (nn.Softmax()(scores) * places).sum(dim=1)


@pytest.mark.parametrize(
    "pool", [summed(0), multiplied(0), implicit], ids=["summed", "multiplied", "implicit"]
)
@pytest.mark.filterwarnings("ignore:Implicit dimension")
def test_weights_of_places_that_are_shares_of_a_batch_are_seen(pool: Pool) -> None:
    assert train(Pooling(pool), cross_entropy, sequences).facts.get(FACT) is True


@pytest.mark.parametrize("pool", [summed(1), multiplied(1)], ids=["summed", "multiplied"])
def test_weights_of_places_that_are_shares_of_a_sample_are_none(pool: Pool) -> None:
    assert train(Pooling(pool), cross_entropy, sequences).facts.get(FACT) is None


def slots(scores: Any, places: Any) -> Any:
    """Three clusters share each place, and sum up all places."""
    shares = torch.cat([scores, -scores, 2 * scores], -1).softmax(-1)
    return torch.bmm(shares.transpose(1, 2), places).mean(1)


def slots_first(scores: Any, places: Any) -> Any:
    """The same of places that belong to no sample: the first axis is that of the clusters."""
    shares = torch.stack([scores.flatten(), -scores.flatten()]).softmax(0)
    every = places.flatten(0, 1)
    centres = (shares.unsqueeze(-1) * every.expand(2, -1, -1)).sum(1)
    return places.mean(1) + centres.mean(0)


def time_first(scores: Any, places: Any) -> Any:
    """Sequences whose first axis is time."""
    weights = scores.squeeze(-1).t().softmax(0)
    return (weights.unsqueeze(-1) * places.transpose(0, 1)).sum(0)


def weighted_samples(scores: Any, places: Any) -> Any:
    """Each sample by its share of the batch, as importance weights are."""
    shares = scores.mean(1).softmax(0)
    return places.mean(1) * shares * len(shares)


@pytest.mark.parametrize("pool", [slots, slots_first, time_first, weighted_samples])
def test_shares_along_an_axis_of_their_own_are_none(pool: Pool) -> None:
    assert train(Pooling(pool), cross_entropy, sequences).facts.get(FACT) is None
