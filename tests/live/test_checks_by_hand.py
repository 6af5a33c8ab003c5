"""Training without an optimizer of torch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch.func import functional_call, grad, stack_module_state, vmap

from tests.live.checking import checked, mlp, numbers
from tests.live.journals import Record, Seen, fact, process
from tests.live.looking import Said
from traindx.engine.kb.knowledge import Knowledge

Update = Callable[[Any, float], None]


def moved(parameters: Any, rate: float) -> None:
    with torch.no_grad():
        for one in parameters:
            one -= rate * one.grad
            one.grad = None


def copied(parameters: Any, rate: float) -> None:
    for one in parameters:
        one = one.detach() - rate * one.grad


def by_hand(update: Update, steps: int = 60) -> Said:
    """Training with `backward` and an update of the script's own."""
    with checked() as said:
        model = mlp(8, 1)
        for _ in range(steps):
            inputs, targets = numbers()
            loss: Any = F.mse_loss(model(inputs), targets)
            loss.backward()
            update(model.parameters(), 0.01)
    return said


def functional(kept: bool, ensemble: bool = False) -> Said:
    """Training with torch.func."""
    with checked() as said:
        models = [mlp(8, 1) for _ in range(3 if ensemble else 1)]
        parameters, _ = stack_module_state(models)
        parameters = {name: one.detach() for name, one in parameters.items()}

        def loss_of(given: Any, inputs: Any, targets: Any) -> Any:
            return F.mse_loss(functional_call(models[0], given, (inputs,)), targets)

        for _ in range(60):
            found = vmap(grad(loss_of), in_dims=(0, None, None))(parameters, *numbers())
            new = {name: one - 0.01 * found[name] for name, one in parameters.items()}
            parameters = new if kept else parameters
    return said


def test_weights_that_are_moved_by_hand_change() -> None:
    said = by_hand(moved)
    assert said["model.weights_change"] is True
    assert said["log.gradients_by_hand"] == 60
    assert "model.weights_stay_by_hand" not in said.facts


def test_weights_of_which_copies_are_moved_stay() -> None:
    said = by_hand(copied)
    assert said["model.weights_stay_by_hand"] is True
    assert "model.weights_change" not in said.facts


@pytest.mark.parametrize("ensemble", [False, True])
def test_new_weights_that_nobody_takes_are_seen(ensemble: bool) -> None:
    assert functional(kept=False, ensemble=ensemble)["model.weights_stay_by_hand"] is True
    assert functional(kept=True, ensemble=ensemble)["model.weights_change"] is True


def test_few_gradients_are_no_training() -> None:
    assert "log.gradients_by_hand" not in by_hand(moved, steps=10).facts


@pytest.mark.parametrize("trained", [True, False])
def test_a_picture_that_is_changed_is_no_training(trained: bool) -> None:
    with checked() as said:
        model = mlp(8, 1).requires_grad_(not trained)
        picture: Any = torch.randn(4, 8, requires_grad=True)
        found: Any
        for number in range(60):
            if number % 2:
                (found,) = torch.autograd.grad(model(picture).sum(), [picture])
            else:
                model(picture).sum().backward()
                found, picture.grad = picture.grad, None
            picture.data += 0.1 * found
    assert "log.gradients_by_hand" not in said.facts
    assert "model.weights_stay_by_hand" not in said.facts


def test_an_optimizer_of_torch_is_not_by_hand() -> None:
    with checked() as said:
        model = mlp(8, 1)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        for _ in range(60):
            inputs, targets = numbers()
            loss: Any = F.mse_loss(model(inputs), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    assert "log.gradients_by_hand" not in said.facts


@pytest.mark.parametrize("gradients", [500, None])
def test_what_is_printed_counts_where_a_script_trains_by_hand(
    knowledge: Knowledge, gradients: int | None
) -> None:
    lines = [f"step {10 * number} loss {2.0 + number % 3 / 100}" for number in range(20)]
    printed: Record = {"kind": "printed", "step": 0, "lines": lines}
    said = [fact("log.gradients_by_hand", gradients)] if gradients else []
    assert Seen(knowledge, [process(), printed, *said])["loss.count"] == (20 if gradients else None)
