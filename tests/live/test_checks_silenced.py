"""Layers that are handed nothing but zeros; and those that begin so, rest, or are given zeros by nothing that is trained."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn

from tests.live.checking import train


class Threshold(torch.autograd.Function):
    """A step of the script's own: what is smaller is cut off."""

    @staticmethod
    def forward(ctx: Any, value: torch.Tensor, least: float) -> torch.Tensor:
        ctx.save_for_backward(kept := value.abs() > least)
        return value * kept

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        return grads[0] * ctx.saved_tensors[0], None


class Coder(nn.Module):
    """Two layers with a step between them."""

    def __init__(self, between: Callable[[Any], Any]) -> None:
        super().__init__()
        self.analysis, self.synthesis = nn.Linear(8, 16), nn.Linear(16, 4)
        self.between = between
        self.calls = 0

    def forward(self, inputs: torch.Tensor) -> Any:
        self.calls += 1
        return self.synthesis(self.between(self.analysis(inputs)))


@pytest.mark.parametrize(
    "between",
    [
        lambda hidden: Threshold.apply(hidden, 50.0),  # type: ignore[no-untyped-call]
        lambda hidden: torch.nn.functional.softshrink(hidden, 50.0),
        lambda hidden: (hidden - 50.0).clamp(min=0.0),
        lambda hidden: hidden * (hidden > 50.0),
    ],
)
def test_a_layer_that_is_given_nothing_but_zeros_is_named(between: Any) -> None:
    said = train(Coder(between), nn.CrossEntropyLoss(), steps=60)
    assert said["act.zero_input"] is True
    assert said["act.zero_input_module"] == "synthesis"
    assert said["act.same_output"] is True


@pytest.mark.parametrize("least", [0.0, 0.3, 1.0])
def test_a_sparse_code_is_no_silence(least: float) -> None:
    said = train(Coder(lambda hidden: Threshold.apply(hidden, least)), nn.CrossEntropyLoss(), steps=60)  # type: ignore[no-untyped-call]
    assert "act.zero_input" not in said.facts


class Gated(nn.Module):
    """A branch whose weight begins at zero, and a state that begins at zero at the first step of time."""

    def __init__(self) -> None:
        super().__init__()
        self.enter, self.branch = nn.Linear(8, 16), nn.Linear(16, 16)
        self.weight = nn.Parameter(torch.zeros(()))
        self.turn, self.leave = nn.Linear(16, 16), nn.Linear(16, 4)

    def forward(self, inputs: torch.Tensor) -> Any:
        hidden = self.enter(inputs)
        hidden = hidden + self.branch(self.weight * hidden)
        state = torch.zeros_like(hidden)
        for _ in range(3):
            state = torch.tanh(self.turn(state) + hidden)
        return self.leave(state)


def test_a_branch_or_a_state_that_begins_at_zero_is_no_silence() -> None:
    said = train(Gated(), nn.CrossEntropyLoss(), steps=60)
    assert "act.zero_input" not in said.facts


def test_a_branch_that_rests_in_some_steps_is_no_silence() -> None:
    model = Coder(lambda hidden: hidden)
    model.between = lambda hidden: hidden * (model.calls % 2)
    said = train(model, nn.CrossEntropyLoss(), steps=60)
    assert "act.zero_input" not in said.facts
