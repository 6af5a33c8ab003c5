"""Stages in which samples are larger than ever before, as they are seen and as the loss is read with them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import nn

from traindx.engine.kb.knowledge import Knowledge

from .journals import Seen, process, steps
from .small_runs import Record, watched


def stages(width: Callable[[int], int], *, samples: Callable[[int], int] = lambda step: 4) -> list[int]:
    """The steps at which a stage begins where samples have these widths."""
    model = nn.Sequential(nn.AdaptiveAvgPool1d(2), nn.Linear(2, 1))

    def run() -> None:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        for step in range(1, 101):
            optimizer.zero_grad()
            model(torch.randn(samples(step), 1, width(step))).mean().backward()
            optimizer.step()

    return [one["step"] for one in watched(run) if one["kind"] == "stage"]


def test_a_stage_begins_where_sequences_become_longer() -> None:
    assert stages(lambda step: 4 if step < 41 else 6 if step < 81 else 8) == [41, 81]


@pytest.mark.parametrize(
    "width",
    [lambda step: 8, lambda step: 3 + 37 * step % 11, lambda step: 8 if step < 41 else 4, lambda step: 4 + step // 95],
    ids=["of one length", "padded", "shorter", "a few at the end"],
)  # fmt: skip
def test_no_stage_begins_where_they_are_as_before(width: Callable[[int], int]) -> None:
    assert stages(width) == []


def test_the_last_batch_of_an_epoch_begins_none() -> None:
    assert stages(lambda step: 4, samples=lambda step: 1 if step % 10 == 0 else 4) == []


def spreads(noise: Callable[[int], float], *, training: bool = True) -> list[int]:
    """The steps at which samples are spread otherwise, where their noise has this strength."""
    model = nn.Linear(8, 1).train(training)

    def run() -> None:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.001)
        for step in range(1, 301):
            optimizer.zero_grad()
            x = torch.randn(32, 8)
            model(x + noise(step) * torch.randn(32, 8)).mean().backward()
            optimizer.step()

    return [one["step"] for one in watched(run) if one["kind"] == "stage" and one["by"] == "spread"]


def test_a_stage_begins_where_samples_are_noisier_for_good() -> None:
    first, second = spreads(lambda step: 0.1 if step < 101 else 1.0 if step < 201 else 3.0)
    assert 101 <= first < 105
    assert 201 <= second < 205


@pytest.mark.parametrize(
    "noise",
    [lambda step: 0.3, lambda step: 2.0 * (step % 7 == 0), lambda step: float(step // 12 % 2)],
    ids=["as ever", "now and then", "in turns"],
)  # fmt: skip
def test_no_stage_begins_where_they_are_spread_as_before(noise: Callable[[int], float]) -> None:
    assert spreads(noise) == []


def test_the_samples_of_evaluation_begin_none() -> None:
    assert spreads(lambda step: 0.1 if step < 101 else 1.0, training=False) == []


FALL = [2.5 * 0.9**step + 0.01 for step in range(60)]


@pytest.mark.parametrize(("stage", "wrong"), [(True, False), (False, True)])
def test_a_loss_that_jumps_where_a_stage_begins_is_calm(
    knowledge: Knowledge, stage: bool, wrong: bool
) -> None:
    begins: list[Record] = [{"kind": "stage", "t": 3.0, "step": 61, "optimizer": 1}] if stage else []
    seen = Seen(knowledge, [process(), *begins, steps(loss=[*FALL, *FALL])])
    assert seen["loss.spike"] is wrong


SPREAD: Record = {"kind": "stage", "t": 3.0, "step": 61, "optimizer": 1, "by": "spread"}


def test_a_loss_that_is_higher_with_samples_spread_otherwise_does_not_diverge(knowledge: Knowledge) -> None:
    harder = steps(loss=[*FALL, *[0.4] * 60])
    assert Seen(knowledge, [process(), harder])["loss.diverging"] is True
    assert Seen(knowledge, [process(), SPREAD, harder])["loss.diverging"] is not True


def test_samples_spread_otherwise_begin_nothing_where_their_loss_is_no_higher(knowledge: Knowledge) -> None:
    seen = Seen(knowledge, [process(), SPREAD, steps(loss=[*FALL, *[0.004] * 60])])
    assert seen["loss.drop"] == pytest.approx(0.99, abs=0.01)


def test_a_loss_that_runs_away_within_a_stage_does(knowledge: Knowledge) -> None:
    begins: Record = {"kind": "stage", "t": 3.0, "step": 61, "optimizer": 1}
    losses = [*FALL, *FALL[:30], *(0.2 * 1.2**step for step in range(30))]
    assert Seen(knowledge, [process(), begins, steps(loss=losses)])["loss.diverging"] is True
