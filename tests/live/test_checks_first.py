"""What was wrong before the step that shows it: weights that start at zero, weights that are lost, small batches of pictures."""

from __future__ import annotations

from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from tests.live import checking
from tests.live.checking import checked, classes, mlp
from tests.live.looking import watched
from traindx.probes.live.observer import parts


@pytest.fixture
def every_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checking, "CHECKS", parts.PARTS)


class Adapted(nn.Module):
    """A dense layer with a low-rank correction: `first` and `second` give the start of its factors."""

    def __init__(self, first: float, second: float) -> None:
        super().__init__()
        self.base = nn.Linear(8, 4)
        self.down = nn.Parameter(torch.randn(2, 8) * first)
        self.up = nn.Parameter(torch.randn(4, 2) * second)

    def forward(self, inputs: Any) -> Any:
        return self.base(inputs) + inputs @ self.down.T @ self.up.T


def fit(model: nn.Module, steps: int = 24, weight: float = 1.0) -> Any:
    with checked() as said:
        optimizer = torch.optim.SGD([one for one in model.parameters() if one.requires_grad], lr=0.05)
        for _ in range(steps):
            inputs, labels = classes()
            optimizer.zero_grad()
            (weight * F.cross_entropy(model(inputs), labels)).backward()
            optimizer.step()
    return said


@pytest.mark.usefixtures("every_part")
@pytest.mark.parametrize("frozen", [False, True], ids=["base trains", "base frozen"])
def test_two_factors_that_start_at_zero_are_named(frozen: bool) -> None:
    model = Adapted(0.0, 0.0)
    model.base.requires_grad_(not frozen)
    assert fit(model)["model.init_product_zero"] == "down and up"


@pytest.mark.usefixtures("every_part")
def test_two_layers_in_a_row_that_start_at_zero_are_named() -> None:
    model = nn.Sequential(nn.Linear(8, 16, bias=False), nn.GELU(), nn.Linear(16, 4))
    nn.init.zeros_(model[0].weight)  # type: ignore[arg-type]
    nn.init.zeros_(model[2].weight)  # type: ignore[arg-type]
    assert fit(model)["model.init_product_zero"] == "0.weight and 2.weight"


@pytest.mark.usefixtures("every_part")
@pytest.mark.parametrize("start", [(1.0, 0.0), (0.0, 1.0)], ids=["second", "first"])
def test_one_factor_at_zero_is_how_adapters_start(start: tuple[float, float]) -> None:
    assert "model.init_product_zero" not in fit(Adapted(*start)).facts


