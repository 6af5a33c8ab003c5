"""What the sampled steps see in inputs, activations, outputs and gradients."""

from __future__ import annotations

import copy
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from tests.live.checking import checked, classes, mlp, numbers, train
from tests.live.looking import Said


def scaled(factor: float, offset: float = 0.0) -> Any:
    def batch() -> tuple[torch.Tensor, torch.Tensor]:
        inputs, labels = classes()
        return factor * inputs + offset, labels

    return batch


# -- inputs


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


# -- activations


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


# -- outputs


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


# -- gradients


def deep(depth: int = 12) -> nn.Sequential:
    layers = [layer for _ in range(depth) for layer in (nn.Linear(16, 16), nn.Sigmoid())]
    return nn.Sequential(nn.Linear(8, 16), *layers, nn.Linear(16, 4))


def test_gradients_that_vanish_in_depth_are_seen() -> None:
    said = train(deep(), nn.CrossEntropyLoss())
    assert said["grad.early_layers_small"] is True
    assert said["grad.vanishing"] is True
    assert said["grad.vanishing_module"] == "0.weight"
    assert train(mlp(), nn.CrossEntropyLoss())["grad.vanishing"] is False


class _Residual(nn.Module):
    """Blocks whose last layer starts at zero, as that of the whole does."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.last = nn.Linear(8, 16), nn.Linear(16, 1)
        self.blocks = nn.ModuleList(
            [nn.Sequential(nn.Linear(16, 16), nn.SiLU(), nn.Linear(16, 16)) for _ in range(3)]
        )
        layers: list[Any] = [self.last, *(list(block.children())[-1] for block in self.blocks)]
        for layer in layers:
            nn.init.zeros_(layer.weight)
            nn.init.zeros_(layer.bias)

    def forward(self, inputs: Any) -> Any:
        hidden = self.first(inputs)
        for block in self.blocks:
            hidden = hidden + block(hidden)
        return self.last(hidden)


def warmed_up(model: Any, steps: int, over: int = 10_000) -> Said:
    with checked() as said:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        rates = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1.0, (step + 1) / over))
        for _ in range(steps):
            inputs, targets = numbers()
            optimizer.zero_grad()
            F.mse_loss(model(inputs), targets).backward()
            optimizer.step()
            rates.step()
    return said


@pytest.mark.parametrize(("steps", "over"), [(12, 10_000), (60, 1_000)])
def test_weights_that_leave_zero_while_the_rate_warms_up_do_not_vanish(steps: int, over: int) -> None:
    said = warmed_up(_Residual(), steps, over)
    assert said["grad.early_layers_small"] is False
    assert said["grad.vanishing"] is False


def test_a_vanishing_gradient_that_is_over_is_taken_back() -> None:
    model: Any = deep(4)
    with checked() as said:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        for step in range(60):
            inputs, labels = classes()
            cut = 1e-9 if step < 12 else 1.0
            hidden = model[1](model[0](inputs))
            hidden = cut * hidden + (1 - cut) * hidden.detach()
            optimizer.zero_grad()
            F.cross_entropy(model[2:](hidden), labels).backward()
            optimizer.step()
            if step == 15:
                assert said["grad.vanishing"] is True
    assert said["grad.vanishing"] is False
    assert "grad.vanishing_module" not in said.facts


def test_a_loss_near_zero_is_no_vanishing_gradient() -> None:
    inputs = torch.randn(32, 8)
    model: Any = mlp(8, 1)
    target = model(inputs).detach()
    said = train(model, nn.MSELoss(), lambda: (inputs, target))
    assert said.facts.get("grad.vanishing") is not True


def test_gradients_that_explode_are_named() -> None:
    said = train(mlp(8, 1), lambda out, y: 1e6 * F.mse_loss(out, y), numbers, lr=1e-12)
    assert said["grad.exploding_module"] == "0.weight"
    assert "grad.exploding_module" not in train(mlp(8, 1), nn.MSELoss(), numbers).facts


def test_layers_whose_task_is_solved_in_the_end_do_not_vanish() -> None:
    model: Any = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 16), nn.ReLU())
    heads: Any = nn.ModuleList([nn.Linear(16, 4), nn.Linear(16, 4)])
    with checked() as said:
        optimizer = torch.optim.SGD([*model.parameters(), *heads.parameters()], lr=0.01)
        for step in range(1, 1101):
            inputs, labels = classes()
            hidden = model(inputs)
            solved = step >= 900
            optimizer.zero_grad()
            loss: Any = F.cross_entropy(heads[0](hidden), labels) * (1e-9 if solved else 1.0)
            (loss + F.cross_entropy(heads[1](hidden.detach()), labels)).backward()
            optimizer.step()
    assert said["grad.early_layers_small"] is False


@pytest.mark.parametrize("buffers", [False, True])
def test_a_running_mean_of_the_weights_alone_leaves_batch_normalisation_behind(buffers: bool) -> None:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first, self.norm, self.last = nn.Linear(8, 16), nn.BatchNorm1d(16), nn.Linear(16, 4)

        def forward(self, x: Any) -> Any:
            return self.last(torch.relu(self.norm(self.first(x))))

    model = Net()
    mean = copy.deepcopy(model).eval()
    with checked() as said:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
        for step in range(60):
            inputs, labels = classes()
            optimizer.zero_grad()
            F.cross_entropy(model(inputs), labels).backward()
            optimizer.step()
            with torch.no_grad():
                for ours, theirs in zip(mean.parameters(), model.parameters(), strict=True):
                    ours.lerp_(theirs, 0.1)
                if buffers:
                    mean.norm.load_state_dict(model.norm.state_dict())
                if step % 20 == 19:
                    mean(inputs)
    assert said["model.batchnorm_left_behind"] is not buffers


class Reader(nn.Module):
    """Reads sequences of 6 with attention, and gives 4 scores of each."""

    def __init__(self, batch_first: bool, turned: bool) -> None:
        super().__init__()
        self.turned = turned
        self.encoder = nn.TransformerEncoderLayer(8, 2, 16, batch_first=batch_first)
        self.last = nn.Linear(8, 4)

    def forward(self, x: Any) -> Any:
        if self.turned:
            return self.last(self.encoder(x.transpose(0, 1))[0])
        return self.last(self.encoder(x)[:, 0])


@pytest.mark.parametrize(
    ("batch_first", "turned", "told"), [(False, False, True), (True, False, False), (False, True, False)]
)
def test_attention_over_the_samples_of_a_batch_is_seen(batch_first: bool, turned: bool, told: bool) -> None:
    said = train(
        Reader(batch_first, turned),
        nn.CrossEntropyLoss(),
        lambda: (torch.randn(16, 6, 8), torch.randint(0, 4, (16,))),
    )
    assert said["model.attention_over_batch"] is told


def test_sequences_that_stand_first_from_the_beginning_are_attended_to_as_meant() -> None:
    class First(Reader):
        def forward(self, x: Any) -> Any:
            return self.last(self.encoder(x)[0])

    said = train(
        First(False, False),
        nn.CrossEntropyLoss(),
        lambda: (torch.randn(6, 16, 8), torch.randint(0, 4, (16,))),
    )
    assert said.facts.get("model.attention_over_batch") is not True


# -- axes


class Pictures(nn.Module):
    """Turns (height, width, channels) in some way, and reads it with a convolution."""

    def __init__(self, turn: Any, channels: int) -> None:
        super().__init__()
        self.turn = turn
        self.net = nn.Sequential(nn.Conv2d(channels, 4, 3), nn.Flatten(), nn.LazyLinear(4))

    def forward(self, x: Any) -> Any:
        return self.net(self.turn(x) / 2 - 1)


@pytest.mark.parametrize(
    ("channels", "turn", "told"),
    [
        (3, lambda x: x.reshape(-1, 3, 8, 6), True),
        (3, lambda x: x.view(len(x), 3, 6, 8), True),
        (3, lambda x: x.permute(0, 3, 1, 2), None),
        (1, lambda x: x.reshape(-1, 1, 8, 6), None),
        (3, lambda x: x.permute(0, 3, 1, 2).flatten(1).view(-1, 3, 8, 6), None),
    ],
)
def test_axes_that_change_places_by_a_reshape_are_seen(channels: int, turn: Any, told: bool | None) -> None:
    model = Pictures(turn, channels)
    model(torch.randn(2, 8, 6, channels))
    said = train(
        model,
        nn.CrossEntropyLoss(),
        lambda: (torch.randn(16, 8, 6, channels), torch.randint(0, 4, (16,))),
    )
    assert said.facts.get("data.axes_swapped_by_reshape") is told


# -- it changes nothing


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


def test_scores_of_places_that_stand_first_tell_nothing() -> None:
    class Tagger(Reader):
        """Scores for each place of sequences that stand first, as (sequence, classes, batch)."""

        def forward(self, x: Any) -> Any:
            return self.last(self.encoder(x)).permute(0, 2, 1)

    said = train(
        Tagger(False, False),
        nn.CrossEntropyLoss(),
        lambda: (torch.randn(6, 16, 8), torch.randint(0, 4, (6, 16))),
    )
    assert said.facts.get("model.attention_over_batch") is None
