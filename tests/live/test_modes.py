"""Which modules behave differently in training and in evaluation."""

from __future__ import annotations

from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from traindx.probes.live.observer.checks.noisy import is_noisy

from .checking import checked, mlp
from .looking import Said


class Dropping(nn.Module):
    def __init__(self, p: float) -> None:
        super().__init__()
        self.p = p

    def forward(self, x: Any) -> Any:
        return F.dropout(x, self.p, self.training)


class WithLayer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.dropout = nn.Dropout(0.0)

    def forward(self, x: Any) -> Any:
        return self.dropout(F.relu(x)) if self.training else x


class Own(nn.Dropout):
    pass


@pytest.mark.parametrize(
    "module", [nn.Dropout(0.1), nn.BatchNorm2d(3), Dropping(0.5), Own(0.2), nn.LSTM(2, 2, 2, dropout=0.3)]
)
def test_what_draws_or_counts_in_training_is_noisy(module: nn.Module) -> None:
    assert is_noisy(module)


@pytest.mark.parametrize(
    "module", [nn.Dropout(0.0), Dropping(0.0), Own(0.0), WithLayer(), nn.LSTM(2, 2), nn.Linear(2, 2)]
)
def test_what_drops_nothing_is_not(module: nn.Module) -> None:
    assert not is_noisy(module)


def test_a_recurrent_layer_drops_between_its_layers_only() -> None:
    with pytest.warns(UserWarning, match="dropout"):
        layer = nn.LSTM(2, 2, num_layers=1, dropout=0.3)
    assert not is_noisy(layer)


def test_a_scripted_module_can_be_asked() -> None:
    with pytest.warns(DeprecationWarning, match="script"):
        assert not is_noisy(torch.jit.script(nn.Linear(2, 2)))


def noisy() -> Any:
    return nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Dropout(0.2), nn.Linear(16, 4))


@pytest.mark.parametrize(("rate", "told"), [(0.2, 0.2), (0.0, None)])
def test_how_much_is_dropped_is_read_from_the_layers(rate: float, told: float | None) -> None:
    model = nn.Sequential(nn.Linear(8, 4), nn.Dropout(rate))
    with checked("models.Models") as said:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        model(torch.randn(4, 8)).square().mean().backward()
        optimizer.step()
    assert said.facts.get("config.dropout") == told


def steps(loss: Any, parameters: Any, count: int = 12) -> Said:
    with checked() as said:
        optimizer = torch.optim.SGD(parameters, lr=0.01)
        for _ in range(count):
            optimizer.zero_grad()
            loss().backward()
            optimizer.step()
    return said


def test_a_frozen_model_that_a_prompt_is_trained_for_is_in_eval_mode_on_purpose() -> None:
    model, prompt = noisy().eval().requires_grad_(False), nn.Parameter(torch.zeros(8))
    said = steps(lambda: model(torch.randn(4, 8) + prompt).square().mean(), [prompt])
    assert said.facts.get("model.eval_mode_in_training") is not True


def test_what_runs_in_eval_mode_and_feeds_the_loss_is_no_evaluation() -> None:
    trunk, head = noisy().eval(), nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.1))
    parameters = [*trunk.parameters(), *head.parameters()]
    said = steps(lambda: head(trunk(torch.randn(4, 8))).square().mean(), parameters)
    assert said.facts.get("model.grad_in_eval") is not True


@pytest.mark.parametrize(("adapts", "told"), [(True, False), (False, True)])
def test_an_evaluation_that_asks_for_gradients_needs_its_graph(adapts: bool, told: bool) -> None:
    model = mlp()
    with checked() as said:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        for step in range(60):
            optimizer.zero_grad()
            model(torch.randn(4, 8)).square().mean().backward()
            optimizer.step()
            for _ in range(8 if step % 20 == 19 else 0):
                first = model(torch.randn(4, 8)).square().mean()
                if adapts:
                    torch.autograd.grad(first, list(model.parameters()))
    assert (said.facts.get("model.grad_in_eval") is True) is told


def test_several_forwards_of_the_same_inputs_sample_the_dropout() -> None:
    model, held_out = noisy(), torch.randn(16, 8)

    def loss() -> Any:
        with torch.no_grad():
            for _ in range(8):
                model(held_out)
        return model(torch.randn(4, 8)).square().mean()

    assert steps(loss, model.parameters(), 30).facts.get("model.train_mode_in_eval") is not True


@pytest.mark.parametrize(("momentum", "told"), [(None, False), (0.1, True)])
@pytest.mark.parametrize("graphs", [True, False])
def test_passes_that_only_make_the_averages_of_norm_layers_are_no_evaluation(
    momentum: float | None, told: bool, graphs: bool
) -> None:
    model = nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.2), nn.Linear(16, 4))
    with checked() as said:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        for _ in range(20):
            optimizer.zero_grad()
            model(torch.randn(4, 8)).square().mean().backward()
            optimizer.step()
        model[1].momentum = momentum  # type: ignore[assignment]
        with torch.set_grad_enabled(graphs):
            for _ in range(8):
                model(torch.randn(4, 8))
    assert (said.facts.get("model.train_mode_in_eval") is True) is told
    assert (said.facts.get("model.grad_in_eval") is True) is (told and graphs)


