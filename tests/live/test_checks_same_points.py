"""The same batch, made anew in every step, and what may be meant by that."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

from tests.live.checking import classes, cross_entropy, mlp, train
from tests.live.looking import Said

INPUTS, LABELS = torch.arange(1600.0).sin().reshape(200, 8), torch.arange(200) % 4


def batches(give: Callable[[], Any]) -> Said:
    """A correct loop over what is given in each step."""
    return train(mlp(), cross_entropy, batch=give)


def seeded() -> Any:
    torch.manual_seed(7)
    return classes()


def chosen_by_a_new_generator() -> Any:
    rows = torch.randperm(200, generator=torch.Generator().manual_seed(1))[:32]
    return INPUTS[rows], LABELS[rows]


def rows_by_number() -> Any:
    rows = list(range(5, 37))
    return INPUTS[rows], LABELS[rows]


def stacked() -> Any:
    return torch.stack([INPUTS[row] for row in range(32)]), LABELS[:32]


@pytest.mark.parametrize("give", [seeded, chosen_by_a_new_generator, rows_by_number, stacked])
def test_the_same_batch_made_anew_is_seen(give: Callable[[], Any]) -> None:
    said = batches(give)
    assert said["data.same_batch"] is True
    assert said["data.same_batch_how"]


KEPT = torch.arange(32)


def a_grid() -> Any:
    return torch.linspace(0, 1, 32)[:, None].repeat(1, 8), LABELS[:32]


def the_labelled_part() -> Any:
    return INPUTS[KEPT], LABELS[KEPT]


def the_whole_set() -> Any:
    return torch.cat([INPUTS, INPUTS]), torch.cat([LABELS, LABELS])


@pytest.mark.parametrize("give", [a_grid, the_labelled_part, the_whole_set])
def test_the_same_points_in_every_step_may_be_meant(give: Callable[[], Any]) -> None:
    assert batches(give).facts.get("data.same_batch") is not True


# -- what looks cost
