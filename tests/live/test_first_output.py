"""How large the output of a model is before the first step."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn
from torch.func import functional_call, stack_module_state, vmap

from tests.live.checking import checked, classes, cross_entropy, mlp


class Rollout(nn.Module):
    """A state that is carried over many steps of time, and grows in each by this factor."""

    def __init__(self, growth: float) -> None:
        super().__init__()
        self.enter, self.leave = nn.Linear(8, 16), nn.Linear(16, 4)
        self.growth = growth

    def forward(self, inputs: torch.Tensor) -> Any:
        state = self.enter(inputs)
        for _ in range(40):
            state = self.growth * state
        return {"scores": self.leave(state)}


def first_output(model: nn.Module, rate: float = 0.01) -> Any:
    with checked("first_output.FirstOutput") as said:
        optimizer = torch.optim.SGD(model.parameters(), rate)
        for _ in range(4):
            inputs, labels = classes()
            output = model(inputs)
            loss = cross_entropy(output["scores"] if isinstance(output, dict) else output, labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return said.facts.get("act.first_output_max")


def test_a_state_that_grows_is_seen_before_the_first_step() -> None:
    assert first_output(Rollout(1.5)) > 1e6


def test_steps_that_are_too_large_leave_the_first_output_as_it_was() -> None:
    assert first_output(Rollout(1.0)) < 10
    assert first_output(mlp(), rate=1e9) < 10


def test_what_an_evaluation_gives_before_the_training_does_not_count() -> None:
    with checked("first_output.FirstOutput") as said:
        model = mlp()
        optimizer = torch.optim.SGD(model.parameters(), 0.01)
        inputs, labels = classes()
        with torch.no_grad():
            model(1e6 * inputs)
        cross_entropy(model(inputs), labels).backward()
        optimizer.step()
    assert said["act.first_output_max"] < 10


def test_models_that_are_asked_within_vmap_break_nothing() -> None:
    """What they give there has no values that could be read."""
    members = [mlp() for _ in range(3)]
    weights, buffers = stack_module_state(members)

    def one(own: Any, plain: Any, inputs: Any) -> Any:
        return functional_call(members[0], (own, plain), (inputs,))

    with checked("first_output.FirstOutput") as said:
        optimizer = torch.optim.SGD([each for member in members for each in member.parameters()], 0.01)
        for _ in range(4):
            optimizer.zero_grad()
            vmap(one, in_dims=(0, 0, None))(weights, buffers, classes()[0]).square().mean().backward()
            optimizer.step()
    assert "act.first_output_max" not in said.facts
