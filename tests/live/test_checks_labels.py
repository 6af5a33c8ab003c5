"""Labels: out of range, ignored, sorted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, IterableDataset, get_worker_info

from tests.live.checking import checked, classes, cross_entropy, mlp, numbers, train


def one_of_two(count: int = 32) -> tuple[torch.Tensor, torch.Tensor]:
    return torch.randn(count, 8), torch.randint(0, 2, (count, 1)).float()


def test_targets_beyond_the_output_are_seen() -> None:
    assert train(mlp(8, 1, nn.Sigmoid()), nn.MSELoss(), numbers)["loss.target_out_of_reach"] is True

    def small() -> tuple[torch.Tensor, torch.Tensor]:
        inputs, targets = numbers()
        return inputs, torch.sigmoid(targets)

    assert train(mlp(8, 1, nn.Sigmoid()), nn.MSELoss(), small)["loss.target_out_of_reach"] is False


class Box(nn.Module):
    """A place within the cell, and a size that may be any positive number, or is held as the place is."""

    def __init__(self, size: Callable[[Any], Any]) -> None:
        super().__init__()
        self.layers, self.size = mlp(), size

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        """The four numbers of a box."""
        raw = self.layers(inputs)
        return torch.cat([raw[:, :2].sigmoid(), self.size(raw[:, 2:])], dim=1)


@pytest.mark.parametrize(("size", "out"), [(torch.sigmoid, True), (F.softplus, None), (torch.exp, None)])
def test_what_is_joined_of_several_parts_is_as_bounded_as_all_of_them(size: Any, out: bool | None) -> None:
    def boxes() -> tuple[torch.Tensor, torch.Tensor]:
        return torch.randn(32, 8), torch.cat([torch.rand(32, 2), 3 * torch.rand(32, 2)], dim=1)

    assert train(Box(size), nn.SmoothL1Loss(), boxes).facts.get("loss.target_out_of_reach") is out


def test_a_label_out_of_range_is_read_from_the_error() -> None:
    with pytest.raises(IndexError), checked() as said:  # noqa: PT012 - the loop is what raises
        model = mlp()
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for step in range(20):
            inputs, labels = classes()
            if step == 15:
                labels[3] = 4
            loss: Any = F.cross_entropy(model(inputs), labels)
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
    assert said["data.labels.out_of_range"] is True
    assert said["data.labels.max"] == 4


def test_raw_scores_that_bce_refuses_are_read_from_the_error() -> None:
    with pytest.raises(RuntimeError), checked() as said:  # noqa: PT012 - the loop is what raises
        model = mlp(8, 1)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        inputs, labels = one_of_two()
        optimizer.zero_grad()
        F.binary_cross_entropy(model(inputs), labels)
    assert said["loss.bce_on_raw_scores"] is True


def test_partly_ignored_labels_are_counted() -> None:
    def batch() -> tuple[torch.Tensor, torch.Tensor]:
        inputs, labels = classes(40)
        labels[:10] = -100
        return inputs, labels

    said = train(mlp(), nn.CrossEntropyLoss(), batch)
    assert said["data.labels.ignored_share"] == 0.25
    assert said["data.labels.all_ignored"] is False
    assert said["data.labels.out_of_range"] is False


def test_a_batch_of_ignored_labels_is_seen() -> None:
    def batch() -> tuple[torch.Tensor, torch.Tensor]:
        inputs, labels = classes()
        return inputs, torch.full_like(labels, -100)

    assert train(mlp(), nn.CrossEntropyLoss(), batch)["data.labels.all_ignored"] is True


def sorted_batches(of: int = 4) -> list[tuple[torch.Tensor, torch.Tensor]]:
    labels: Any = torch.arange(of).repeat_interleave(64)
    return list(zip(torch.randn(len(labels), 8).chunk(of * 2), labels.split(32), strict=True))


def test_labels_sorted_by_class_are_seen() -> None:
    batches = iter(sorted_batches(8))
    said = train(mlp(8, 8), nn.CrossEntropyLoss(), lambda: next(batches))
    assert said["data.labels.sorted"] is True


def mixed(labels: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """A batch whose samples stand in no order."""
    return torch.randn(len(labels), 8), labels[torch.randperm(len(labels))]


@pytest.mark.parametrize("size", [32, 40])
def test_labels_sorted_by_class_and_mixed_within_the_batch_are_seen(size: int) -> None:
    """As where texts are sorted by length to save padding, and the length goes with the class."""
    labels: Any = torch.arange(6).repeat_interleave(410)
    batches = iter(labels.split(size))
    said = train(mlp(8, 6), nn.CrossEntropyLoss(), lambda: mixed(next(batches)), steps=32)
    assert said["data.labels.sorted"] is True


@pytest.mark.parametrize("within", [True, False])
def test_batches_of_one_class_in_any_order_are_no_sorted_data(within: bool) -> None:
    """Texts of one length each, and these batches are shuffled. The first few may seem to be sorted."""
    drawn = iter([0, 1, 3, 3, 2, 0, 1, 3, 0, 2])

    def batch() -> tuple[torch.Tensor, torch.Tensor]:
        one = next(drawn)
        return mixed(torch.tensor([one] * 30 + [min(one + within, 3)] * 2))

    assert train(mlp(), nn.CrossEntropyLoss(), batch, steps=10)["data.labels.sorted"] is False


class Parts(IterableDataset[Any]):
    """Each worker reads parts of its own, one after the other, of the class that an order of all parts gives them."""

    def __init__(self, order: list[int]) -> None:
        self.order = order

    def __iter__(self) -> Iterator[Any]:
        worker: Any = get_worker_info()
        for one in self.order[worker.id :: worker.num_workers] if worker else self.order:
            yield from ((torch.randn(8), one) for _ in range(16))


def read_by(workers: int, order: list[int]) -> Any:
    with checked() as said:
        model = mlp(8, 8)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        for inputs, labels in DataLoader(Parts(order), batch_size=16, num_workers=workers):
            optimizer.zero_grad()
            cross_entropy(model(inputs), labels).backward()
            optimizer.step()
    return said.facts.get("data.labels.sorted")


SORTED_BY_TWO = [one for pair in ((0, 1), (2, 3), (4, 5)) for one in 9 * pair]


@pytest.mark.parametrize(
    ("workers", "order", "seen"),
    [
        (2, SORTED_BY_TWO, True),
        (0, SORTED_BY_TWO, False),
        (2, 18 * [0, 1], False),
        (2, 6 * [0, 1, 3, 3, 2, 0, 1, 3, 0, 2], False),
    ],
)
def test_workers_that_each_read_sorted_parts_are_seen(workers: int, order: list[int], seen: bool) -> None:
    """Their batches come in turn: 0, 1, 0, 1. So come real and made ones, and batches of one length each in any order."""
    assert read_by(workers, order) is seen


def test_batches_of_nearly_one_class_are_no_sorted_data() -> None:
    rare = iter([0, 1, 0, 0, 2, 0, 1, 0, 0, 0, 0, 2])

    def batch() -> tuple[torch.Tensor, torch.Tensor]:
        return mixed(torch.tensor([next(rare)] + [0] * 31))

    assert train(mlp(), nn.CrossEntropyLoss(), batch)["data.labels.sorted"] is False


def test_a_few_classes_that_a_sampler_draws_for_each_batch_are_no_sorted_data() -> None:
    """For triplets, two or three of many with so many samples each."""

    def batch() -> tuple[torch.Tensor, torch.Tensor]:
        return mixed(torch.randperm(8)[:2].repeat_interleave(16))

    assert train(mlp(8, 8), nn.CrossEntropyLoss(), batch)["data.labels.sorted"] is False


def test_shuffled_labels_are_cleared() -> None:
    said = train(mlp(), nn.CrossEntropyLoss())
    assert said["data.labels.sorted"] is False


def test_domain_labels_that_take_turns_are_not_sorted_data() -> None:
    """A domain classifier is given zeros for one half and ones for the other, in every step."""

    def domains(out: torch.Tensor, _: torch.Tensor) -> torch.Tensor:
        zeros = torch.zeros(16, dtype=torch.long)
        return F.cross_entropy(out[:16], zeros) + F.cross_entropy(out[16:], zeros + 1)

    assert train(mlp(8, 2), domains).facts.get("data.labels.sorted") is not True


def test_contrastive_labels_are_not_sorted_data() -> None:
    def contrast(out: torch.Tensor, _: torch.Tensor) -> torch.Tensor:
        return F.cross_entropy(out @ out.detach().T, torch.arange(len(out)))

    assert train(mlp(), contrast).facts.get("data.labels.sorted") is False


def test_batches_that_a_sampler_balances_are_not_sorted_data() -> None:
    """Half of one class, then half of the other, in every batch."""
    labels = torch.arange(2).repeat_interleave(16)
    said = train(mlp(8, 2), nn.CrossEntropyLoss(), lambda: (torch.randn(32, 8), labels))
    assert said["data.labels.sorted"] is False
