"""Whether the number that is to be predicted stands in the input."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from tests.live.checking import train

AMONG = "data.target_among_inputs"


class Last(nn.Module):
    """Reads the last state of a recurrent layer."""

    def __init__(self, features: int = 1) -> None:
        super().__init__()
        self.layer = nn.GRU(features, 8, batch_first=True)
        self.head = nn.Linear(8, 1)

    def forward(self, series: torch.Tensor) -> torch.Tensor:
        out: torch.Tensor = self.head(self.layer(series)[0][:, -1])
        return out


def said(
    model: nn.Module, batch: Callable[[], tuple[Any, Any]], loss: Callable[[Any, Any], Any] = F.mse_loss
) -> dict[str, Any]:
    return train(model, loss, batch, steps=8).facts


def window(ahead: int) -> tuple[torch.Tensor, torch.Tensor]:
    """The value so many steps behind the end of a window."""
    series = torch.randn(32, 20)
    return series[:, :16].unsqueeze(-1), series[:, 15 + ahead : 16 + ahead]


def table(target: Callable[[torch.Tensor], torch.Tensor]) -> tuple[torch.Tensor, torch.Tensor]:
    rows = torch.randn(64, 9)
    rows[:, 8] = (rows[:, 0] + torch.randn(64) > 0).float()
    return rows, target(rows)


def test_a_window_that_ends_with_what_is_to_come() -> None:
    assert said(Last(), lambda: window(0))[AMONG] is True


def test_one_of_several_series_in_the_window() -> None:
    def batch() -> tuple[torch.Tensor, torch.Tensor]:
        series = torch.randn(32, 16, 5)
        return series, series[:, -1, 3].unsqueeze(1)

    assert said(Last(5), batch)[AMONG] is True


def test_the_label_stays_a_column_of_the_table() -> None:
    facts = said(nn.Linear(9, 1), lambda: table(lambda x: x[:, 8:]), F.binary_cross_entropy_with_logits)
    assert facts[AMONG] is True


def test_the_label_as_a_class_stays_a_column() -> None:
    facts = said(nn.Linear(9, 2), lambda: table(lambda x: x[:, 8].long()), F.cross_entropy)
    assert facts[AMONG] is True


@pytest.mark.parametrize(
    "batch",
    [
        lambda: window(1),
        # What is to be remembered stands at the beginning.
        lambda: ((x := torch.randn(32, 16, 1)), x[:, 0]),
    ],
    ids=["the next step", "what is to be remembered"],
)
def test_what_is_asked_of_a_sound_window(batch: Callable[[], tuple[Any, Any]]) -> None:
    assert said(Last(), batch)[AMONG] is False


def test_a_column_that_is_near_the_target_is_not_the_target() -> None:
    facts = said(nn.Linear(9, 1), lambda: table(lambda x: x[:, :1] + 0.01 * torch.randn(64, 1)))
    assert facts[AMONG] is False


def test_a_line_through_one_number_is_an_exercise() -> None:
    def batch() -> tuple[torch.Tensor, torch.Tensor]:
        inputs = torch.randn(64, 1)
        return inputs, 3 * inputs + 2

    assert AMONG not in said(nn.Linear(1, 1), batch)


def test_an_autoencoder_gives_back_what_it_gets() -> None:
    def batch() -> tuple[torch.Tensor, torch.Tensor]:
        inputs = torch.randn(64, 9)
        return inputs, inputs

    assert AMONG not in said(nn.Linear(9, 9), batch)
