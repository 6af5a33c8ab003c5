"""Gradients that are cleared or not, and the order of steps and backward passes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import TensorDataset

from tests.live.checking import checked, classes, cross_entropy, loop, loss_of, mlp, train
from tests.live.looking import Said

judged: Callable[..., Any] = F.binary_cross_entropy_with_logits


def test_a_correct_loop_clears_everything() -> None:
    said = train(mlp(), nn.CrossEntropyLoss(), steps=30)
    assert said["grad.not_cleared"] is False
    assert said["grad.step_without_backward"] is False
    assert said["grad.backward_without_step"] is False
    assert said["grad.cleared_before_step"] is False
    assert said["loss.accumulated_unscaled"] is False
    assert said["loss.backward_calls_per_step"] == 1
    assert said["process.graph_kept"] is False
    assert said["data.same_batch"] is False
    assert said["model.changes_its_input"] is False


def test_gradients_that_nobody_clears_are_seen() -> None:
    def body(model: Any, optimizer: Any, step: int) -> None:
        loss_of(model).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()

    assert loop(body)["grad.not_cleared"] is True


def clear_by_module(model: Any, optimizer: Any) -> None:
    model.zero_grad()


def clear_by_none(model: Any, optimizer: Any) -> None:
    for one in model.parameters():
        one.grad = None


def clear_in_place(model: Any, optimizer: Any) -> None:
    for one in model.parameters():
        if one.grad is not None:
            one.grad.zero_()


def clear_by_data(model: Any, optimizer: Any) -> None:
    for one in model.parameters():
        if one.grad is not None:
            one.grad.data.zero_()


@pytest.mark.parametrize("clear", [clear_by_module, clear_by_none, clear_in_place, clear_by_data])
def test_every_way_of_clearing_counts(clear: Callable[[Any, Any], None]) -> None:
    def body(model: Any, optimizer: Any, step: int) -> None:
        clear(model, optimizer)
        loss_of(model).backward()
        optimizer.step()

    assert loop(body)["grad.not_cleared"] is False


def gan(clear_generator: bool = True, steps: int = 16) -> Said:
    with checked() as said:
        generator, judge = mlp(8, 8), mlp(8, 1)
        both = [torch.optim.Adam(one.parameters(), lr=1e-3) for one in (generator, judge)]
        ones, zeros = torch.ones(16, 1), torch.zeros(16, 1)
        for _ in range(steps):
            both[1].zero_grad()
            fake = generator(torch.randn(16, 8))
            judged(judge(torch.randn(16, 8)), ones).backward()
            judged(judge(fake.detach()), zeros).backward()
            both[1].step()
            if clear_generator:
                both[0].zero_grad()
            judged(judge(fake), ones).backward()
            both[0].step()
    return said


def test_a_gan_is_healthy() -> None:
    said = gan()
    assert [name for name, value in said.facts.items() if value is True] == ["data.inputs.normalized"]


def test_one_optimizer_of_a_gan_that_never_clears_is_seen() -> None:
    assert gan(clear_generator=False)["grad.not_cleared"] is True


def test_steps_without_backward_are_seen() -> None:
    def body(model: Any, optimizer: Any, step: int) -> None:
        optimizer.zero_grad()
        loss_of(model)
        optimizer.step()

    said = loop(body)
    assert said["grad.step_without_backward"] is True
    assert "grad.cleared_before_step" not in said.facts or said["grad.cleared_before_step"] is False


def test_clearing_just_before_the_step_is_seen() -> None:
    def body(model: Any, optimizer: Any, step: int) -> None:
        loss_of(model).backward()
        optimizer.zero_grad()
        optimizer.step()

    said = loop(body)
    assert said["grad.cleared_before_step"] is True
    assert said["grad.step_without_backward"] is False
    assert "grad.missing" not in said.facts  # there was one each time


def test_gradients_that_no_step_uses_are_seen() -> None:
    def body(model: Any, optimizer: Any, step: int) -> None:
        optimizer.zero_grad()
        loss_of(model).backward()

    assert loop(body, steps=30)["grad.backward_without_step"] is True


def test_weights_moved_by_hand_need_no_step() -> None:
    def body(model: Any, optimizer: Any, step: int) -> None:
        optimizer.zero_grad()
        loss_of(model).backward()
        for one in model.parameters():
            one.data -= 0.01 * one.grad

    assert "grad.backward_without_step" not in loop(body, steps=30).facts


def test_lbfgs_calls_backward_within_its_step() -> None:
    with checked() as said:
        model = mlp()
        optimizer: Any = torch.optim.LBFGS(model.parameters(), lr=0.1, max_iter=3)
        inputs, labels = classes()

        def closure() -> Any:
            optimizer.zero_grad()
            loss = cross_entropy(model(inputs), labels)
            loss.backward()
            return loss

        for _ in range(12):
            optimizer.step(closure)
    assert said["grad.step_without_backward"] is False
    assert said["grad.not_cleared"] is False


def data(count: int = 128) -> TensorDataset:
    return TensorDataset(torch.randn(count, 8), torch.randint(0, 4, (count,)))
