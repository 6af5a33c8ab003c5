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


def clipped_alone(model: Any, optimizer: Any, step: int) -> None:
    """Each sample is limited by itself, and the sum of what is left takes the place of the gradients."""
    inputs, labels = classes()
    weights = list(model.parameters())
    sums = [torch.zeros_like(one) for one in weights]
    for row, label in zip(inputs[:6], labels[:6], strict=True):
        model.zero_grad()
        cross_entropy(model(row[None]), label[None]).backward()
        for total, one in zip(sums, weights, strict=True):
            total += one.grad.clamp(-0.1, 0.1)
    for total, one in zip(sums, weights, strict=True):
        one.grad = total / 6
    optimizer.step()


def averaged(share: Callable[[torch.Tensor], torch.Tensor]) -> Callable[[Any, Any, int], None]:
    """The sum of four passes becomes their mean afterwards."""

    def body(model: Any, optimizer: Any, step: int) -> None:
        optimizer.zero_grad()
        for _ in range(4):
            loss_of(model).backward()
        for one in model.parameters():
            one.grad = share(one.grad)
        optimizer.step()

    return body


def test_gradients_that_are_limited_are_not_divided() -> None:
    def body(model: Any, optimizer: Any, step: int) -> None:
        optimizer.zero_grad()
        for _ in range(4):
            loss_of(model).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 0.1)
        optimizer.step()

    assert loop(body, 12)["loss.accumulated_unscaled"] is True


@pytest.mark.parametrize(
    "body", [clipped_alone, averaged(lambda grad: grad / 4), averaged(lambda grad: grad.div_(4))]
)
def test_gradients_that_the_script_puts_together_are_its_own(body: Callable[..., None]) -> None:
    assert loop(body, 12).facts.get("loss.accumulated_unscaled") is not True


def test_a_module_that_clears_before_all_passes_does_not_divide_them() -> None:
    def body(model: Any, optimizer: Any, step: int) -> None:
        model.zero_grad()
        for _ in range(4):
            loss_of(model).backward()
        optimizer.step()

    assert loop(body, 12)["loss.accumulated_unscaled"] is True
