"""Whether the sampler of the ranks is told the epoch."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import torch
from torch import nn
from torch.utils.data import BatchSampler, DataLoader, DistributedSampler, TensorDataset

from tests.live.checking import checked, mlp

NEVER = "data.epoch_never_told"
DATA = TensorDataset(torch.randn(64, 8, generator=torch.Generator().manual_seed(3)))


def loader_of(sampler: Any, batched: bool = False, workers: int = 0) -> DataLoader[Any]:
    if batched:
        return DataLoader(DATA, batch_sampler=BatchSampler(sampler, 4, drop_last=False))
    return DataLoader(DATA, batch_size=4, sampler=sampler, num_workers=workers)


def sampler_of(kind: type[DistributedSampler[Any]] = DistributedSampler, **options: Any) -> Any:
    return kind(DATA, num_replicas=2, rank=0, **options)


def run(loader: Any, tell: Any = None, epochs: int = 4, held_out: Any = (), accumulate: int = 1) -> Any:
    """Train for some epochs, `tell` before each, with an evaluation after each."""
    model = mlp()
    with checked() as said:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        for epoch in range(epochs):
            if tell is not None:
                tell(epoch)
            for place, (rows,) in enumerate(loader):
                model(rows).square().mean().backward()
                if (place + 1) % accumulate == 0:
                    optimizer.step()
                    optimizer.zero_grad()
            with torch.no_grad():
                for (rows,) in held_out:
                    nn.functional.mse_loss(model(rows), torch.zeros(len(rows), 4))
    return said.facts.get(NEVER)


@pytest.mark.parametrize("accumulate", [1, 4])
@pytest.mark.parametrize("workers", [0, 1])
def test_an_epoch_that_is_never_told_is_seen(workers: int, accumulate: int) -> None:
    assert run(loader_of(sampler_of(), workers=workers), accumulate=accumulate) is True


def test_it_is_seen_below_a_sampler_of_batches() -> None:
    assert run(loader_of(sampler_of(), batched=True)) is True


def test_an_epoch_that_is_told_is_none() -> None:
    sampler = sampler_of()
    assert run(loader_of(sampler), sampler.set_epoch) is False


def test_a_seed_that_is_changed_does_as_well() -> None:
    sampler = sampler_of()
    assert run(loader_of(sampler), lambda epoch: setattr(sampler, "seed", epoch)) is False


def test_two_stages_of_one_epoch_each_are_none() -> None:
    assert run(loader_of(sampler_of()), epochs=2) is None


def test_the_order_of_an_evaluation_does_not_matter() -> None:
    train = DataLoader(DATA, batch_size=4, shuffle=True)
    assert run(train, held_out=loader_of(sampler_of())) is None


def test_a_sampler_that_does_not_shuffle_has_one_order() -> None:
    assert run(loader_of(sampler_of(shuffle=False))) is None


def test_a_sampler_that_draws_its_own_order_needs_no_epoch() -> None:
    class Drawing(DistributedSampler[Any]):
        def __iter__(self) -> Iterator[int]:
            return iter(torch.randperm(32).tolist())

    assert run(loader_of(sampler_of(Drawing))) is None
