"""Weights that the loss sees through nothing but a function without a slope."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from .checking import checked, classes
from .looking import Said

NAME = "grad.step_function"


class Straight(torch.autograd.Function):
    """Rounds, and lets the gradient pass."""

    @staticmethod
    def forward(ctx: Any, value: torch.Tensor) -> torch.Tensor:
        return value.round()

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return gradients[0]


class Round(Straight):
    """The same under the name of torch's own."""


def grid(weight: torch.Tensor) -> torch.Tensor:
    scale = weight.detach().abs().max()
    return (weight / scale).round() * scale


def straight_through(weight: torch.Tensor) -> torch.Tensor:
    return weight + (grid(weight) - weight).detach()


def of_our_own(weight: torch.Tensor) -> torch.Tensor:
    passed: torch.Tensor = Straight.apply(weight * 4)  # type: ignore[no-untyped-call]
    return passed / 4


def under_its_name(weight: torch.Tensor) -> torch.Tensor:
    passed: torch.Tensor = Round.apply(weight * 4)  # type: ignore[no-untyped-call]
    assert passed.grad_fn is not None
    assert passed.grad_fn.name() == "RoundBackward"
    return passed / 4


class Few(nn.Module):
    """A network whose first weight is passed through `made`."""

    def __init__(self, made: Callable[[torch.Tensor], torch.Tensor]) -> None:
        super().__init__()
        self.made, self.inner, self.outer = made, nn.Linear(8, 16), nn.Linear(16, 4)

    def forward(self, inputs: torch.Tensor) -> Any:
        return self.outer(F.linear(inputs, self.made(self.inner.weight), self.inner.bias).relu())


class Code(nn.Module):
    """An encoder behind which there are only signs."""

    def __init__(self, hard: Callable[[torch.Tensor], torch.Tensor]) -> None:
        super().__init__()
        self.hard, self.encoder, self.decoder = hard, nn.Linear(8, 6), nn.Linear(6, 4)

    def forward(self, inputs: torch.Tensor) -> Any:
        return self.decoder(self.hard(self.encoder(inputs)))


def fitted(model: nn.Module, more: Callable[[Any], Any] = lambda model: 0.0) -> Said:
    with checked() as said:
        optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
        for _ in range(8):
            inputs, labels = classes()
            optimizer.zero_grad()
            (F.cross_entropy(model(inputs), labels) + more(model)).backward()
            optimizer.step()
    return said


def test_weights_that_are_rounded_are_named_with_the_function() -> None:
    said = fitted(Few(grid))
    assert (said[NAME], said["grad.step_function_names"]) == ("round", "inner.weight")


def test_a_whole_encoder_before_a_sign_is_named() -> None:
    said = fitted(Code(torch.sign))
    assert (said[NAME], said["grad.step_function_names"]) == ("sign", "encoder.weight, encoder.bias")


@pytest.mark.parametrize(
    "made", [straight_through, of_our_own, under_its_name, lambda weight: weight - weight.floor()]
)
def test_what_has_a_way_around_the_step_learns(made: Any) -> None:
    assert NAME not in fitted(Few(made)).facts


def penalty(model: Any) -> Any:
    return sum(one.square().sum() for one in model.encoder.parameters())


def test_a_term_beside_the_step_that_reaches_the_weights_is_a_way_too() -> None:
    assert NAME not in fitted(Code(torch.sign), penalty).facts


def test_inputs_may_be_rounded() -> None:
    model = nn.Sequential(nn.Linear(8, 4))
    assert NAME not in fitted(nn.Sequential(Rounded(), model)).facts


class Rounded(nn.Module):
    """Rounds what comes in."""

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        return inputs.round()
