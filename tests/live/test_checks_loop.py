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


def test_gradients_of_copies_of_the_weights_are_set_and_not_added_up() -> None:
    """As where weights in half precision are trained by copies that are more precise."""
    torch.manual_seed(0)
    model = mlp()
    copies = [one.detach().clone() for one in model.parameters()]
    with checked() as said:
        optimizer = torch.optim.Adam(copies, lr=0.01)
        for _ in range(16):
            loss = loss_of(model)
            model.zero_grad()
            loss.backward()
            for weights, copy in zip(model.parameters(), copies, strict=True):
                copy.grad = None if weights.grad is None else weights.grad.clone()
            optimizer.step()
            with torch.no_grad():
                for weights, copy in zip(model.parameters(), copies, strict=True):
                    weights.copy_(copy)
    assert not said.facts.get("grad.not_cleared")


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


def clear_by_optimizer(model: Any, optimizer: Any) -> None:
    optimizer.zero_grad()


CLEARING = [clear_by_optimizer, clear_by_module, clear_by_none, clear_in_place]


@pytest.mark.parametrize("clear", CLEARING)
@pytest.mark.parametrize("each", [True, False])
def test_accumulation_that_is_cleared_with_each_part_loses_all_but_the_last(clear: Any, each: bool) -> None:
    def body(model: Any, optimizer: Any, step: int) -> None:
        for part in range(4):
            if each or not part:
                clear(model, optimizer)
            (loss_of(model) / 4).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()

    assert loop(body)["grad.discarded"] is each


@pytest.mark.parametrize("clear", CLEARING)
def test_gradients_of_several_tasks_that_the_script_puts_together_are_not_lost(clear: Any) -> None:
    """As where conflicts between tasks are taken out of their gradients, one by one."""

    def body(model: Any, optimizer: Any, step: int) -> None:
        kept = []
        for _ in range(3):
            clear(model, optimizer)
            loss_of(model).backward()
            kept.append([one.grad.clone() for one in model.parameters()])
        for one, *parts in zip(model.parameters(), *kept, strict=True):
            one.grad = torch.stack(parts).mean(0)
        optimizer.step()

    assert not loop(body).facts.get("grad.discarded")


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
