"""`traindx.watch`, the callbacks of the training libraries, and what the always-on parts say of small runs."""

from __future__ import annotations

import copy
import json
import pickle
import sys
import types
from collections.abc import Callable
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from torch import Tensor, nn

import traindx
from traindx.probes.live.observer.journal import Journal
from traindx.probes.live.observer.watcher import install

Record = dict[str, Any]


def an_mlp() -> nn.Module:
    return nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4))


def train(model: nn.Module, optimizer: Any, steps: int = 12, samples: int = 16) -> None:
    for _ in range(steps):
        optimizer.zero_grad()
        x, y = torch.randn(samples, 8), torch.randint(0, 4, (samples,))
        nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()


def watched(run: Callable[[], object]) -> list[Record]:
    torch.manual_seed(0)
    lines: list[bytes] = []
    watcher = install(torch, Journal(lines.append), {})
    try:
        run()
    finally:
        watcher.close()
    records = [json.loads(line) for line in lines]
    assert [one for one in records if one["kind"] == "trouble"] == []
    return records


def facts(records: list[Record]) -> Record:
    return {one["name"]: one["value"] for one in records if one["kind"] == "fact"}


def column(records: list[Record], name: str) -> list[Any]:
    return [
        value
        for one in records
        if one["kind"] == "steps"
        for value in one.get(name, [None] * len(one["step"]))
    ]


# -- the steps


def test_every_step_has_its_loss_norm_rate_and_times() -> None:
    model = an_mlp()
    records = watched(lambda: train(model, torch.optim.SGD(model.parameters(), 0.1)))
    assert column(records, "step") == list(range(1, 13))
    assert all(
        isinstance(one, float)
        for name in ("loss", "grad_norm", "forward_seconds")
        for one in column(records, name)
    )
    assert set(column(records, "learning_rate")) == {0.1}


def test_the_norm_is_that_of_all_gradients() -> None:
    model = an_mlp()
    optimizer = torch.optim.SGD(model.parameters(), 0.0)
    records = watched(lambda: train(model, optimizer, steps=1))
    gradients = [one.grad for one in model.parameters() if one.grad is not None]
    expected = torch.cat([one.reshape(-1) for one in gradients]).norm().item()
    assert column(records, "grad_norm") == [pytest.approx(expected, rel=1e-6)]


def test_steps_that_a_grad_scaler_leaves_out_are_marked_and_the_loss_is_the_unscaled_one() -> None:
    model = an_mlp()
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    scaler = torch.amp.GradScaler("cpu", init_scale=2.0**127)
    losses: list[float] = []

    def run() -> None:
        for _ in range(4):
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(torch.randn(4, 8)), torch.randint(0, 4, (4,)))
            losses.append(loss.item())
            scaler.scale(loss * 2**10).backward()
            scaler.step(optimizer)
            scaler.update()

    records = watched(run)
    assert column(records, "skipped")[0] is True
    assert column(records, "loss_scale")[:2] == [2.0**127, 2.0**126]
    assert [one / 2**10 for one in column(records, "loss")] == pytest.approx(losses)
    assert "grad.nonfinite_names" not in facts(records)


def test_optimizers_are_told_apart() -> None:
    one, other = an_mlp(), nn.Linear(8, 4)

    def run() -> None:
        optimizers = torch.optim.SGD(one.parameters(), 0.1), torch.optim.Adam(other.parameters(), 0.01)
        for _ in range(3):
            for model, optimizer in zip((one, other), optimizers, strict=True):
                train(model, optimizer, steps=1)

    records = watched(run)
    assert column(records, "optimizer") == [1, 2] * 3
    assert [record["class"] for record in records if record["kind"] == "optimizer"] == ["SGD", "Adam"]


def test_the_last_steps_are_written_where_the_loop_raises() -> None:
    model = an_mlp()
    lines: list[bytes] = []
    watcher = install(torch, Journal(lines.append), {})
    train(model, torch.optim.SGD(model.parameters(), 0.1), steps=9)
    watcher.failed(ValueError())
    written = column([json.loads(line) for line in lines], "step")
    watcher.close()
    assert written == list(range(1, 10))


# -- parameters


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


def test_each_parameter_with_nan_in_its_gradient_is_named_in_the_step_where_it_appears() -> None:
    model = an_mlp()
    optimizer = torch.optim.SGD(model.parameters(), 0.1)

    def run() -> None:
        train(model, optimizer, steps=40)
        model[2].weight.register_hook(lambda gradient: gradient * float("nan"))  # type: ignore[index]
        train(model, optimizer, steps=21)

    found = [one for one in watched(run) if one.get("name") == "grad.nonfinite_names"]
    assert [(one["value"], one["step"]) for one in found][:1] == [(["2.weight"], 41)]


# -- initial weights


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


def test_weights_that_are_kept_elsewhere_do_not_end_the_watching() -> None:
    model: Any = nn.Module()
    model.net = an_mlp()
    model.offloaded = nn.Linear(64, 64, device="meta").requires_grad_(False)
    optimizer = torch.optim.SGD(model.net.parameters(), 0.01)
    records = watched(lambda: train(model.net, optimizer, steps=30))
    assert column(records, "step") == list(range(1, 31))


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