class OwnDense(nn.Module):
    """A dense layer of another class than torch's, as some model libraries have their own, with an adapter of two of torch's."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(8, 64) * 0.3, requires_grad=False)
        self.lora_A = nn.ModuleDict({"default": nn.Linear(8, 2, bias=False)})
        self.lora_B = nn.ModuleDict({"default": nn.Linear(2, 256, bias=False)})
        nn.init.zeros_(self.lora_B["default"].weight)  # type: ignore[arg-type]

    def forward(self, inputs: Any) -> Any:
        own = (inputs @ self.weight).repeat(1, 4)
        return (own + self.lora_B["default"](self.lora_A["default"](inputs)))[:, :4]


@pytest.mark.usefixtures("every_part")
def test_the_second_layers_of_adapters_may_be_all_that_is_read_of_a_model() -> None:
    assert fit(OwnDense())["model.init_constant"] is False


@pytest.mark.usefixtures("every_part")
def test_layers_that_train_and_start_at_zero_in_a_whole_model_are_named() -> None:
    model = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 4))
    for layer in (model[0], model[2]):
        nn.init.zeros_(layer.weight)  # type: ignore[arg-type]
    assert fit(model)["model.init_constant"] is True


class Shard(torch.Tensor):
    """A part of a weight that is spread over ranks."""


@pytest.mark.usefixtures("every_part")
def test_the_part_of_a_weight_on_one_rank_may_be_zero() -> None:
    model = Adapted(0.0, 0.0)
    model.down = nn.Parameter(model.down.detach().as_subclass(Shard))
    model.up = nn.Parameter(model.up.detach().as_subclass(Shard))
    facts = fit(model).facts
    assert "model.init_product_zero" not in facts
    assert "grad.zero_names" not in facts


@pytest.mark.usefixtures("every_part")
def test_whether_weights_are_zero_is_asked_in_one_step_and_read_in_the_next() -> None:
    model, seen = Adapted(0.0, 0.0), []
    with checked() as said:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
        for _ in range(21):
            inputs, labels = classes()
            optimizer.zero_grad()
            loss: Any = F.cross_entropy(model(inputs), labels)
            loss.backward()
            optimizer.step()
            seen.append("model.init_product_zero" in said.facts)
    assert seen.index(True) + 1 == 21


@pytest.mark.usefixtures("every_part")
def test_a_loss_that_is_switched_off_accuses_no_weights() -> None:
    model = Adapted(1.0, 0.0)
    model.base.requires_grad_(False)
    assert "model.init_product_zero" not in fit(model, weight=0.0).facts


# -- weights that are lost


def test_a_sample_of_a_generator_whose_weights_are_lost_is_no_bad_batch() -> None:
    generator, critic = mlp(4, 6), mlp(6, 1)
    with watched() as said:
        first = torch.optim.SGD(generator.parameters(), lr=0.01)
        second = torch.optim.SGD(critic.parameters(), lr=0.01)
        for step in range(20):
            fake = generator(torch.randn(16, 4))
            second.zero_grad()
            F.softplus(critic(fake.detach())).mean().backward()
            second.step()
            first.zero_grad()
            F.softplus(-critic(fake)).mean().backward()
            first.step()
            if step == 10:
                with torch.no_grad():
                    generator[0].weight.fill_(torch.nan)
    assert said["model.weights_nonfinite"] is True
    assert said.facts.get("data.inputs.nonfinite") is not True


# -- batch normalisation


@pytest.mark.parametrize(("size", "values"), [(2, 2 * 8 * 8), (1, 64)])
def test_the_values_that_a_norm_averages_over_are_counted(size: int, values: int) -> None:
    model = nn.Sequential(nn.Conv2d(1, 4, 3, padding=1), nn.BatchNorm2d(4), nn.Flatten(), nn.Linear(256, 4))

    def batch() -> Any:
        return torch.randn(size, 1, 8, 8), torch.randint(0, 4, (size,))

    said = checking.train(model, F.cross_entropy, batch)
    assert said["model.batchnorm_values"] == values


@pytest.mark.usefixtures("every_part")
def test_a_norm_in_evaluation_mode_averages_over_nothing() -> None:
    model = nn.Sequential(nn.Linear(8, 4), nn.BatchNorm1d(4))
    model[1].eval()
    said = checking.train(model, F.cross_entropy)
    assert "model.batchnorm_values" not in said.facts
    assert "model.batchnorm_batch" not in said.facts


# -- the same batch


def test_an_evaluation_that_records_its_graph_is_not_the_batch_of_the_step() -> None:
    model, data = mlp(), torch.randn(200, 8)
    with checked() as said:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        for _ in range(24):
            optimizer.zero_grad()
            model(data[torch.randint(0, 100, (32,))]).pow(2).mean().backward()
            optimizer.step()
            model(data[150:182])
    assert said["data.same_batch"] is False


@pytest.mark.parametrize("held_out", [False, True], ids=["nothing beside it", "the rest held out"])
def test_a_fixed_part_of_a_set_is_a_fault_unless_the_rest_is_a_part_as_well(held_out: bool) -> None:
    model, data = mlp(), torch.randn(200, 8)
    part = data[:40]
    rest = data[40:] if held_out else None
    with checked() as said:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        for _ in range(24):
            optimizer.zero_grad()
            model(part).pow(2).mean().backward()
            optimizer.step()
    assert (rest is not None) is held_out
    assert said.facts.get("data.same_batch", False) is not held_out
