"""Gradients that are added up over several passes, and divided or not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F

from tests.live.checking import classes, cross_entropy, loop, loss_of
from tests.live.looking import Said


def accumulated(scale: float, passes: int = 4, steps: int = 10) -> Said:
    def body(model: Any, optimizer: Any, step: int) -> None:
        for _ in range(passes):
            (loss_of(model) / scale if scale != 1 else loss_of(model)).backward()
        optimizer.step()
        optimizer.zero_grad()

    return loop(body, steps)


def test_accumulation_without_division_is_seen() -> None:
    said = accumulated(1)
    assert said["loss.accumulated_unscaled"] is True
    assert said["loss.backward_calls_per_step"] == 4
    assert said["grad.not_cleared"] is False


def test_accumulation_with_division_is_healthy() -> None:
    assert accumulated(4, steps=60)["loss.accumulated_unscaled"] is False


@pytest.mark.parametrize(
    ("loss", "told"),
    [
        (lambda out, y: F.cross_entropy(out, y, reduction="sum"), None),
        (lambda out, y: F.cross_entropy(out, y, reduction="none").sum(), None),
        (lambda out, y: (out - F.one_hot(y, 4)).square().sum(1).mean(), True),
    ],
)
def test_a_loss_that_is_summed_over_samples_adds_up_as_it_is(
    loss: Callable[[Any, Any], Any], told: Any
) -> None:
    def body(model: Any, optimizer: Any, step: int) -> None:
        optimizer.zero_grad()
        for _ in range(4):
            inputs, labels = classes()
            loss(model(inputs), labels).backward()
        optimizer.step()

    assert loop(body, 10).facts.get("loss.accumulated_unscaled") is told


def test_real_and_fake_at_lines_of_their_own_are_no_accumulation() -> None:
    def body(critic: Any, optimizer: Any, step: int) -> None:
        inputs, _ = classes()
        critic(inputs).mean().backward(torch.tensor(-1.0))
        critic(inputs.flip(0) + 1).mean().backward(torch.tensor(1.0))
        optimizer.step()
        optimizer.zero_grad()

    assert loop(body).facts.get("loss.accumulated_unscaled") is not True


def test_two_losses_of_one_forward_are_no_accumulation() -> None:
    def body(model: Any, optimizer: Any, step: int) -> None:
        inputs, labels = classes()
        scores = model(inputs)
        cross_entropy(scores, labels).backward(retain_graph=True)
        scores.square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()

    assert loop(body).facts.get("loss.accumulated_unscaled") is not True
