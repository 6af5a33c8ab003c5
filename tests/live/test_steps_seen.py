"""What is measured in each step, in which format, on which batch."""

from __future__ import annotations

import json

import pytest
import torch
from torch import Tensor, nn

from tests.live.small_runs import an_mlp, column, facts, train, watched
from traindx.probes.live.observer.journal import Journal
from traindx.probes.live.observer.watcher import install


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


@pytest.mark.parametrize(("dtype", "double"), [(torch.float64, True), (torch.float32, False)])
def test_whether_the_weights_are_64_bit(dtype: torch.dtype, double: bool) -> None:
    def run() -> None:
        model = nn.Linear(8, 4).to(dtype)
        optimizer = torch.optim.SGD(model.parameters(), 0.1)
        for _ in range(4):
            optimizer.zero_grad()
            model(torch.ones(2, 8, dtype=dtype)).sum().backward()
            optimizer.step()

    assert facts(watched(run))["model.trained_in_float64"] is double


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
