"""Whether the windows that are evaluated lie within those that were trained on."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest
import torch
from torch import nn

from tests.live.checking import checked

WITHIN = "data.windows_within_training"
LENGTH = 32


def is_seen(train: torch.Tensor, *held_out: torch.Tensor) -> bool:
    """Train on windows in batches of 24 for two epochs, and evaluate the others after each."""
    model = nn.Sequential(nn.Flatten(), nn.Linear(train[0].numel(), 4), nn.Tanh(), nn.Linear(4, 1))
    with checked() as said:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        for _ in range(2):
            model.train()
            for batch in train.split(24):
                optimizer.zero_grad()
                model(batch).square().mean().backward()
                optimizer.step()
            evaluate(model, held_out)
    return said.facts.get(WITHIN) is True


def evaluate(model: nn.Module, sets: Iterable[torch.Tensor]) -> None:
    model.eval()
    with torch.no_grad():
        for windows in sets:
            for batch in windows.split(24):
                model(batch)


def recording(seed: int, length: int = 900, channels: int = 3) -> torch.Tensor:
    return torch.randn(channels, length, generator=torch.Generator().manual_seed(seed)).cumsum(1)


def windows(series: torch.Tensor, step: int = 4) -> torch.Tensor:
    """As (windows, channels, time)."""
    return series.unfold(1, LENGTH, step).transpose(0, 1).contiguous()


def at_random(every: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    mixed = every[torch.randperm(len(every), generator=torch.Generator().manual_seed(1))]
    return mixed[:-60], mixed[-60:]


@pytest.mark.parametrize(
    "laid_out",
    [lambda x: x, lambda x: x.transpose(1, 2).contiguous(), lambda x: x[:, 0].contiguous()],
    ids=["channels first", "time first", "one channel"],
)
@pytest.mark.parametrize("step", [1, 4])
def test_overlapping_windows_that_are_split_at_random(laid_out: Callable[[Any], Any], step: int) -> None:
    train, held_out = at_random(windows(recording(0, 900 if step > 1 else 400), step))
    assert is_seen(laid_out(train), laid_out(held_out))


def test_windows_of_two_recordings_with_a_scale_of_all() -> None:
    every = torch.cat([windows(recording(seed)) for seed in (1, 2)])
    train, held_out = at_random((every - every.mean()) / every.std())
    assert is_seen(train, held_out)


def test_a_series_that_is_cut_in_time_overlaps_at_the_cut_alone() -> None:
    """The first windows of the later part have a past that training knows, and an end that it does not."""
    every = windows(recording(3, 700), 1)
    assert not is_seen(every[:600], every[600:650])


def test_other_recordings_are_not_within() -> None:
    assert not is_seen(windows(recording(4)), windows(recording(5)))


def test_windows_side_by_side_share_nothing() -> None:
    train, held_out = at_random(windows(recording(6, 6000), LENGTH))
    assert not is_seen(train, held_out)


def test_crops_of_training_that_are_scored_beside_others() -> None:
    own, others = recording(7, 700), windows(recording(8))
    starts = torch.randint(0, 600, (300,), generator=torch.Generator().manual_seed(2)).tolist()
    crops = torch.stack([own[:, one : one + LENGTH] for one in starts])
    assert not is_seen(crops, windows(own, 7), others)


def test_padding_and_a_calendar_are_alike_everywhere() -> None:
    """The hours of a day come again each day; what is measured beside them does not."""
    hours = torch.arange(900) % 24
    day = torch.stack([torch.sin(hours / 4), torch.cos(hours / 4)])
    train, held_out = (windows(torch.cat([day, recording(seed, channels=1)])) for seed in (9, 10))
    train[:, :, :8] = held_out[:, :, :8] = 0.0
    assert not is_seen(train, held_out)


def test_rows_of_a_table_are_no_windows() -> None:
    rows = torch.randn(300, 24, generator=torch.Generator().manual_seed(3))
    assert not is_seen(rows[:200], rows[200:])
