"""An optimizer that is handed a closure computes its gradients within its step, as every one of Lightning's does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch.nn.functional import cross_entropy

from tests.live.checking import checked, classes, mlp
from tests.live.looking import Said

Call = Callable[[Any, Callable[[], Any]], object]
CALLS: list[Call] = [lambda it, closure: it.step(closure), lambda it, closure: it.step(closure=closure)]


def trained(
    loss_of: Callable[[Any, Any], Any], call: Call = CALLS[0], optimizer: Any = torch.optim.Adam
) -> Said:
    """Twelve steps, in each of which the closure does all the work."""
    with checked() as said:
        model = mlp()
        made = optimizer(model.parameters(), 1e-3)
        for _ in range(12):
            inputs, labels = classes()

            def closure(inputs: Any = inputs, labels: Any = labels) -> Any:
                loss = loss_of(model(inputs), labels)
                made.zero_grad()
                loss.backward()
                return loss

            call(made, closure)
    return said


@pytest.mark.parametrize("call", CALLS)
def test_a_loss_in_a_closure_is_looked_into(call: Call) -> None:
    assert (
        trained(lambda out, labels: cross_entropy(out.softmax(1), labels), call)[
            "loss.input_is_probabilities"
        ]
        is True
    )


@pytest.mark.parametrize("optimizer", [torch.optim.Adam, torch.optim.SGD, torch.optim.LBFGS])
def test_a_sound_loop_with_a_closure_is_not_accused(optimizer: Any) -> None:
    said = trained(cross_entropy, optimizer=optimizer)
    assert [name for name, value in said.facts.items() if value is True] == ["data.inputs.normalized"]


def test_a_search_along_a_line_is_no_accumulation() -> None:
    """The closure of LBFGS is called many times in a step, here without clearing."""
    with checked() as said:
        model = mlp()
        optimizer = torch.optim.LBFGS(
            model.parameters(), lr=1e-3, max_iter=3, tolerance_grad=0, tolerance_change=0
        )
        for _ in range(12):
            inputs, labels = classes()

            def closure(inputs: Any = inputs, labels: Any = labels) -> Any:
                loss = cross_entropy(model(inputs), labels)
                loss.backward()
                return loss

            optimizer.step(closure)
    assert said.facts.get("loss.accumulated_unscaled") is not True


@pytest.mark.parametrize("cleared", ["never", "before the step", "within", "by the module", "through data"])
def test_a_closure_that_leaves_its_gradients_is_told(cleared: str) -> None:
    """Clearing before the step is not enough: within it the weights move, and the gradients of the last ones stand."""
    with checked() as said:
        model, (inputs, labels) = mlp(), classes()
        optimizer = torch.optim.LBFGS(
            model.parameters(), lr=1e-3, max_iter=4, tolerance_grad=0, tolerance_change=0
        )

        def closure() -> Any:
            if cleared == "within":
                optimizer.zero_grad()
            elif cleared == "by the module":
                model.zero_grad(set_to_none=False)
            elif cleared == "through data":
                for one in model.parameters():
                    if one.grad is not None:
                        one.grad.data.zero_()
            loss = cross_entropy(model(inputs), labels)
            loss.backward()
            return loss

        for _ in range(8):
            if cleared == "before the step":
                optimizer.zero_grad()
            optimizer.step(closure)
    assert said["grad.not_cleared"] is (cleared in ("never", "before the step"))


@pytest.mark.parametrize("kind", [torch.optim.LBFGS, torch.optim.SGD])
def test_gradients_that_the_script_sets_itself_take_the_place_of_the_last_ones(kind: Any) -> None:
    with checked() as said:
        model, (inputs, labels) = mlp(), classes()
        optimizer = kind(model.parameters(), lr=1e-3)

        def closure() -> Any:
            loss = cross_entropy(model(inputs), labels)
            weights = list(model.parameters())
            for one, grad in zip(weights, torch.autograd.grad(loss, weights), strict=True):
                one.grad = grad
            return loss

        for _ in range(12):
            if kind is torch.optim.SGD:
                closure()
                optimizer.step()
            else:
                optimizer.step(closure)
    assert said.facts.get("grad.not_cleared") is not True


def test_a_closure_that_adds_up_parts_of_a_batch_has_cleared_its_gradients() -> None:
    with checked() as said:
        model, (inputs, labels) = mlp(), classes()
        optimizer = torch.optim.LBFGS(
            model.parameters(), lr=1e-3, max_iter=4, tolerance_grad=0, tolerance_change=0
        )

        def closure() -> Any:
            optimizer.zero_grad()
            losses = [
                cross_entropy(model(x), y) / 4 for x, y in zip(inputs.split(8), labels.split(8), strict=True)
            ]
            for loss in losses:
                loss.backward()
            return sum(losses)

        for _ in range(8):
            optimizer.step(closure)
    assert said["grad.not_cleared"] is False


def test_what_the_closure_gives_and_raises_reaches_the_caller() -> None:
    with checked():
        model = mlp()
        optimizer = torch.optim.SGD(model.parameters(), 0.1)

        def failing() -> Any:
            raise KeyError("mine")

        with pytest.raises(KeyError, match="mine"):
            optimizer.step(failing)
        assert optimizer.step(lambda: torch.tensor(3.0)) == 3.0


def test_after_a_closure_that_raised_another_optimizer_is_still_followed() -> None:
    with checked() as said:
        model, inputs, labels = mlp(), *classes()
        broken = torch.optim.SGD(mlp().parameters(), 0.1)

        def failing() -> Any:
            raise KeyError("mine")

        with pytest.raises(KeyError):
            broken.step(failing)
        optimizer = torch.optim.SGD(model.parameters(), 0.1)
        for _ in range(12):
            optimizer.zero_grad()
            cross_entropy(model(inputs).softmax(1), labels).backward()
            optimizer.step()
    assert said["loss.input_is_probabilities"] is True
