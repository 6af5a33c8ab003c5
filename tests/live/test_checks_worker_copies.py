"""Data sets of which every worker has a copy, with a generator or a value of its own."""

from __future__ import annotations

import functools
import random
from typing import Any

import pytest
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, Subset, get_worker_info

from tests.live.checking import checked, mlp

ALIKE, UNSEEN = "data.workers_draw_alike", "data.change_unseen"
SEEDED = "data.workers_seeded_alike"


class Rows(Dataset[Any]):
    """Noisy rows, whose noise is drawn in one of several ways."""

    def __init__(self, way: str = "none") -> None:
        self.way, self.level, self.asked, self.epoch = way, 0.1, 0, 0
        self.rng = random.Random(4)
        self.generator = torch.Generator().manual_seed(4)

    def __len__(self) -> int:
        return 24

    def __getitem__(self, index: int) -> Any:
        self.asked += 1
        return torch.ones(8) + self.level

    def set_level(self, level: float) -> None:
        self.level = level
        self.epoch += 1


class OwnRandom(Rows):
    def __getitem__(self, index: int) -> Any:
        return torch.ones(8) * self.rng.random()


class OwnGenerator(Rows):
    def noise(self) -> torch.Tensor:
        return torch.randn(8, generator=self.generator)

    def __getitem__(self, index: int) -> Any:
        return torch.ones(8) + self.noise()


class SeededBySample(Rows):
    def __getitem__(self, index: int) -> Any:
        self.rng.seed(index)
        return torch.ones(8) * self.rng.random()


class SeededByWorker(Rows):
    def __getitem__(self, index: int) -> Any:
        info = get_worker_info()
        assert info is not None
        return torch.ones(8) * (self.rng.random() + info.id)


def facts_of(dataset: Dataset[Any], change: Any = None, **options: Any) -> dict[str, Any]:
    """Three epochs on this data set, with something done before the last ones."""
    model = mlp()
    with checked() as said:
        loader = DataLoader(dataset, batch_size=8, **{"shuffle": True, "num_workers": 2, **options})
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        for epoch in range(3):
            if change and epoch:
                change(epoch)
            for rows in loader:
                optimizer.zero_grad()
                nn.functional.mse_loss(model(rows), torch.zeros(len(rows), 4)).backward()
                optimizer.step()
    return said.facts


@pytest.mark.parametrize("kind", [OwnRandom, OwnGenerator])
def test_a_generator_that_workers_copy_is_seen(kind: type[Rows]) -> None:
    assert facts_of(kind())[ALIKE].startswith(kind.__name__)


def test_it_is_seen_behind_a_part_of_the_data_set() -> None:
    assert ALIKE in facts_of(Subset(OwnRandom(), range(16)))


@pytest.mark.parametrize(
    "options",
    [
        {"num_workers": 0},
        {"worker_init_fn": print},
        {"shuffle": False},
        {"num_workers": 1, "persistent_workers": True},
    ],
)
def test_it_is_none_without_copies_or_order_by_chance(options: dict[str, Any]) -> None:
    assert ALIKE not in facts_of(OwnRandom(), **options)


@pytest.mark.parametrize("kind", [Rows, SeededBySample, SeededByWorker])
def test_a_generator_that_is_not_drawn_from_or_seeded_for_each_is_none(kind: type[Rows]) -> None:
    assert ALIKE not in facts_of(kind())


def test_a_change_that_persistent_workers_never_see_is_told() -> None:
    dataset = Rows()
    facts = facts_of(dataset, lambda epoch: dataset.set_level(float(epoch)), persistent_workers=True)
    assert facts[UNSEEN] == "level"


def test_new_workers_see_it() -> None:
    dataset = Rows()
    assert UNSEEN not in facts_of(dataset, lambda epoch: dataset.set_level(float(epoch)))


def test_what_no_sample_is_made_of_may_change() -> None:
    dataset = Rows()
    assert UNSEEN not in facts_of(
        dataset, lambda epoch: (dataset[0], dataset.__dict__.update(epoch=epoch)), persistent_workers=True
    )


def jitter(row: torch.Tensor) -> torch.Tensor:
    return row * random.uniform(0.8, 1.2)


class Jittered(Rows):
    def __getitem__(self, index: int) -> Any:
        return jitter(torch.ones(8) * index)


class Noise:
    def __call__(self, row: torch.Tensor) -> torch.Tensor:
        return row + torch.randn(8)


class Transformed(Rows):
    def __init__(self, transform: Any) -> None:
        super().__init__()
        self.transform = transform

    def __getitem__(self, index: int) -> Any:
        return self.transform(torch.ones(8) * index)


def one_seed(worker: int) -> None:
    random.seed(12)
    torch.manual_seed(12)


def one_seed_for_torch(worker: int) -> None:
    torch.manual_seed(12)


def seed_of_worker(worker: int) -> None:
    random.seed(12 + worker)
    torch.manual_seed(12 + worker)


def seed_of_torch(worker: int) -> None:
    random.seed(torch.initial_seed() % 2**32)


class Seeds:
    def __init__(self, seed: int) -> None:
        self.seed = seed

    def __call__(self, worker: int) -> None:
        torch.manual_seed(self.seed)


def seeded(seed: int, worker: int) -> None:
    torch.manual_seed(seed)


@pytest.mark.parametrize(
    ("dataset", "init"),
    [
        (Jittered(), one_seed),
        (Transformed(Noise()), one_seed_for_torch),
        (Transformed(lambda row: row + torch.rand(8)), Seeds(4)),
        (Transformed(Noise()), functools.partial(seeded, 4)),
    ],
)
def test_workers_that_are_all_given_one_seed_are_told(dataset: Rows, init: Any) -> None:
    assert SEEDED in facts_of(dataset, worker_init_fn=init)


@pytest.mark.parametrize(
    ("dataset", "options"),
    [
        (Jittered(), {"worker_init_fn": seed_of_worker}),
        (Jittered(), {"worker_init_fn": seed_of_torch}),
        (Jittered(), {"worker_init_fn": one_seed_for_torch}),
        (Jittered(), {}),
        (Rows(), {"worker_init_fn": one_seed}),
        (Jittered(), {"worker_init_fn": one_seed, "shuffle": False}),
        (Jittered(), {"worker_init_fn": one_seed, "num_workers": 1, "persistent_workers": True}),
    ],
    ids=[
        "its number",
        "torch's seed",
        "another generator",
        "none",
        "nothing drawn",
        "evaluation",
        "one stays",
    ],
)
def test_workers_with_seeds_of_their_own_are_left_alone(dataset: Rows, options: dict[str, Any]) -> None:
    assert SEEDED not in facts_of(dataset, **options)
