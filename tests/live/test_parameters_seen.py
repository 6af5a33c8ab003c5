"""Parameters: held, changed, with a gradient, and as they were at first."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.func import functional_call

from tests.live.running import watch
from tests.live.small_runs import an_mlp, facts, train, watched


def test_a_healthy_run_is_cleared() -> None:
    hidden = [layer for _ in range(3) for layer in (nn.Linear(32, 32), nn.ReLU())]
    model = nn.Sequential(nn.Linear(8, 32), *hidden, nn.Linear(32, 4))
    known = facts(watched(lambda: train(model, torch.optim.SGD(model.parameters(), 0.1), steps=25)))
    assert known["model.in_optimizer"] is True
    assert known["model.weights_change"] is True
    for name in ("grad.missing", "grad.missing_all", "model.optimizer_duplicates", "model.optimizer_foreign",
                 "model.init_constant", "model.init_too_large", "model.init_too_small", "model.has_batchnorm"):  # fmt: skip
        assert known[name] is False, name
    assert 0.01 < known["grad.first_to_last"] < 100


def test_a_layer_that_no_optimizer_holds_is_named() -> None:
    model = an_mlp()
    known = facts(watched(lambda: train(model, torch.optim.SGD(model[0].parameters(), 0.1))))  # type: ignore[index]
    assert known["model.in_optimizer"] is False
    assert known["model.not_in_optimizer_names"] == ["2.weight", "2.bias"]


SHARDED = """
import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard

dist.init_process_group("gloo", init_method="file://" + __file__ + ".store", rank=0, world_size=1)
mesh = init_device_mesh("cpu", (1,))
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 4))
for layer in model:
    if isinstance(layer, nn.Linear):
        fully_shard(layer, mesh=mesh)
fully_shard(model, mesh=mesh)
optimizer = torch.optim.SGD(HELD, 0.1)
for _ in range(8):
    optimizer.zero_grad()
    model(torch.randn(4, 8)).square().mean().backward()
    optimizer.step()
