"""Loaders that are begun anew for each batch, and streams that every worker goes through."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

import pytest
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, IterableDataset, TensorDataset, get_worker_info

from tests.live.checking import checked, mlp

RESTARTED, REPEATED, ALIKE = "data.loader_restarted", "data.repeated_by_workers", "data.workers_give_alike"
ROWS = torch.randn(96, 8, generator=torch.Generator().manual_seed(3))


class Stream(IterableDataset[Any]):
    """Rows one by one: all of them, or the part of the worker; mixed, or not; or drawn for ever."""

    def __init__(
        self, split: bool = False, mixed: bool = False, seed: int | None = None, times: int = 1
    ) -> None:
        self.split, self.mixed, self.seed, self.times = split, mixed, seed, times

    def __iter__(self) -> Iterator[Any]:
        info = get_worker_info()
        assert info is not None
        if self.seed is not None:
            seed = self.seed + (info.id if self.split else 0)
            generator = torch.Generator().manual_seed(seed)
            yield from (torch.randn(8, generator=generator) for _ in range(200))
            return
        rows = ROWS[info.id :: info.num_workers] if self.split else ROWS
        for row in rows[torch.randperm(len(rows))] if self.mixed else rows:
            yield from [row] * self.times


def facts_of(batches: Iterable[Any]) -> dict[str, Any]:
    """Train on these batches."""
    model = mlp()
    with checked() as said:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        for batch in batches:
            rows = batch if isinstance(batch, torch.Tensor) else batch[0]
            optimizer.zero_grad()
            nn.functional.mse_loss(model(rows), torch.zeros(len(rows), 4)).backward()
            optimizer.step()
    return said.facts


def rows_loader(**options: Any) -> DataLoader[Any]:
    return DataLoader(TensorDataset(ROWS), batch_size=4, **options)


def first_of(loader: DataLoader[Any], times: int) -> Iterator[Any]:
    return (next(iter(loader)) for _ in range(times))


def test_workers_that_are_started_for_each_batch_are_seen() -> None:
    assert facts_of(first_of(rows_loader(num_workers=1, shuffle=True), 10))[RESTARTED] is True


@pytest.mark.parametrize("anew", [True, False], ids=["for each batch", "for each epoch"])
def test_a_loader_that_is_made_anew_over_the_same_data_is_the_same_one(anew: bool) -> None:
    data = TensorDataset(ROWS)
    made = (DataLoader(data, batch_size=4, num_workers=1, shuffle=True) for _ in range(10))
    few = (batch for loader in made for batch in islice(loader, 1 if anew else 20))
    assert facts_of(few).get(RESTARTED) is (True if anew else None)


def test_two_loaders_in_turn_are_seen() -> None:
    one, other = rows_loader(num_workers=1), rows_loader(num_workers=1, shuffle=True)
    assert facts_of(batch for _ in range(9) for loader in (one, other) for batch in first_of(loader, 1))[
        RESTARTED
    ]


@pytest.mark.parametrize("workers", [0, 1])
def test_one_iterator_for_each_epoch_is_none(workers: int) -> None:
    loader = rows_loader(num_workers=workers)
    assert RESTARTED not in facts_of(batch for _ in range(3) for batch in loader)


def test_a_loader_without_workers_has_nothing_to_start() -> None:
    assert RESTARTED not in facts_of(first_of(rows_loader(), 12))


def test_a_task_of_one_batch_ends_by_itself() -> None:
    loader = DataLoader(TensorDataset(ROWS[:8]), batch_size=4, num_workers=1)
    assert RESTARTED not in facts_of(first_of(loader, 10))


def test_an_epoch_that_is_cut_short_is_none() -> None:
    loader = rows_loader(num_workers=1)
    assert RESTARTED not in facts_of(batch for _ in range(9) for batch in islice(loader, 6))


@pytest.mark.parametrize("stream", [Stream(), Stream(mixed=True), Stream(seed=5)])
def test_workers_with_the_same_samples_are_seen(stream: Stream) -> None:
    loader = DataLoader(stream, batch_size=8, num_workers=2)
    assert facts_of(batch for _ in range(2) for batch in loader)[REPEATED] == 2


@pytest.mark.parametrize(
    "stream",
    [Stream(split=True), Stream(split=True, mixed=True), Stream(split=True, seed=5), Stream(True, times=2)],
)
def test_workers_with_samples_of_their_own_are_none(stream: Stream) -> None:
    loader = DataLoader(stream, batch_size=8, num_workers=2)
    assert REPEATED not in facts_of(batch for _ in range(2) for batch in loader)


class Made(Dataset[Any]):
    """Rows that are made on the fly, whatever the index; or the rows of a set that is as long as a batch, or there twice."""

    def __init__(self, rows: torch.Tensor | None = None, noise: bool = True) -> None:
        self.rows, self.noise = rows, noise

    def __len__(self) -> int:
        return 96

    def __getitem__(self, index: int) -> torch.Tensor:
        row = torch.zeros(8) if self.rows is None else self.rows[index % len(self.rows)]
        return row + torch.randn(8) if self.noise else row


def same_seed(worker: int) -> None:
    torch.manual_seed(7)


def test_workers_that_draw_from_one_seed_are_seen() -> None:
    loader = DataLoader(Made(), batch_size=8, num_workers=2, worker_init_fn=same_seed)
    assert facts_of(batch for _ in range(2) for batch in loader)[ALIKE] == 2


@pytest.mark.parametrize(
    "loader",
    [
        DataLoader(Made(), batch_size=8, num_workers=2),
        DataLoader(Made(), batch_size=8, num_workers=1, worker_init_fn=same_seed),
        DataLoader(Made(ROWS), batch_size=8, shuffle=True, num_workers=2, worker_init_fn=same_seed),
        DataLoader(Made(noise=False), batch_size=1, num_workers=2),
        DataLoader(Made(ROWS[:32], noise=False), batch_size=32, num_workers=2),
        DataLoader(Made(ROWS[:48], noise=False), batch_size=16, num_workers=2),
    ],
    ids=["seeds of their own", "one worker", "real samples", "all equal", "one batch again", "a set twice"],
)
def test_workers_that_bring_what_they_are_asked_for_are_none(loader: DataLoader[Any]) -> None:
    assert ALIKE not in facts_of(batch for _ in range(2) for batch in loader)


def test_one_worker_repeats_nothing() -> None:
    assert REPEATED not in facts_of(DataLoader(Stream(), batch_size=8, num_workers=1))
