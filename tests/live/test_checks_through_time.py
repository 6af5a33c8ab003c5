"""What is left of a gradient after a loop over time steps."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn

from tests.live.checking import train


class Cell(nn.Module):
    """Carries a state over so many steps: a plain one, or one that keeps what it had."""

    def __init__(self, steps: int, *, keeps: bool, cut: bool = False, each: bool = False) -> None:
        super().__init__()
        self.enter, self.turn, self.leave = nn.Linear(8, 16), nn.Linear(16, 16), nn.Linear(16, 4)
        self.steps, self.keeps, self.cut, self.each = steps, keeps, cut, each

    def forward(self, inputs: torch.Tensor) -> Any:
        state = self.enter(inputs)
        seen = []
        for _ in range(self.steps):
            new = torch.sigmoid(self.turn(state.detach() if self.cut else state))
            state = state + 0.1 * new if self.keeps else new
            seen.append(state)
        return self.leave(torch.stack(seen).mean(0) if self.each else state)


def told(model: nn.Module) -> Any:
    return train(model, nn.CrossEntropyLoss(), steps=12).facts.get("grad.through_time")


def test_a_plain_state_forgets_where_it_began() -> None:
    assert told(Cell(40, keeps=False)) < 1e-9


@pytest.mark.parametrize("model", [Cell(40, keeps=True), Cell(40, keeps=False, each=True)])
def test_a_state_that_is_kept_or_a_loss_in_each_step_reaches_the_first(model: nn.Module) -> None:
    assert told(model) > 1e-3


@pytest.mark.parametrize("model", [Cell(5, keeps=False), Cell(40, keeps=False, cut=True)])
def test_a_short_loop_or_a_state_that_is_cut_tells_nothing(model: nn.Module) -> None:
    assert told(model) is None
