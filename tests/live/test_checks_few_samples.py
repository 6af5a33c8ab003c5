"""Training that gets the same few samples again and again, though its loader has places for many."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Any

import pytest
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, RandomSampler, Subset, TensorDataset, WeightedRandomSampler

from tests.live.checking import checked, mlp

SHARE, ENDS, BATCHES = "data.different_share", "data.pass_ends_after", "data.pass_batches"
ROWS = torch.randn(640, 8, generator=torch.Generator().manual_seed(5))
LABELS = torch.arange(640) % 4


class Made(Dataset[Any]):
    """Makes each sample when it is asked for; from a seed of its own, or from one for all."""

    def __init__(self, seed: int | None = None, count: int = 640) -> None:
        self.seed, self.count = seed, count

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, index: int) -> Any:
        label = index % 4
        generator = torch.Generator().manual_seed(index if self.seed is None else self.seed)
        return torch.randn(8, generator=generator) + label, label


def facts_of(passes: Iterable[Iterable[Any]], evaluated: Iterable[Any] = ()) -> dict[str, Any]:
    """Train on these passes, with a look at some other batches after each."""
    model = mlp()
    with checked() as said:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        for batches in passes:
            for rows, labels in batches:
                optimizer.zero_grad()
                nn.functional.cross_entropy(model(rows), labels).backward()
                optimizer.step()
            model.eval()
            with torch.no_grad():
                for rows, _ in evaluated:
                    model(rows)
            model.train()
    return said.facts


def loader(data: Dataset[Any] | None = None, **options: Any) -> DataLoader[Any]:
    return DataLoader(data or TensorDataset(ROWS, LABELS), batch_size=16, **options)


def test_a_pass_that_is_left_after_its_first_batches() -> None:
    batches = loader()
    facts = facts_of(islice(batches, 3) for _ in range(30))
    assert facts[SHARE] < 0.2
    assert (facts[ENDS], facts[BATCHES]) == (3, 40)


def test_a_data_set_that_forgets_which_sample_it_was_asked_for() -> None:
    facts = facts_of(loader(Made(seed=1), shuffle=True) for _ in range(3))
    assert facts[SHARE] < 0.2
    assert ENDS not in facts


@pytest.mark.parametrize(
    "passes",
    [
        lambda: [loader()] * 4,
        lambda: [loader(shuffle=True)] * 4,
        lambda: (islice(one, 3) for one in [loader(shuffle=True)] * 40),
        lambda: [loader(Made(), shuffle=True)] * 4,
        # A few samples that are all there are, gone through or drawn from as often as one likes.
        lambda: [loader(Subset(TensorDataset(ROWS, LABELS), range(32)))] * 60,
        lambda: [loader(TensorDataset(ROWS, LABELS), sampler=WeightedRandomSampler([1.0] * 640, 640))] * 4,
        lambda: [loader(Made(), sampler=RandomSampler(range(640), replacement=True, num_samples=900))] * 3,
    ],
)
def test_ordinary_passes_say_nothing(passes: Any) -> None:
    assert SHARE not in facts_of(passes())


def test_batches_that_nothing_is_trained_on_do_not_count() -> None:
    other = loader(TensorDataset(ROWS + 1, LABELS))
    assert SHARE not in facts_of([loader(shuffle=True)] * 40, islice(other, 1))


def test_one_picture_with_many_questions_is_many_samples() -> None:
    pictures, questions = ROWS[:4].repeat(160, 1), torch.randint(0, 90, (640, 6))
    batches = DataLoader(TensorDataset(pictures, questions), batch_size=16)
    model = mlp()
    with checked() as said:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        for _ in range(4):
            for rows, words in batches:
                optimizer.zero_grad()
                nn.functional.cross_entropy(model(rows), words[:, 0] % 4).backward()
                optimizer.step()
    assert SHARE not in said.facts
