"""Whether classes and colours have the same numbers and places in evaluation as in training."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from tests.live.checking import checked

OTHERWISE = "data.classes_numbered_otherwise"
REVERSED = "data.channels_reversed_in_eval"
CLASSES = 6
Labels = Callable[[torch.Tensor], torch.Tensor]


def rows(count: int, seed: int, noise: float = 0.3) -> tuple[torch.Tensor, torch.Tensor]:
    """Rows around one middle for each class."""
    generator = torch.Generator().manual_seed(seed)
    middles = torch.randn(CLASSES, 12, generator=torch.Generator().manual_seed(99))
    labels = torch.randint(CLASSES, (count,), generator=generator)
    return middles[labels] + noise * torch.randn(count, 12, generator=generator), labels


def pictures(count: int, seed: int, scale: float = 1.0) -> tuple[torch.Tensor, torch.Tensor]:
    """Pictures of a colour for each class."""
    generator = torch.Generator().manual_seed(seed)
    tints = torch.rand(CLASSES, 3, generator=torch.Generator().manual_seed(98))
    labels = torch.randint(CLASSES, (count,), generator=generator)
    tint = tints[labels] + 0.08 * torch.randn(count, 3, generator=generator)
    noise = 0.1 * torch.randn(count, 3, 6, 6, generator=generator)
    return scale * (tint[:, :, None, None] + noise), labels


def learnt(
    train: tuple[torch.Tensor, torch.Tensor],
    held_out: tuple[torch.Tensor, torch.Tensor],
    asked: Labels = lambda labels: labels,
    scored: tuple[str, ...] = ("held out",),
    epochs: int = 4,
    rate: float = 0.02,
) -> dict[str, Any]:
    """What is said of a small network that learns these, and is evaluated after each epoch."""
    sets = {"train": TensorDataset(*train), "held out": TensorDataset(*held_out)}
    model = nn.Sequential(nn.Flatten(), nn.Linear(train[0][0].numel(), 32), nn.ReLU(), nn.Linear(32, CLASSES))
    with checked() as said:
        optimizer = torch.optim.Adam(model.parameters(), lr=rate)
        for _ in range(epochs):
            model.train()
            for inputs, labels in DataLoader(sets["train"], batch_size=16, shuffle=True):
                optimizer.zero_grad()
                F.cross_entropy(model(inputs), asked(labels)).backward()
                optimizer.step()
            model.eval()
            with torch.no_grad():
                for name in scored:
                    for inputs, _ in DataLoader(sets[name], batch_size=40):
                        model(inputs)
    return said.facts


@pytest.mark.parametrize(
    "order",
    [[0, 0, 1, 2, 3, 4], [3, 5, 0, 1, 2, 4]],
    ids=["one class is not there, and all behind it move up", "in another order"],
)
def test_classes_that_have_other_numbers_in_evaluation(order: list[int]) -> None:
    inputs, labels = rows(300, 2)
    kept = labels > 0
    facts = learnt(rows(600, 1), (inputs[kept], torch.tensor(order)[labels[kept]]))
    assert facts[OTHERWISE] is True


def test_the_score_of_the_training_set_hides_nothing_of_the_other() -> None:
    inputs, labels = rows(120, 2)
    moved = torch.tensor([3, 5, 0, 1, 2, 4])[labels]
    assert learnt(rows(600, 1), (inputs, moved), scored=("held out", "train"))[OTHERWISE] is True


def test_what_the_model_did_not_know_yet_does_not_count() -> None:
    inputs, labels = rows(240, 2)
    moved = torch.tensor([3, 5, 0, 1, 2, 4])[labels]
    assert learnt(rows(200, 1), (inputs, moved), epochs=8, rate=0.001)[OTHERWISE] is True


def test_classes_that_are_numbered_alike() -> None:
    assert learnt(rows(600, 1), rows(300, 2))[OTHERWISE] is False


def test_what_the_loop_does_to_labels_it_does_in_both() -> None:
    """Annotations count from 1, and the loss from 0."""
    train, held_out = ((x, y + 1) for x, y in (rows(600, 1), rows(300, 2)))
    assert learnt(train, held_out, asked=lambda labels: labels - 1)[OTHERWISE] is False


def test_what_was_learnt_by_heart_is_wrong_in_every_way() -> None:
    inputs, labels = rows(300, 2)
    mixed = labels[torch.randperm(300, generator=torch.Generator().manual_seed(3))]
    assert OTHERWISE not in learnt(rows(600, 1), (inputs, mixed))


@pytest.mark.parametrize("scale", [1.0, 4.0])
def test_red_and_blue_change_places_in_evaluation(scale: float) -> None:
    inputs, labels = pictures(200, 2, scale)
    assert learnt(pictures(600, 1), (inputs.flip(1), labels))[REVERSED] is True


def test_they_change_places_in_pictures_that_differ_a_little_besides() -> None:
    inputs, labels = pictures(2000, 2)
    assert learnt(pictures(2000, 1), (inputs.flip(1).clamp(0.03, 0.97), labels))[REVERSED] is True


@pytest.mark.parametrize("changed", [lambda x: x.clamp(0.1, 0.9), lambda x: x.clamp(min=0).pow(1.5)])
def test_many_pictures_that_differ_a_little_are_in_their_places(
    changed: Callable[[torch.Tensor], torch.Tensor],
) -> None:
    inputs, labels = pictures(2000, 2)
    assert REVERSED not in learnt(pictures(2000, 1), (changed(inputs), labels))


@pytest.mark.parametrize(
    "changed",
    [lambda x: x, lambda x: 2 * x + 1, lambda x: x.mean(1, keepdim=True).expand(-1, 3, -1, -1), lambda x: x + 0.2 * torch.randn(1, 3, 1, 1)],
    ids=["as they are", "lighter", "grey", "of another camera"],
)  # fmt: skip
def test_colours_in_their_places(changed: Callable[[torch.Tensor], torch.Tensor]) -> None:
    inputs, labels = pictures(200, 2)
    assert REVERSED not in learnt(pictures(600, 1), (changed(inputs), labels))