@pytest.mark.parametrize(("weight", "turned"), [(0.05, True), (20.0, False)])
def test_a_weight_that_makes_a_rare_class_count_less_is_turned_round(weight: float, turned: bool) -> None:
    model, loss = mlp(8, 1), nn.BCEWithLogitsLoss(pos_weight=torch.tensor([weight]))
    said = steps(
        lambda: loss(model(torch.randn(200, 8)), (torch.rand(200, 1) < 0.05).float()), model.parameters()
    )
    assert said["loss.class_weights_inverted"] is turned


SHARES = torch.tensor([0.7, 0.2, 0.1])


@pytest.mark.parametrize(
    ("weights", "drawn", "turned"),
    [
        (SHARES, SHARES, True),
        (SHARES.sqrt(), SHARES, True),
        (1 / SHARES, SHARES, False),
        # Two of three weigh the same, what weighs nothing is left out, and a sampler may have made the classes even.
        (torch.tensor([1.0, 1.0, 0.1]), SHARES, False),
        (torch.tensor([0.0, 1.0, 3.0]), SHARES, None),
        (SHARES, torch.full((3,), 1 / 3), None),
    ],
)
def test_weights_of_classes_that_follow_their_shares_are_turned_round(
    weights: torch.Tensor, drawn: torch.Tensor, turned: bool | None
) -> None:
    model, loss = mlp(8, 3), nn.CrossEntropyLoss(weight=weights)
    said = steps(
        lambda: loss(model(torch.randn(300, 8)), torch.multinomial(drawn, 300, replacement=True)),
        model.parameters(),
    )
    assert said.facts.get("loss.class_weights_inverted") is turned


def test_a_state_of_which_nothing_fits_is_counted() -> None:
    model = mlp()
    state = {f"module.{name}": one for name, one in model.state_dict().items()}
    with checked("loading.Loading") as said:
        model.load_state_dict(state, strict=False)
    assert (said["checkpoint.items_loaded"], said["checkpoint.items_total"]) == (0, 4)


@pytest.mark.parametrize("part", [None, "model", "trunk"])
def test_an_empty_state_brings_nothing_unless_another_brings_a_part_of_the_model(part: str | None) -> None:
    """A filter that knows another prefix leaves nothing; the state of a trunk leaves nothing for a new head."""
    with checked("loading.Loading") as said:
        model = mlp()
        if part == "trunk":
            model[0].load_state_dict(mlp()[0].state_dict())
            model[2].load_state_dict({}, strict=False)
        else:
            model.load_state_dict({}, strict=False)
        if part == "model":
            model.load_state_dict(mlp().state_dict())
    loaded = (said.facts.get("checkpoint.items_loaded"), said.facts.get("checkpoint.items_total"))
    assert loaded == ((0, 4) if part is None else (None, None))


@pytest.mark.parametrize(
    ("also", "left_out"), [(None, ["2.bias", "2.weight"]), ("file", None), ("hand", None), ("trained", None)]
)
def test_a_state_that_lacks_what_was_trained_is_told_unless_it_comes_otherwise(
    also: str | None, left_out: list[str] | None
) -> None:
    model, other = mlp(), mlp()
    with checked("loading.Loading") as said:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        for _ in range(3):
            optimizer.zero_grad()
            model(torch.randn(4, 8)).square().mean().backward()
            optimizer.step()
        state = {name: one for name, one in model.state_dict().items() if name.startswith("0.")}
        other.load_state_dict(state, strict=False)
        if also == "file":
            other[2].load_state_dict(model[2].state_dict())
        elif also == "hand":
            with torch.no_grad():
                for ours, theirs in zip(other[2].parameters(), model[2].parameters(), strict=True):
                    ours.copy_(theirs)
        elif also == "trained":
            anew = torch.optim.SGD(other.parameters(), lr=0.01)
            for _ in range(3):
                anew.zero_grad()
                other(torch.randn(4, 8)).square().mean().backward()
                anew.step()
    assert said.facts.get("checkpoint.trained_left_out") == left_out


@pytest.mark.parametrize("inverted", [True, False])
def test_a_padding_mask_that_says_what_to_keep_hides_the_samples_without_padding(inverted: bool) -> None:
    layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
    padded = torch.zeros(4, 6, dtype=torch.bool)
    padded[1:, 4:] = True
    said = steps(
        lambda: (
            layer(torch.randn(4, 6, 8), src_key_padding_mask=~padded if inverted else padded).square().mean()
        ),
        layer.parameters(),
    )
    assert said["act.fully_masked_row"] is inverted
