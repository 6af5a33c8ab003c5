"""Dropout behind the layer that gives the answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from .checking import classes, mlp, numbers, train


def features(model: Any) -> Callable[[Any, Any], Any]:
    """A loss between many numbers a sample and those of a teacher."""
    teacher = nn.Linear(8, 64)
    return lambda out, _: F.mse_loss(out, teacher(torch.zeros(len(out), 8)).detach())


@pytest.mark.parametrize(
    ("model", "loss", "batch", "dropped"),
    [
        (mlp(8, 4, nn.Dropout(0.3)), F.cross_entropy, classes, True),
        (mlp(8, 4, nn.Dropout(0.3), nn.LogSoftmax(1)), F.nll_loss, classes, True),
        (mlp(8, 1, nn.Dropout(0.2)), F.mse_loss, numbers, True),
        (nn.Sequential(mlp(8, 16), nn.Dropout(0.3), nn.Linear(16, 4)), F.cross_entropy, classes, False),
        (mlp(8, 4, nn.Dropout(0.0)), F.cross_entropy, classes, False),
    ],
)
def test_answers_that_dropout_leaves_out_are_seen(
    model: nn.Module, loss: Callable[[Any, Any], Any], batch: Callable[[], Any], dropped: bool
) -> None:
    assert train(model, loss, batch).facts["loss.scores_dropped_out"] is dropped


def test_features_that_are_learnt_from_a_teacher_may_be_dropped() -> None:
    model = mlp(8, 64, nn.Dropout(0.3))
    assert "loss.scores_dropped_out" not in train(model, features(model)).facts
