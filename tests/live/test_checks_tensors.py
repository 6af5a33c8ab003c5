"""What the sampled steps see in inputs, activations and outputs; and that seeing changes nothing."""

from __future__ import annotations

import copy
from typing import Any

import torch
import torch.nn.functional as F
from torch import nn

from tests.live.checking import checked, classes, mlp, numbers, train


def scaled(factor: float, offset: float = 0.0) -> Any:
    def batch() -> tuple[torch.Tensor, torch.Tensor]:
        inputs, labels = classes()
        return factor * inputs + offset, labels

    return batch


def test_inputs_of_ordinary_size_are_normalised() -> None:
    said = train(mlp(), nn.CrossEntropyLoss())
    assert said["data.inputs.normalized"] is True
    assert abs(said["data.inputs.mean"]) < 0.3
    assert said["data.inputs.constant"] is False


def test_pixels_of_0_to_255_are_not_normalised() -> None:
    said = train(mlp(), nn.CrossEntropyLoss(), scaled(40.0, 128.0), lr=1e-6)
    assert said["data.inputs.normalized"] is False
    assert said["data.inputs.max_abs"] > 150


def test_a_model_that_scales_its_input_itself_is_left_alone() -> None:
    class Scaling(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.net = mlp()

        def forward(self, pixels: torch.Tensor) -> Any:
            return self.net(pixels / 255)

    assert (
        train(Scaling(), nn.CrossEntropyLoss(), scaled(40.0, 128.0)).facts.get("data.inputs.normalized")
        is not False
    )


def test_inputs_that_grow_are_normalised_no_longer() -> None:
    """As where what prepares a sample changes the stored one, and prepares it anew in each epoch."""
    stored, labels = classes()

    def batch() -> tuple[torch.Tensor, torch.Tensor]:
        return stored.mul_(4), labels

    said = train(mlp(), nn.CrossEntropyLoss(), batch, lr=1e-6)
    assert said["data.inputs.normalized"] is False
    assert said["data.inputs.grown"] > 50


def test_zeros_that_a_model_is_tried_with_are_no_measure_of_growth() -> None:
    stored, labels = classes()
    tried = iter([torch.zeros_like(stored)])
    said = train(mlp(), nn.CrossEntropyLoss(), lambda: (next(tried, 100 * stored), labels), lr=1e-6)
    assert "data.inputs.grown" not in said.facts


def test_columns_of_very_different_size_are_seen() -> None:
    def batch() -> tuple[torch.Tensor, torch.Tensor]:
        inputs, labels = classes()
        inputs[:, 0] *= 1e4
        return inputs, labels

    assert train(mlp(), nn.CrossEntropyLoss(), batch, lr=1e-6)["data.inputs.normalized"] is False


def test_constant_inputs_are_seen() -> None:
    assert train(mlp(), nn.CrossEntropyLoss(), scaled(0.0, 1.0))["data.inputs.constant"] is True


def test_a_model_that_writes_into_its_input_is_seen() -> None:
    model: Any = nn.Sequential(nn.ReLU(inplace=True), mlp())
    assert train(model, nn.CrossEntropyLoss())["model.changes_its_input"] is True


def test_living_units_are_cleared() -> None:
    said = train(mlp(), nn.CrossEntropyLoss())
    assert said["act.dead_share"] < 0.2
    assert said["act.max_abs"] > 0


def test_dead_units_are_counted_and_their_layer_is_named() -> None:
    model: Any = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), mlp(16))
    with torch.no_grad():
        model[0].bias[:12] = -100.0
    said = train(model, nn.CrossEntropyLoss())
    assert said["act.dead_share"] == 0.75
    assert said["act.dead_module"] == "1 (relu)"


def test_dead_channels_of_a_convolution_are_counted() -> None:
    model: Any = nn.Sequential(
        nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(inplace=True), nn.Flatten(), nn.LazyLinear(4)
    )
    with torch.no_grad():
        model(torch.randn(2, 3, 8, 8))
        model[1].weight[:6] = 0.0
        model[1].bias[:6] = -1.0
    said = train(model, nn.CrossEntropyLoss(), lambda: (torch.randn(4, 3, 8, 8), torch.randint(0, 4, (4,))))
    assert said["act.dead_share"] == 0.75


def test_saturated_activations_are_seen() -> None:
    model: Any = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 4))
    assert train(copy.deepcopy(model), nn.CrossEntropyLoss())["act.saturated_share"] < 0.1
    said = train(model, nn.CrossEntropyLoss(), scaled(100.0))
    assert said["act.saturated_share"] > 0.8
    assert said["act.saturated_module"] == "1 (tanh)"


def test_an_output_may_stand_at_its_bounds() -> None:
    model: Any = nn.Sequential(nn.Linear(8, 1), nn.Sigmoid())
    with torch.no_grad():
        model[0].weight.mul_(1000)

    def batch() -> tuple[torch.Tensor, torch.Tensor]:
        inputs, targets = numbers()
        return inputs, (targets > 0).float()

    said = train(model, lambda out, y: F.binary_cross_entropy(out.squeeze(1), y.squeeze(1)), batch, lr=1e-4)
    assert said.facts.get("act.saturated_share", 0.0) == 0.0


class Constant(nn.Module):
    """Forgets its input."""

    def __init__(self) -> None:
        super().__init__()
        self.net = mlp()

    def forward(self, inputs: torch.Tensor) -> Any:
        return self.net(torch.zeros_like(inputs))


def test_an_output_that_ignores_its_input_is_seen() -> None:
    assert train(Constant(), nn.CrossEntropyLoss(), steps=60)["act.same_output"] is True
    assert train(mlp(), nn.CrossEntropyLoss(), steps=60)["act.same_output"] is False


def test_a_head_that_starts_at_zero_is_no_constant_output() -> None:
    model: Any = mlp()
    nn.init.zeros_(model[2].weight)
    assert train(model, nn.CrossEntropyLoss(), steps=60)["act.same_output"] is False


def losses_of(model: nn.Module) -> list[float]:
    torch.manual_seed(1)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    seen = []
    for _ in range(24):
        inputs, labels = classes()
        optimizer.zero_grad()
        loss: Any = F.cross_entropy(model(inputs), labels)
        loss.backward()
        optimizer.step()
        seen.append(loss.item())
    return seen


def test_losses_are_the_same_to_the_last_bit() -> None:
    layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
    model: Any = nn.Sequential(nn.Linear(8, 8), nn.BatchNorm1d(8), layer, nn.Dropout(0.1), nn.Linear(8, 4))
    other = copy.deepcopy(model)
    with checked():
        watched = losses_of(model)
    assert watched == losses_of(other)


def test_modes_of_the_script_come_out_as_they_went_in() -> None:
    """The script enters a mode of its own in one step and leaves it in the next."""
    before = torch._C._len_torch_function_stack()
    with checked():
        model: Any = mlp()
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for step in range(12):
            if step % 3 == 0:
                device = torch.device("cpu")
                device.__enter__()
            inputs, labels = classes()
            loss: Any = F.cross_entropy(model(inputs), labels)
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
            if step % 3 == 1:
                device.__exit__(None, None, None)
    assert torch._C._len_torch_function_stack() == before
