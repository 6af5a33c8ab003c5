"""Losses whose target has another shape."""

from __future__ import annotations

from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from tests.live.checking import mlp, numbers, train


def two(count: int = 32) -> tuple[torch.Tensor, torch.Tensor]:
    return torch.randn(count, 8), torch.randint(0, 2, (count,))


@pytest.mark.filterwarnings("ignore:Using a target size")
def test_a_loss_that_broadcasts_is_seen() -> None:
    said = train(mlp(8, 1), lambda out, y: F.mse_loss(out, y.squeeze(1)), numbers)
    assert said["loss.shapes_broadcast"] is True
    assert train(mlp(8, 1), nn.MSELoss(), numbers)["loss.shapes_broadcast"] is False


def test_a_difference_by_hand_that_broadcasts_is_seen() -> None:
    said = train(mlp(8, 1), lambda out, y: ((out - y.squeeze(1)) ** 2).mean(), numbers)
    assert said["loss.shapes_broadcast"] is True


def test_pairwise_differences_are_meant() -> None:
    def ranking(out: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        flat = out.squeeze(1)
        return torch.sigmoid(flat - flat.unsqueeze(1)).mean()

    assert "loss.shapes_broadcast" not in train(mlp(8, 1), ranking, numbers).facts


REWARD = torch.linspace(-2, 3, 32).sin()


ENDED = (torch.arange(32) % 5 == 0).float()


SCORES = torch.linspace(0, 4, 32).cos()[:, None]


POINTS = torch.linspace(0, 9, 32).sin().reshape(16, 2).repeat(2, 1) + torch.linspace(0, 1, 32)[:, None]


@pytest.mark.filterwarnings("ignore:Using a target size")
@pytest.mark.parametrize(
    "loss",
    [
        lambda out, _: (out - (REWARD + 0.9 * SCORES)).pow(2).mean(),
        lambda out, _: (out.squeeze(1) - (REWARD + 0.9 * (1 - ENDED) * SCORES)).abs().mean(),
        lambda out, _: ((REWARD[:, None] + 0.9 * (1 - ENDED) * SCORES[:, 0][None]) - out).pow(2).sum(),
        lambda out, _: F.mse_loss(out, REWARD * SCORES),
        lambda out, _: F.smooth_l1_loss(out, (REWARD + 0.9 * torch.minimum(SCORES, SCORES.flip(0)))),
    ],
    ids=["sum", "ends", "turned round", "product in a loss", "least of two"],
)
def test_a_target_that_was_spread_over_all_pairs_is_seen(loss: Any) -> None:
    assert train(mlp(8, 1), loss, numbers)["loss.shapes_broadcast"] is True


@pytest.mark.parametrize(
    "loss",
    [
        lambda out, _: (out + torch.cdist(POINTS, POINTS) - out.T).pow(2).mean(),
        lambda out, _: (torch.cdist(POINTS, POINTS).pow(2) - out).relu().mean(),
        lambda out, _: ((SCORES - SCORES.T).abs() - out).relu().mean(),
        lambda out, _: F.cross_entropy(
            out @ out.T - (out @ out.T).amax(1, keepdim=True).detach(), torch.arange(32)
        ),
        lambda out, _: (out - torch.randn(32, 32)).pow(2).mean(),
        lambda out, _: (out - torch.ones(32, 32)).pow(2).mean(),
        lambda out, _: (out @ out.T - (SCORES - SCORES.T)).pow(2).mean(),
        lambda out, _: ((out @ out.T).masked_fill(torch.ones(32, 32).triu(1) > 0, -1e9)).softmax(1).sum(),
        lambda out, _: (out * (torch.arange(32) - torch.arange(32)[:, None]).float().abs()).mean(),
        lambda out, _: (out * (REWARD - REWARD[:, None]).sign()).mean(),
        lambda out, _: sum(
            (out - one).pow(2).mean() for one in torch.meshgrid(REWARD, REWARD, indexing="ij")
        ),
        lambda out, _: ((out - (REWARD + SCORES)).detach() + out.sum()).mean(),
    ],
    ids=[
        "distances of points and potentials",
        "cost less one potential",
        "distances of numbers",
        "similarities",
        "targets of several heads",
        "one number for all",
        "pairs against pairs",
        "attention with a mask",
        "relative positions",
        "order of pairs",
        "meshgrid",
        "not in the loss",
    ],
)
def test_squares_that_are_meant_are_none(loss: Any) -> None:
    assert not train(mlp(8, 1), loss, numbers).facts.get("loss.shapes_broadcast", False)


def test_a_loss_whose_target_is_another_shape_on_purpose_has_not_one_shape() -> None:
    said = train(mlp(8, 4), lambda out, _: F.mse_loss(out, out.mean(0, keepdim=True).expand_as(out)), numbers)
    assert said["loss.shapes_broadcast"] is False
    with pytest.warns(UserWarning, match="target size"):
        said = train(mlp(8, 4), lambda out, _: F.mse_loss(out, out.detach().mean(0)), numbers)
    assert "loss.shapes_broadcast" not in said.facts
