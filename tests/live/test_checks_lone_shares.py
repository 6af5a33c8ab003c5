"""A softmax over a single number at the end of a model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from tests.live.checking import classes, cross_entropy, loop, mlp, numbers, train

bce: Callable[..., Any] = F.binary_cross_entropy


def answers() -> tuple[torch.Tensor, torch.Tensor]:
    return torch.randn(32, 8), torch.randint(0, 2, (32,)).float()


@pytest.mark.parametrize(("outputs", "told"), [(1, True), (2, None)])
def test_a_model_that_ends_in_a_softmax_over_one_output_is_seen(outputs: int, told: bool | None) -> None:
    said = train(mlp(8, outputs, nn.Softmax(dim=-1)), lambda out, right: bce(out[:, -1], right), answers)
    assert said.facts.get("loss.softmax_over_one") is told


def test_one_that_the_training_step_takes_is_seen() -> None:
    def loss(out: Any, right: Any) -> Any:
        shares = torch.softmax(out, 1)
        return F.mse_loss(shares, right[:, None])

    assert train(mlp(8, 1), loss, answers)["loss.softmax_over_one"] is True


def test_a_sigmoid_is_none() -> None:
    said = train(mlp(8, 1, nn.Sigmoid()), lambda out, right: bce(out[:, 0], right), answers)
    assert "loss.softmax_over_one" not in said.facts


class Pooled(nn.Module):
    """Attention over the steps of a sequence, of which there is one, and a mixture of one expert."""

    def __init__(self) -> None:
        super().__init__()
        self.score, self.gate, self.last = nn.Linear(8, 1), nn.Linear(8, 1), nn.Linear(8, 1)

    def forward(self, inputs: Any) -> Any:
        steps = inputs[:, None]
        pooled = (self.score(steps).softmax(1) * steps).sum(1)
        return self.gate(pooled).softmax(-1) * self.last(pooled)


def test_attention_over_one_step_and_one_expert_are_meant() -> None:
    said = train(Pooled(), lambda out, right: F.mse_loss(out, right), numbers)
    assert "loss.softmax_over_one" not in said.facts


def test_an_agent_that_has_one_choice_now_and_then_is_no_fault() -> None:
    choices = [1, 3, 1, 2]

    def body(model: Any, optimizer: Any, step: int) -> None:
        inputs, _ = classes()
        shares = model(inputs)[:, : choices[step % 4]].softmax(1)
        optimizer.zero_grad()
        (F.mse_loss(shares, torch.zeros_like(shares)) + cross_entropy(model(inputs), classes()[1])).backward()
        optimizer.step()

    assert "loss.softmax_over_one" not in loop(body).facts
