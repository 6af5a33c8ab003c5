"""`traindx.watch`, the callbacks of the training libraries, and that watching leaves no trace."""

from __future__ import annotations

import copy
import pickle
import sys
import types
from typing import Any

import pytest
import torch
from torch import nn

import traindx
from tests.live.small_runs import an_mlp, column, train, watched


def test_weights_that_are_kept_elsewhere_do_not_end_the_watching() -> None:
    model: Any = nn.Module()
    model.net = an_mlp()
    model.offloaded = nn.Linear(64, 64, device="meta").requires_grad_(False)
    optimizer = torch.optim.SGD(model.net.parameters(), 0.01)
    records = watched(lambda: train(model.net, optimizer, steps=30))
    assert column(records, "step") == list(range(1, 31))


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


class FakeTrainer:
    """Tells its callback when the training begins, and nothing when it raises."""

    def __init__(self, callback: Any, model: Any) -> None:
        self.callback, self.model = callback, model

    def train(self) -> None:
        optimizer = torch.optim.SGD(self.model.parameters(), 0.1)
        self.callback.on_train_begin(None, None, None, model=self.model, optimizer=optimizer)
        train(self.model, optimizer)
        self.model(torch.randn(2, 9))


def test_the_callback_for_transformers_finds_what_ended_a_training(monkeypatch: pytest.MonkeyPatch) -> None:
    fake(monkeypatch, "transformers", TrainerCallback=type("TrainerCallback", (), {}))
    from traindx.integrations.transformers import TrainerCallback

    callback = TrainerCallback()
    assert not callback.diagnosis().found
    try:
        FakeTrainer(callback, an_mlp()).train()
    except RuntimeError:
        try:
            int("an error that the script handles is none of the training's")
        except ValueError:
            callback.diagnosis()
            assert callback.watch.running
        assert "shape-mismatch" in {one.id for one in callback.diagnosis().causes}
    assert callback.watch.summary().startswith("diagnose: ended with RuntimeError; watched 12 steps")


def test_the_callback_for_transformers_speaks_at_the_end_of_a_script_that_raised(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    fake(monkeypatch, "transformers", TrainerCallback=type("TrainerCallback", (), {}))
    from traindx.integrations.transformers import TrainerCallback

    callback = TrainerCallback()
    with pytest.raises(RuntimeError) as raised:
        FakeTrainer(callback, an_mlp()).train()
    monkeypatch.setattr(sys, "last_value", raised.value, raising=False)
    callback._end()  # what Python calls at exit
    assert "shape-mismatch" in capsys.readouterr().out
    callback._end()
    assert not capsys.readouterr().out


def test_nothing_was_watched_before_the_block() -> None:
    dx = traindx.watch()
    assert not dx.diagnosis().found
    assert dx.summary().startswith("diagnose: not begun; no optimizer step was seen")


def test_under_a_watched_command_a_callback_leaves_the_last_word_to_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    fake(monkeypatch, "transformers", TrainerCallback=type("TrainerCallback", (), {}))
    from traindx.integrations.transformers import TrainerCallback

    monkeypatch.setenv("TRAINDX_RUN", "records")
    callback = TrainerCallback()
    model = an_mlp()
    callback.on_train_begin(None, None, None, model=model)
    train(model, torch.optim.SGD(model.parameters(), 0.1))
    callback.on_train_end(None, None, None)
    assert not capsys.readouterr().out


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
