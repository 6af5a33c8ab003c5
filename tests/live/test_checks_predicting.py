"""A second instance of the network that was trained, which predicts when the training is over."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn
from torch.optim.swa_utils import update_bn

from tests.live.checking import checked, classes, loss_of


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.Linear(8, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.3), nn.Linear(16, 4)
        )

    def forward(self, inputs: Any) -> Any:
        return self.body(inputs)


class Plain(Net):
    """Nothing in it heeds the mode."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4))


def predicted(
    use: Callable[[Any], object], make: Callable[[], nn.Module] = Net, learns_on: bool = False
) -> Any:
    with checked() as said:
        model = make()
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)

        def learn(steps: int) -> None:
            for _ in range(steps):
                optimizer.zero_grad()
                loss_of(model).backward()
                optimizer.step()

        learn(10)
        loaded = make()
        loaded.load_state_dict(model.state_dict())
        with torch.no_grad():
            use(loaded)
        learn(10 if learns_on else 0)
    return said.facts.get("model.train_mode_in_eval")


def each(model: Any) -> None:
    for one in classes(12)[0]:
        model(one.expand(2, 8))


def batches(model: Any) -> None:
    for _ in range(6):
        model(classes()[0])


@pytest.mark.parametrize("use", [each, batches])
def test_a_loaded_network_that_was_never_set_to_eval_mode_is_seen(use: Callable[[Any], object]) -> None:
    assert predicted(use) is True


def test_one_that_was_set_to_it_is_sound() -> None:
    assert predicted(lambda model: each(model.eval())) is not True


def test_one_that_is_asked_for_the_same_again_and_again_samples_on_purpose() -> None:
    def sample(model: Any) -> None:
        for _ in range(3):
            inputs = classes()[0]
            for _ in range(8):
                model(inputs)

    assert predicted(sample) is not True


def test_averages_of_norm_layers_are_made_in_train_mode() -> None:
    assert predicted(lambda model: update_bn([classes()[0] for _ in range(6)], model)) is not True


def test_without_dropout_and_norm_the_mode_does_not_matter() -> None:
    assert predicted(batches, Plain) is not True


def test_what_is_asked_while_training_goes_on_is_a_teacher() -> None:
    assert predicted(batches, learns_on=True) is not True
