"""Running means and states that are made from themselves, with or without their graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from tests.live.checking import cross_entropy, loop
from tests.live.looking import Said


class Centred(nn.Module):
    """A network that keeps a running centre of its features, from a forward of its own."""

    center: torch.Tensor

    def __init__(self, keep: Callable[[torch.Tensor], torch.Tensor], chained: bool = True) -> None:
        super().__init__()
        self.features, self.head = nn.Linear(8, 16), nn.Linear(16, 4)
        self.keep, self.chained = keep, chained
        self.register_buffer("center", torch.zeros(16))

    def forward(self, x: torch.Tensor) -> Any:
        """Scores of the classes."""
        return self.head(self.features(x).relu())

    def follow(self, x: torch.Tensor) -> None:
        """Move the centre."""
        now = self.keep(self.features(x).mean(0))
        self.center = 0.9 * self.center + 0.1 * now if self.chained else now


def followed(model: Centred) -> Said:
    def body(model: Any, optimizer: Any, step: int) -> None:
        inputs = torch.randn(32, 8)
        optimizer.zero_grad()
        cross_entropy(model(inputs), torch.randint(0, 4, (32,))).backward()
        optimizer.step()
        model.follow(inputs)

    return loop(body, 32, model)


def test_a_running_mean_of_what_has_a_graph_keeps_every_graph() -> None:
    said = followed(Centred(lambda one: one))
    assert said["process.graph_kept"] is True
    assert said["process.growing_type"] == "tensor (Centred.center)"
    assert said["process.graph_kept_where"].startswith(__file__)


def test_a_running_mean_of_what_was_detached_keeps_nothing() -> None:
    assert followed(Centred(lambda one: one.detach()))["process.graph_kept"] is False


def test_features_that_are_computed_anew_let_the_last_graph_go() -> None:
    assert followed(Centred(lambda one: one, chained=False))["process.graph_kept"] is False


def test_a_tensor_that_is_computed_once_is_no_chain() -> None:
    model = Centred(lambda one: one)
    model.follow(torch.randn(32, 8))

    def body(model: Any, optimizer: Any, step: int) -> None:
        optimizer.zero_grad()
        cross_entropy(model(torch.randn(32, 8)), torch.randint(0, 4, (32,))).backward()
        optimizer.step()

    assert loop(body, 32, model)["process.graph_kept"] is False


def test_a_running_mean_in_a_variable_of_the_loop() -> None:
    from tests.live.checking import checked, mlp

    with checked() as said:
        model = mlp()
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        level = torch.zeros(())
        for _ in range(16):
            inputs = torch.randn(32, 8)
            optimizer.zero_grad()
            cross_entropy(model(inputs), torch.randint(0, 4, (32,))).backward()
            optimizer.step()
            level = 0.9 * level + 0.1 * model[0](inputs).norm()
    assert said["process.growing_type"] == "tensor (level)"
