"""Why parameters get no gradient."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn

from tests.live.checking import numbers, train


class Coder(nn.Module):
    """Two parts, with something between them."""

    def __init__(self, between: Any) -> None:
        super().__init__()
        self.encoder, self.decoder = nn.Linear(8, 4), nn.Linear(4, 1)
        self.between = between

    def forward(self, inputs: Any) -> Any:
        return self.decoder(self.between(self.encoder(inputs)))


def rounded(code: Any) -> Any:
    return torch.tensor([[round(one, 1) for one in row] for row in code.tolist()])


def by_data(code: Any) -> Any:
    return code.data * 2


@pytest.mark.parametrize("between", [rounded, by_data, torch.Tensor.detach])
def test_the_line_that_cuts_the_graph_is_named(between: Any) -> None:
    said = train(Coder(between), nn.MSELoss(), numbers)
    assert said["grad.cut"] is True
    assert said["grad.result_unused"] is False
    assert "test_checks_cuts.py" in said["grad.cut_where"]


class Still(nn.Module):
    """Computes a part without gradients."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder, self.decoder = nn.Linear(8, 4), nn.Linear(4, 1)

    def forward(self, inputs: Any) -> Any:
        with torch.no_grad():
            code = self.encoder(inputs)
        return self.decoder(code)


def test_a_part_that_runs_without_gradients_is_cut() -> None:
    assert train(Still(), nn.MSELoss(), numbers)["grad.cut"] is True


class Forgetful(nn.Module):
    """Computes a condition and does not use it."""

    def __init__(self) -> None:
        super().__init__()
        self.main, self.condition = nn.Linear(8, 1), nn.Linear(8, 4)

    def forward(self, inputs: Any) -> Any:
        self.condition(inputs)
        return self.main(inputs)


def test_a_result_that_reaches_nothing_is_not_cut() -> None:
    said = train(Forgetful(), nn.MSELoss(), numbers)
    assert said["grad.result_unused"] is True
    assert said["grad.cut"] is False


class Watchful(nn.Module):
    """Looks at its own features beside the way of the gradients."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder, self.decoder = nn.Linear(8, 4), nn.Linear(4, 1)
        self.seen = 0.0

    def forward(self, inputs: Any) -> Any:
        code = self.encoder(inputs)
        self.seen += sum(map(sum, code.detach().tolist()))
        return self.decoder(code)


def test_statistics_of_what_trains_are_no_cut() -> None:
    said = train(Watchful(), nn.MSELoss(), numbers)
    assert said.facts.get("grad.cut") is not True
