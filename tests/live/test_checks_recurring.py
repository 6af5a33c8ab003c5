"""Samples that come again: with another label, with their own, or with one that is no class."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
import torch.nn.functional as F

from tests.live.checking import checked, mlp

Epoch = Callable[[Any, Any, int], Iterator[Any]]


def permuted(inputs: Any, labels: Any, epoch: int) -> Iterator[Any]:
    order = torch.randperm(len(inputs))
    return zip(inputs[order].split(16), labels[order].split(16), strict=True)


def apart(inputs: Any, labels: Any, epoch: int) -> Iterator[Any]:
    order = torch.randperm(len(inputs)) if epoch else torch.arange(len(inputs))
    return zip(inputs[order].split(16), labels.split(16), strict=True)


def in_order(inputs: Any, labels: Any, epoch: int) -> Iterator[Any]:
    return zip(inputs.split(16), labels.split(16), strict=True)


def places(inputs: Any, labels: Any, epoch: int) -> Iterator[Any]:
    return ((part, torch.arange(len(part))) for part, _ in permuted(inputs, labels, epoch))


def episodes(inputs: Any, labels: Any, epoch: int) -> Iterator[Any]:
    return ((part, torch.arange(4).repeat_interleave(4)) for part, _ in permuted(inputs, labels, epoch))


def clustered(inputs: Any, labels: Any, epoch: int) -> Iterator[Any]:
    """Two signs make four clusters, which are numbered anew, and a fifth of the samples are anywhere."""
    numbers = torch.randperm(4)[(inputs[:, 0] > 0) + 2 * (inputs[:, 1] > 0)]
    noisy = torch.where(torch.rand(len(inputs)) < 0.2, torch.randint(0, 4, (len(inputs),)), numbers)
    return permuted(inputs, noisy, epoch)


def collapsing(inputs: Any, labels: Any, epoch: int) -> Iterator[Any]:
    """Most of the labels that a model gives in one epoch are of one class, and in the next of another."""
    made = torch.where(torch.rand(len(inputs)) < 0.7, epoch % 4, torch.randint(0, 4, (len(inputs),)))
    return permuted(inputs, made, epoch)


def acted(inputs: Any, labels: Any, epoch: int) -> Iterator[Any]:
    """An agent draws its actions anew."""
    return permuted(inputs, torch.randint(0, 4, (len(inputs),)), epoch)


def mean(scores: Any, labels: Any) -> Any:
    return F.cross_entropy(scores, labels)


def rewarded(scores: Any, labels: Any) -> Any:
    return (F.cross_entropy(scores, labels, reduction="none") * torch.randn(len(labels))).mean()


def train(epoch: Epoch, outputs: int = 4, epochs: int = 5, inputs: Any = None, loss: Any = mean) -> Any:
    model = mlp(8, outputs)
    with checked() as said:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        data = torch.randn(160, 8) if inputs is None else inputs
        labels = torch.randint(0, 4, (160,))
        for number in range(epochs):
            for some, theirs in epoch(data, labels, number):
                optimizer.zero_grad()
                loss(model(some), theirs).backward()
                optimizer.step()
    return said


def test_labels_that_no_longer_belong_to_their_samples_are_seen() -> None:
    assert train(apart)["data.labels.changed"] is True


def test_samples_that_come_again_as_they_were_are_cleared() -> None:
    assert train(permuted)["data.labels.changed"] is False


@pytest.mark.parametrize(
    ("epoch", "loss"),
    [(clustered, mean), (collapsing, mean), (acted, rewarded)],
    ids=["clusters numbered anew", "labels of a model", "actions"],
)
def test_labels_that_are_made_anew_on_purpose_are_no_fault(epoch: Epoch, loss: Any) -> None:
    assert train(epoch, loss=loss).facts.get("data.labels.changed") is not True


def test_the_places_of_a_contrastive_loss_are_no_labels() -> None:
    assert "data.labels.changed" not in train(places, outputs=16).facts


def test_the_classes_of_an_episode_are_no_labels() -> None:
    assert "data.labels.changed" not in train(episodes).facts


def test_few_values_do_not_tell_one_sample_from_another() -> None:
    boards = torch.eye(8)[torch.randint(0, 8, (160,))]
    assert "data.labels.changed" not in train(apart, inputs=boards).facts


def test_a_sample_with_two_labels_in_one_batch_is_no_fault() -> None:
    twice = torch.randn(80, 8).repeat_interleave(2, dim=0)
    assert "data.labels.changed" not in train(in_order, inputs=twice).facts