# -- precision and batch statistics


def test_autocast_within_the_model_is_the_precision_of_the_run() -> None:
    class Inside(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = nn.Linear(8, 4)

        def forward(self, x: Tensor) -> Tensor:
            with torch.autocast("cpu", torch.bfloat16):
                out: Tensor = self.layer(x)
            return out.float()

    model = Inside()
    assert (
        facts(watched(lambda: train(model, torch.optim.SGD(model.parameters(), 0.1))))["config.precision"]
        == "bf16"
    )


def test_a_second_phase_in_half_precision_takes_back_the_precision_of_the_first() -> None:
    def run() -> None:
        for dtype in (torch.float32, torch.bfloat16):
            model = nn.Linear(8, 4).to(dtype)
            optimizer = torch.optim.SGD(model.parameters(), 0.1)
            for _ in range(4):
                optimizer.zero_grad()
                model(torch.ones(2, 8, dtype=dtype)).sum().backward()
                optimizer.step()

    said = watched(run)
    assert any(one["kind"] == "retracted" and one["name"] == "config.precision" for one in said)


def test_the_usual_batch_of_batch_normalisation_is_told() -> None:
    model = nn.Sequential(nn.Linear(8, 4), nn.BatchNorm1d(4))

    def run() -> None:
        optimizer = torch.optim.SGD(model.parameters(), 0.1)
        train(model, optimizer, steps=4, samples=6)
        train(model, optimizer, steps=1, samples=2)

    known = facts(watched(run))
    assert known["model.batchnorm_batch"] == 6
    assert known["model.has_batchnorm"] is True


# -- it leaves no trace


def test_a_watched_model_is_copied_pickled_and_scripted_like_any_other() -> None:
    model = an_mlp()

    def run() -> None:
        train(model, torch.optim.SGD(model.parameters(), 0.1), steps=2)
        assert b"traindx" not in pickle.dumps(model)
        train(copied := copy.deepcopy(model), torch.optim.SGD(copied.parameters(), 0.1), steps=2)

    watched(run)
    assert "__call__" not in vars(nn.Sequential)


def test_everything_is_taken_back() -> None:
    from torch.utils.data.dataloader import _BaseDataLoaderIter as Iterator

    owners = {
        torch.autograd: "backward",
        torch.optim.Optimizer: "step",
        torch.autocast: "__enter__",
        Iterator: "__next__",
    }
    before = [getattr(owner, name) for owner, name in owners.items()]
    model = an_mlp()
    watched(lambda: train(model, torch.optim.SGD(model.parameters(), 0.1)))
    assert [getattr(owner, name) for owner, name in owners.items()] == before


# -- watch and the callbacks


def test_watch_diagnoses_within_the_block_and_after_it() -> None:
    torch.manual_seed(0)
    model = an_mlp()
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    with traindx.watch(model, optimizer) as dx:
        train(model, optimizer)
        assert not dx.diagnosis().found
        with pytest.raises(ZeroDivisionError):
            1 / 0  # noqa: B018 - an error that the script handles is none of ours
        for parameter in model.parameters():
            parameter.data.fill_(float("nan"))
        train(model, optimizer, steps=3)
    assert "nan-loss" in {one.id for one in dx.diagnosis().symptoms}
    assert "15 steps" in dx.summary()


def test_watch_lets_an_error_pass_and_knows_it() -> None:
    model = an_mlp()
    with pytest.raises(RuntimeError, match="shapes cannot be multiplied"), traindx.watch() as dx:
        model(torch.randn(2, 9))
    assert "shape-mismatch" in {one.id for one in dx.diagnosis().causes}


def fake(monkeypatch: pytest.MonkeyPatch, name: str, **content: Any) -> None:
    module = types.ModuleType(name)
    vars(module).update(content)
    monkeypatch.setitem(sys.modules, name, module)


def test_the_callback_for_transformers_watches_a_training(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    fake(monkeypatch, "transformers", TrainerCallback=type("TrainerCallback", (), {}))
    from traindx import integrations

    callback = integrations.TrainerCallback()
    model = an_mlp()
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    callback.on_train_begin(None, None, None, model=model, optimizer=optimizer)
    train(model, optimizer)
    callback.on_train_end(None, types.SimpleNamespace(is_world_process_zero=True), None)
    assert "watched 12 steps" in capsys.readouterr().out


def test_the_callback_for_lightning_tells_what_ended_a_training(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    fake(monkeypatch, "lightning")
    fake(monkeypatch, "lightning.pytorch", Callback=type("Callback", (), {}))
    sys.modules["lightning"].pytorch = sys.modules["lightning.pytorch"]  # type: ignore[attr-defined]
    from traindx import integrations

    callback = integrations.Callback()
    model = an_mlp()
    trainer = types.SimpleNamespace(
        optimizers=[torch.optim.SGD(model.parameters(), 0.1)], is_global_zero=True
    )
    callback.on_train_start(trainer, model)
    train(model, trainer.optimizers[0])
    callback.on_exception(trainer, model, RuntimeError("CUDA out of memory. Tried to allocate 2.00 GiB"))
    assert "watched 12 steps" in capsys.readouterr().out
    assert "cuda-oom" in {one.id for one in callback.diagnosis().symptoms}
