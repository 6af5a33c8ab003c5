"""Whether pictures are turned and their targets are not."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from tests.live.checking import train

UNTURNED = "data.target_left_unturned"
Batch = tuple[torch.Tensor, torch.Tensor]


def blobs(size: int = 24) -> torch.Tensor:
    """Masks of one disc each, anywhere."""
    place = torch.arange(size)
    across, down, width = (torch.randint(5, size - 5, (32, 1, 1)) for _ in range(3))
    near = (place[None, None, :] - across) ** 2 + (place[None, :, None] - down) ** 2
    return (near < (width % 4 + 3) ** 2).float()[:, None]


def mirrored(one: torch.Tensor, which: torch.Tensor) -> torch.Tensor:
    return torch.where(which[:, None, None, None], one.flip(-1), one)


def some() -> torch.Tensor:
    return torch.rand(32) < 0.5


def noisy(masks: torch.Tensor) -> torch.Tensor:
    return (masks + 0.3 * torch.randn(masks.shape)).repeat(1, 3, 1, 1)


def said(batch: Callable[[], Batch], loss: Callable[[Any, Any], Any], model: nn.Module | None = None) -> Any:
    net = model or nn.Sequential(nn.Conv2d(3, 4, 3, padding=1), nn.ReLU(), nn.Conv2d(4, 1, 3, padding=1))
    return train(net, loss, batch).facts.get(UNTURNED)


def overlap(scores: torch.Tensor, masks: torch.Tensor) -> torch.Tensor:
    found = scores.sigmoid()
    return 1 - 2 * (found * masks).sum() / (found.sum() + masks.sum())


def apart() -> Batch:
    masks = blobs()
    return mirrored(noisy(masks), some()), masks


def together() -> Batch:
    masks, which = blobs(), some()
    return mirrored(noisy(masks), which), mirrored(masks, which)


LOSSES = [F.binary_cross_entropy_with_logits, F.mse_loss, overlap]


@pytest.mark.parametrize("loss", LOSSES)
def test_pictures_that_are_mirrored_without_their_masks_are_seen(loss: Callable[[Any, Any], Any]) -> None:
    assert said(apart, loss) is True


@pytest.mark.parametrize("loss", LOSSES)
def test_pictures_that_are_mirrored_with_their_masks_are_none(loss: Callable[[Any, Any], Any]) -> None:
    assert said(together, loss) is False


def test_classes_of_places_that_are_smaller_than_the_picture() -> None:
    steps = count()

    def batch() -> Batch:
        masks = blobs()
        turned = torch.rot90(noisy(masks), next(steps), (-2, -1))
        return turned, F.avg_pool2d(masks, 2)[:, 0].round().long()

    net = nn.Sequential(nn.Conv2d(3, 4, 3, padding=1, stride=2), nn.ReLU(), nn.Conv2d(4, 2, 3, padding=1))
    assert said(batch, F.cross_entropy, net) is True


def test_the_mirror_image_as_the_task_is_none() -> None:
    def batch() -> Batch:
        masks = blobs()
        return noisy(masks).flip(-1), masks

    assert said(batch, F.binary_cross_entropy_with_logits) is False


def test_what_the_script_turns_back_is_none() -> None:
    def loss(scores: torch.Tensor, target: tuple[torch.Tensor, torch.Tensor]) -> torch.Tensor:
        return F.binary_cross_entropy_with_logits(mirrored(scores, target[1]), target[0])

    def batch() -> Any:
        masks, which = blobs(), some()
        return mirrored(noisy(masks), which), (masks, which)

    assert said(batch, loss) is None


def test_pictures_of_two_kinds_that_belong_to_no_pairs_fit_by_chance() -> None:
    def scenes() -> torch.Tensor:
        return F.interpolate(torch.randn(32, 3, 3, 3), (24, 24), mode="bilinear")

    def loss(painted: torch.Tensor, scene: torch.Tensor) -> torch.Tensor:
        return F.l1_loss(painted, scene)

    net = nn.Sequential(nn.Conv2d(3, 4, 3, padding=1), nn.ReLU(), nn.Conv2d(4, 3, 3, padding=1))
    assert said(lambda: (scenes(), scenes()), loss, net) is not True


def test_pictures_that_are_their_own_mirror_image_tell_nothing() -> None:
    def batch() -> Batch:
        masks = blobs()
        masks = torch.maximum(masks, masks.flip(-1))
        return mirrored(noisy(masks), some()), masks

    assert said(batch, F.binary_cross_entropy_with_logits) is not True


def test_noise_that_has_no_place_in_the_picture_tells_nothing() -> None:
    def batch() -> Batch:
        return torch.randn(32, 3, 24, 24), torch.randn(32, 1, 24, 24)

    assert said(batch, F.mse_loss) is None


def test_a_class_of_the_whole_picture_has_no_side() -> None:
    net = nn.Sequential(nn.Flatten(), nn.Linear(3 * 24 * 24, 4))

    def batch() -> Batch:
        return mirrored(noisy(blobs()), some()), torch.randint(4, (32,))

    assert said(batch, F.cross_entropy, net) is None
