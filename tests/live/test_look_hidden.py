"""NaN that a mask keeps out of the loss, and not out of its gradients, is told by the operation that made it."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from .looking import Said, train


@pytest.fixture(autouse=True)
def seeded() -> None:
    torch.manual_seed(0)


class Sets(nn.Module):
    """Attention, a norm, and a mean over what is no padding."""

    def __init__(self, fill: float) -> None:
        super().__init__()
        self.scores, self.norm, self.fill = nn.Linear(4, 4), nn.LayerNorm(4), fill

    def forward(self, sets: torch.Tensor) -> Any:
        padding = sets[..., 0] == 0
        scores = (self.scores(sets) @ sets.transpose(-1, -2)).masked_fill(padding[:, None], self.fill)
        mixed = self.norm(sets + torch.softmax(scores, dim=-1) @ sets)  # softmax
        return mixed.masked_fill(padding[..., None], 0.0).sum(1) / (~padding).sum(1, keepdim=True).clamp(
            min=1
        )


def trained_on_an_empty_set(fill: float) -> Said:
    sets = torch.randn(6, 5, 4)
    sets[2] = 0.0
    return train(Sets(fill), lambda step: (sets, None), lambda output, _: output.pow(2).mean())


def test_a_row_without_a_key_is_named_though_the_padding_is_left_out_of_the_loss() -> None:
    said = trained_on_an_empty_set(float("-inf"))
    assert said["act.nonfinite_op"] == "softmax"
    assert "# softmax" in said.source
    assert said["act.fully_masked_row"] is True


def test_with_a_finite_value_in_the_mask_nothing_is_wrong() -> None:
    assert "act.nonfinite_op" not in trained_on_an_empty_set(-1e9).facts


def test_nan_that_is_only_printed_is_not_what_breaks_the_gradient() -> None:
    def loss(output: Any, target: Any) -> Any:
        printed = torch.log(output.detach() - 1e3).mean()
        assert printed.isnan()
        return F.mse_loss(output, target) + (output - output.detach()).pow(2).sum().sqrt()  # root

    said = train(
        nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1)),
        lambda step: (torch.randn(8, 4), torch.rand(8, 1)),
        loss,
    )
    assert said["act.nonfinite_op"] == "SqrtBackward0"
    assert "# root" in said.source


def test_the_root_of_a_negative_number_that_a_condition_hides_is_named_where_it_is_taken() -> None:
    def loss(output: Any, target: Any) -> Any:
        roots = torch.sqrt(output)  # root
        return torch.where(output > 0, roots, torch.zeros_like(roots)).sum()

    said = train(nn.Linear(4, 2), lambda step: (torch.randn(8, 4), torch.rand(8, 1)), loss)
    assert said["act.nonfinite_op"] == "sqrt"
    assert said["test.anomaly_names_op"] == "SqrtBackward0"
    assert "# root" in said.source
