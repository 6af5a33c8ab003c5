"""Train mode and eval mode, with and without gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn

from tests.live.checking import checked, classes, cross_entropy, loop, loss_of, mlp
from tests.live.looking import Said


def with_dropout() -> nn.Module:
    return nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.2), nn.Linear(16, 4))


def epochs(evaluate: Callable[[Any], object], to_train: bool = True, count: int = 3) -> Said:
    """Epochs of ten steps, each with an evaluation."""

    def body(model: Any, optimizer: Any, step: int) -> None:
        if to_train and step % 10 == 1:
            model.train()
        optimizer.zero_grad()
        loss_of(model).backward()
        optimizer.step()
        if step % 10 == 0:
            evaluate(model)

    return loop(body, 10 * count, with_dropout())


def no_grad_in_eval(model: Any) -> None:
    model.eval()
    with torch.no_grad():
        for _ in range(4):
            loss_of(model)


def no_grad_in_train(model: Any) -> None:
    with torch.no_grad():
        for _ in range(4):
            loss_of(model)


def grad_in_eval(model: Any) -> None:
    model.eval()
    for _ in range(4):
        loss_of(model)


def grad_in_train(model: Any) -> None:
    for _ in range(4):
        loss_of(model)


def inference_mode_in_eval(model: Any) -> None:
    model.eval()
    with torch.inference_mode():
        accuracy = [(model(classes()[0]).argmax(1) == 0).float().mean().item() for _ in range(4)]
    assert accuracy


@pytest.mark.parametrize("evaluate", [no_grad_in_eval, inference_mode_in_eval])
def test_a_correct_evaluation_is_healthy(evaluate: Callable[[Any], object]) -> None:
    said = epochs(evaluate)
    assert said["model.train_mode_in_eval"] is False
    assert said["model.grad_in_eval"] is False
    assert said["model.eval_mode_in_training"] is False


def test_evaluation_in_train_mode_is_seen() -> None:
    assert epochs(no_grad_in_train)["model.train_mode_in_eval"] is True


@pytest.mark.parametrize("kept", [True, False])
def test_a_norm_that_keeps_no_averages_is_the_same_in_either_mode(kept: bool) -> None:
    norm = nn.BatchNorm1d(16, track_running_stats=kept)
    model = nn.Sequential(nn.Linear(8, 16), norm, nn.ReLU(), nn.Linear(16, 4))

    def body(model: Any, optimizer: Any, step: int) -> None:
        optimizer.zero_grad()
        loss_of(model).backward()
        optimizer.step()
        if step % 10 == 0:
            no_grad_in_train(model)

    assert loop(body, 30, model)["model.train_mode_in_eval"] is kept


def test_evaluation_with_gradients_is_seen() -> None:
    said = epochs(grad_in_eval)
    assert said["model.grad_in_eval"] is True
    assert said.facts.get("model.train_mode_in_eval") is not True


def test_evaluation_with_gradients_and_in_train_mode_is_seen() -> None:
    said = epochs(grad_in_train)
    assert said["model.grad_in_eval"] is True
    assert said["model.train_mode_in_eval"] is True


def test_training_that_stays_in_eval_mode_is_seen() -> None:
    said = epochs(no_grad_in_eval, to_train=False)
    assert said["model.eval_mode_in_training"] is True


@pytest.mark.parametrize(
    ("trained", "evaluated_first", "wrong"),
    [(True, False, False), (True, True, True), (False, False, True)],
    ids=["with statistics of its own", "left so by an evaluation", "from random weights"],
)
def test_fine_tuning_in_eval_mode_keeps_the_statistics_that_came_with_the_weights(
    trained: bool, evaluated_first: bool, wrong: bool
) -> None:
    model = with_dropout()
    if trained:
        model.load_state_dict({**model.state_dict(), "1.num_batches_tracked": torch.tensor(500)})
    if evaluated_first:
        model.train()
    else:
        model.eval()

    def body(net: Any, optimizer: Any, step: int) -> None:
        if evaluated_first and step == 1:
            no_grad_in_eval(net)
        optimizer.zero_grad()
        loss_of(net).backward()
        optimizer.step()

    assert loop(body, 16, model)["model.eval_mode_in_training"] is wrong


class Dropping(nn.Module):
    """Drops with a function, at the rate that it was made with."""

    def __init__(self, rate: float) -> None:
        super().__init__()
        self.inner, self.dropout = mlp(), rate

    def forward(self, inputs: Any) -> Any:
        return self.inner(nn.functional.dropout(inputs, self.dropout, self.training))


@pytest.mark.parametrize(("rate", "wrong"), [(0.5, True), (0.0, False)])
def test_dropout_as_a_function_makes_the_mode_matter(rate: float, wrong: bool) -> None:
    def body(model: Any, optimizer: Any, step: int) -> None:
        optimizer.zero_grad()
        loss_of(model).backward()
        optimizer.step()
        no_grad_in_eval(model)

    assert (loop(body, 12, Dropping(rate)).facts.get("model.eval_mode_in_training") is True) is wrong


def test_without_dropout_and_batch_norm_the_mode_does_not_matter() -> None:
    def body(model: Any, optimizer: Any, step: int) -> None:
        model.eval()
        optimizer.zero_grad()
        loss_of(model).backward()
        optimizer.step()
        if step % 8 == 0:
            model.train()
            no_grad_in_train(model)

    said = loop(body, 24)
    assert said.facts.get("model.eval_mode_in_training") is not True
    assert said.facts.get("model.train_mode_in_eval") is not True


def test_a_frozen_backbone_in_eval_mode_is_meant() -> None:
    model = nn.Sequential(with_dropout(), nn.Linear(4, 4))
    model[0].requires_grad_(False)

    def body(net: Any, optimizer: Any, step: int) -> None:
        net.train()
        net[0].eval()
        optimizer.zero_grad()
        loss_of(net).backward()
        optimizer.step()

    with checked() as said:
        optimizer = torch.optim.SGD(model[1].parameters(), lr=0.1)
        for step in range(16):
            body(model, optimizer, step)
    assert said.facts.get("model.eval_mode_in_training") is not True


def test_a_forward_without_gradients_in_each_step_is_part_of_the_training() -> None:
    """Pseudo labels, or a policy that acts before it learns."""

    def body(model: Any, optimizer: Any, step: int) -> None:
        inputs, _ = classes()
        with torch.no_grad():
            labels = model(inputs).argmax(1)
        optimizer.zero_grad()
        cross_entropy(model(inputs), labels).backward()
        optimizer.step()

    assert loop(body, 24, with_dropout()).facts.get("model.train_mode_in_eval") is not True