dist.destroy_process_group()
"""


@pytest.mark.parametrize(
    ("held", "told"),
    [
        ("model.parameters()", True),
        ("model[0].parameters()", False),
        ("[*model[0].parameters(), *model[2].parameters()]", False),
    ],
)
def test_weights_that_are_gathered_from_shards_are_those_of_the_optimizer(
    held: str, told: bool, tmp_path: Path
) -> None:
    ran = watch(SHARDED.replace("HELD", held), tmp_path)
    assert (ran.code, ran.of("trouble")) == (0, []), ran.err
    assert facts([dict(one) for one in ran.of("fact")])["model.in_optimizer"] is told


def test_modules_of_several_optimizers_are_told_once() -> None:
    model = an_mlp()
    parts = [torch.optim.SGD(one.parameters(), 0.1) for one in (model[0], model[2])]  # type: ignore[index]

    def run() -> None:
        for _ in range(3):
            nn.functional.cross_entropy(model(torch.randn(4, 8)), torch.randint(0, 4, (4,))).backward()
            for one in parts:
                one.step()
                one.zero_grad()

    models = [one for one in watched(run) if one["kind"] == "model"]
    assert [one.get("again") for one in models] == [None, 1]


def test_modules_of_one_optimizer_after_the_other_are_told_once() -> None:
    model = an_mlp()

    def run() -> None:
        for _ in range(3):
            train(model, torch.optim.SGD(model.parameters(), 0.1), steps=4)
        other = an_mlp()
        train(other, torch.optim.SGD(other.parameters(), 0.1), steps=4)

    models = [one for one in watched(run) if one["kind"] == "model"]
    assert [one.get("again") for one in models] == [None, 1, 1, None]


def test_several_models_of_one_optimizer_are_told_apart_by_their_class() -> None:
    trunk, head = nn.Linear(8, 8), nn.Linear(8, 2)
    optimizer = torch.optim.SGD([*trunk.parameters(), *head.parameters()], 0.1)

    def run() -> None:
        for _ in range(8):
            optimizer.zero_grad()
            head(trunk(torch.randn(4, 8)).detach()).square().mean().backward()
            optimizer.step()

    assert facts(watched(run))["grad.missing_names"] == "Linear.weight, Linear.bias"


def test_layers_in_a_plain_list_are_named() -> None:
    class Listed(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.head = nn.Linear(8, 4)
            self.blocks = [nn.Linear(8, 8)]

        def forward(self, x: Tensor) -> Tensor:
            out: Tensor = self.head(self.blocks[0](x))
            return out

    model = Listed()
    known = facts(watched(lambda: train(model, torch.optim.SGD(model.parameters(), 0.1))))
    assert known["model.not_in_optimizer_names"] == ["blocks[0].weight", "blocks[0].bias"]


@pytest.mark.parametrize("teacher", [False, True])
def test_layers_in_a_private_list_are_named_but_for_a_network_that_is_hidden_to_stay(teacher: bool) -> None:
    class Merge(nn.Module):
        def __init__(self, branches: list[nn.Module]) -> None:
            super().__init__()
            self._layers = branches

        def forward(self, x: Tensor) -> Tensor:
            return torch.cat([one(x) for one in self._layers], 1)

    branch = nn.Sequential(nn.Linear(8, 8), nn.ReLU()).train(not teacher)
    model = nn.Sequential(Merge([branch]), nn.Linear(8, 4))
    known = facts(watched(lambda: train(model, torch.optim.SGD(model.parameters(), 0.1))))
    names = ["0._layers[0].0.weight", "0._layers[0].0.bias"]
    assert known.get("model.not_in_optimizer_names") == (None if teacher else names)


def test_a_frozen_backbone_is_no_fault() -> None:
    model = an_mlp()
    model[0].requires_grad_(False)  # type: ignore[index]
    known = facts(watched(lambda: train(model, torch.optim.SGD(model[2].parameters(), 0.1))))  # type: ignore[index]
    assert known["model.in_optimizer"] is True
    assert known["model.frozen_names"] == ["0"]
    assert known["grad.missing"] is False


def test_an_optimizer_of_a_model_made_anew_holds_foreign_parameters() -> None:
    def run() -> None:
        optimizer = torch.optim.SGD(an_mlp().parameters(), 0.1)
        train(an_mlp(), optimizer)

    known = facts(watched(run))
    assert known["model.optimizer_foreign"] is True
    assert known["grad.missing_all"] is True


@pytest.mark.parametrize(
    ("held", "how", "foreign"),
    [
        ("originals", "trained", True),
        ("copies", "trained", False),
        ("originals", "followed", False),
        ("originals", "attacked", False),
    ],
)
def test_copies_that_get_the_gradients_of_what_an_optimizer_holds(held: str, how: str, foreign: bool) -> None:
    """Not those that the script itself follows with the originals, as Reptile does, and no picture that is attacked."""

    def run() -> None:
        model = an_mlp()
        copies = {name: one.detach().clone().requires_grad_() for name, one in model.named_parameters()}
        optimizer = torch.optim.SGD(copies.values() if held == "copies" else model.parameters(), 0.1)
        for _ in range(12):
            optimizer.zero_grad()
            inputs = torch.randn(16, 8, requires_grad=how == "attacked")
            used: Any = dict(model.named_parameters()) if how == "attacked" else copies
            functional_call(model, used, (inputs,)).square().mean().backward()
            if how == "followed":
                for one, copy in zip(model.parameters(), copies.values(), strict=True):
                    one.grad = one.detach() - copy.detach()
            optimizer.step()

    assert facts(watched(run))["model.optimizer_foreign"] is foreign


@pytest.mark.parametrize("alone", [True, False])
def test_an_encoder_that_learns_from_two_losses_by_turns_is_shared(alone: bool) -> None:
    """The one optimizer holds a decoder, too; two that hold the same are one too many."""

    def run() -> None:
        encoder, decoder = an_mlp(), nn.Linear(4, 8)
        other = [] if alone else [*decoder.parameters()]
        first = torch.optim.SGD([*encoder.parameters(), *other], 0.01)
        second = torch.optim.SGD(encoder.parameters(), 0.01)
        for _ in range(12):
            for optimizer, ask in ((first, decoder), (second, torch.sin)):
                optimizer.zero_grad()
                ask(encoder(torch.randn(16, 8))).square().mean().backward()
                optimizer.step()

    known = facts(watched(run))
    assert known["model.optimizer_duplicates"] is alone
    assert known.get("model.optimizers_share") is (None if alone else True)


def test_weights_that_stay_the_same_are_told() -> None:
    model = an_mlp()
    known = facts(watched(lambda: train(model, torch.optim.SGD(model.parameters(), 1e-30))))
    assert known["model.weights_change"] is False


def test_gradients_that_fade_towards_the_first_layers_are_measured() -> None:
    layers = [layer for _ in range(8) for layer in (nn.Linear(8, 8), nn.Sigmoid())]
    model = nn.Sequential(*layers, nn.Linear(8, 4))
    assert (
        facts(watched(lambda: train(model, torch.optim.SGD(model.parameters(), 0.1))))["grad.first_to_last"]
        < 1e-3
    )


@pytest.mark.parametrize(("depth", "factor", "sound"), [(2, 1e4, True), (2, 1.0, True), (10, 1.0, False)])
def test_the_gradients_of_the_first_step_tell_what_depth_leaves_of_them(
    depth: int, factor: float, sound: bool
) -> None:
    act = nn.Tanh if depth == 2 else nn.Sigmoid
    hidden = [layer for _ in range(depth) for layer in (nn.Linear(16, 16), act())]
    model = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), *hidden, nn.Linear(16, 4))

    def run() -> None:
        optimizer = torch.optim.SGD(model.parameters(), 0.01)
        train(model, optimizer, steps=2)
        with torch.no_grad():
            model[0].weight.mul_(factor)  # type: ignore[operator]
        train(model, optimizer, steps=50)

    known = facts(watched(run))
    assert (known["grad.first_to_last_at_start"] >= 0.01) is sound
    assert known["grad.early_layers_small"] is (factor > 1.0 or not sound)


def test_each_parameter_with_nan_in_its_gradient_is_named_in_the_step_where_it_appears() -> None:
    model = an_mlp()
    optimizer = torch.optim.SGD(model.parameters(), 0.1)

    def run() -> None:
        train(model, optimizer, steps=40)
        model[2].weight.register_hook(lambda gradient: gradient * float("nan"))  # type: ignore[index]
        train(model, optimizer, steps=21)

    found = [one for one in watched(run) if one.get("name") == "grad.nonfinite_names"]
    assert [(one["value"], one["step"]) for one in found][:1] == [(["2.weight"], 41)]


@pytest.mark.parametrize(
    ("spoil", "name"),
    [
        (lambda weight: weight.fill_(0.1), "model.init_constant"),
        (lambda weight: weight.normal_(0, 5), "model.init_too_large"),
        (lambda weight: weight.normal_(0, 1e-4), "model.init_too_small"),
    ],
)
def test_first_weights_that_stand_out_are_told(spoil: Callable[[Tensor], Tensor], name: str) -> None:
    model = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 4))
    with torch.no_grad():
        for layer in (model[0], model[2]):
            spoil(layer.weight)  # type: ignore[arg-type]
    known = facts(watched(lambda: train(model, torch.optim.SGD(model.parameters(), 0.01), steps=3)))
    assert known[name] is True


@pytest.mark.parametrize(
    ("spread", "loaded", "too_large"), [(5.0, True, False), (5.0, False, True), (0.1, True, False)]
)
def test_weights_that_a_saved_state_brings_were_widened_by_training(
    spread: float, loaded: bool, too_large: bool
) -> None:
    def a_model() -> nn.Sequential:
        return nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 4))

    saved = {name: torch.randn_like(one) * spread for name, one in a_model().state_dict().items()}

    def run() -> None:
        model = a_model()
        if loaded:
            model.load_state_dict(saved)
        else:
            for layer in (model[0], model[2]):
                nn.init.normal_(layer.weight, std=spread)  # type: ignore[arg-type]
        train(model, torch.optim.SGD(model.parameters(), 0.01), steps=3)

    assert facts(watched(run))["model.init_too_large"] is too_large


def test_a_new_head_on_loaded_weights_is_still_looked_at() -> None:
    def run() -> None:
        model = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 64))
        model.load_state_dict({"0.weight": torch.randn(64, 8) * 5, "0.bias": torch.zeros(64)}, strict=False)
        nn.init.normal_(model[2].weight, std=5.0)  # type: ignore[arg-type]
        train(model, torch.optim.SGD(model.parameters(), 1e-4), steps=3)

    found = watched(run)
    assert facts(found)["model.init_module"] == "2"


@pytest.mark.parametrize("by_hand", [False, True], ids=["frozen", "an average of another"])
def test_a_last_layer_that_the_script_moves_by_hand_is_not_frozen(by_hand: bool) -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 128))
    model[2].requires_grad_(False)
    optimizer = torch.optim.SGD(model[0].parameters(), 0.01)

    def run() -> None:
        for _ in range(12):
            train(model, optimizer, steps=1)
            if by_hand:
                model[2].weight.data.mul_(0.99)  # type: ignore[operator]

    assert facts(watched(run))["model.head_frozen"] is not by_hand


def test_a_small_last_layer_that_trains_is_the_last_one() -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 4))
    model[2].requires_grad_(False)
    optimizer = torch.optim.SGD([one for one in model.parameters() if one.requires_grad], 0.01)
    assert facts(watched(lambda: train(model, optimizer, steps=12)))["model.head_frozen"] is False


def test_a_frozen_last_layer_with_matrices_that_train_beside_it_is_adapted() -> None:
    class Beside(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = nn.Linear(64, 32).requires_grad_(False)
            self.down, self.up = nn.Parameter(torch.randn(2, 64)), nn.Parameter(torch.zeros(32, 2))

        def forward(self, x: Tensor) -> Tensor:
            low: Tensor = x @ self.down.T @ self.up.T
            out: Tensor = self.layer(x) + low
            return out

    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), Beside())
    optimizer = torch.optim.SGD([one for one in model.parameters() if one.requires_grad], 0.01)
    assert facts(watched(lambda: train(model, optimizer, steps=12)))["model.head_frozen"] is False


def free(weight: Tensor) -> None:
    weight.data = torch.empty(0)


def give_back(weight: Tensor) -> None:
    weight.untyped_storage().resize_(0)


def halve(weight: Tensor) -> None:
    weight.data = weight.data.half()


@pytest.mark.parametrize("change", [free, give_back, halve])
def test_a_frozen_weight_that_is_freed_or_cast_is_not_moved_by_hand(change: Callable[[Tensor], None]) -> None:
    torch.manual_seed(0)
    model: Any = nn.Module()
    model.net, model.encoder = an_mlp(), nn.Linear(64, 128).requires_grad_(False)
    optimizer = torch.optim.SGD(model.net.parameters(), 0.01)

    def run() -> None:
        for step in range(12):
            train(model.net, optimizer, steps=1)
            if step == 1:
                change(model.encoder.weight)

    known = facts(watched(run))
    assert known["model.head_frozen"] is True
    assert known["model.frozen_random"] is True


def test_an_optimizer_that_finds_no_gradient_any_more_is_told() -> None:
    model, other = an_mlp(), nn.Parameter(torch.zeros(1))
    optimizer = torch.optim.SGD(model.parameters(), 0.1)

    def run() -> None:
        train(model, optimizer, steps=6)
        for _ in range(14):
            optimizer.zero_grad()
            (model(torch.randn(16, 8)).detach() + other).sum().backward()
            optimizer.step()

    assert facts(watched(run)).get("grad.lost") is True
    assert "grad.lost" not in facts(watched(lambda: train(model, optimizer, steps=20)))


class Tied(nn.Module):
    """Tells the next token, with the weight of its embedding as that of its last layer."""

    def __init__(self, spread: float) -> None:
        super().__init__()
        self.embedding, self.head = nn.Embedding(40, 64), nn.Linear(64, 40)
        nn.init.normal_(self.embedding.weight, std=spread)
        self.head.weight = self.embedding.weight

    def forward(self, inputs: Tensor) -> Tensor:
        scores: Tensor = self.head(self.embedding((inputs[:, 0] > 0).long()))
        return scores


@pytest.mark.parametrize(("spread", "said"), [(1.0, "head"), (0.02, None)])
def test_a_last_layer_with_the_weight_of_an_embedding_may_start_too_wide(
    spread: float, said: str | None
) -> None:
    model = Tied(spread)
    known = facts(watched(lambda: train(model, torch.optim.SGD(model.parameters(), 0.01), steps=6)))
    assert known.get("model.init_tied_wide") == said


def test_tasks_that_take_turns_with_heads_of_their_own_outgrow_nothing() -> None:
    """Each time an optimizer for the trunk and one of the heads, and the one before is gone."""
    trunk = nn.Sequential(nn.Linear(8, 16), nn.ReLU())
    heads = nn.ModuleList(nn.Linear(16, 4) for _ in range(4))

    def run() -> None:
        for task in range(7):
            head = heads[task % 4]
            optimizer = torch.optim.Adam([*trunk.parameters(), *head.parameters()], lr=1e-3)
            for _ in range(150):
                optimizer.zero_grad()
                head(trunk(torch.randn(16, 8))).square().mean().backward()
                optimizer.step()

    known = facts(watched(run))
    assert known.get("model.outgrew_optimizer") is not True
    assert known.get("model.in_optimizer") is not False
