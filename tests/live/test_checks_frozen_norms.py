"""Normalisation layers that are frozen, and whose averages may move all the same."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn

from tests.live.checking import checked, classes, cross_entropy
from tests.live.looking import Said

MOVING, DRIFT = "model.frozen_norms_moving", "model.frozen_norms_drift"


def learnt() -> Any:
    """A trunk whose normalisation has weights and averages of earlier data."""
    trunk: Any = nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.ReLU())
    with torch.no_grad():
        for _ in range(100):
            trunk(torch.randn(64, 8))
        trunk[1].weight.uniform_(0.5, 1.5)
    return trunk


def tune(trunk: nn.Module, *, frozen: bool = True, shift: float = 0.0, norms_in_eval: bool = False) -> Said:
    """Train a head on it, with inputs that lie so far from the earlier ones."""
    trunk.requires_grad_(not frozen)
    model = nn.Sequential(trunk, nn.Linear(16, 4))
    with checked() as said:
        optimizer = torch.optim.SGD([one for one in model.parameters() if one.requires_grad], lr=0.01)
        for _ in range(26):
            model.train()
            if norms_in_eval:
                trunk.eval()
            inputs, labels = classes(64)
            optimizer.zero_grad()
            cross_entropy(model(inputs + shift), labels).backward()
            optimizer.step()
    return said


def test_a_frozen_trunk_in_train_mode_goes_with_other_data() -> None:
    said = tune(learnt(), shift=3.0)
    assert said[MOVING] is True
    assert said[DRIFT] > 0.25


def test_with_data_like_those_before_it_stays_near_where_it_was() -> None:
    said = tune(learnt())
    assert said[MOVING] is True
    assert said[DRIFT] < 0.25


@pytest.mark.parametrize("way", ["in eval mode", "trained", "new"])
def test_other_layers_are_not_spoken_of(way: str) -> None:
    """One in eval mode stands still, one that trains is to move, and one with the weights it was made with has learnt nothing."""
    trunk = learnt()
    if way == "new":
        nn.init.ones_(trunk[1].weight)
    said = tune(trunk, frozen=way != "trained", shift=3.0, norms_in_eval=way == "in eval mode")
    assert MOVING not in said.facts


def test_a_copy_that_follows_the_model_is_not_spoken_of() -> None:
    student, teacher = learnt(), learnt().requires_grad_(False)
    head = nn.Linear(16, 4)
    with checked() as said:
        optimizer = torch.optim.SGD([*student.parameters(), *head.parameters()], lr=0.1)
        for _ in range(26):
            inputs, labels = classes(64)
            optimizer.zero_grad()
            loss: Any = cross_entropy(head(student(inputs + 3)), labels)
            (loss + (student(inputs) - teacher(inputs)).square().mean()).backward()
            optimizer.step()
            with torch.no_grad():
                for one, other in zip(teacher.parameters(), student.parameters(), strict=True):
                    one.lerp_(other, 0.1)
    assert MOVING not in said.facts


def test_one_side_of_two_that_take_turns_is_not_spoken_of() -> None:
    maker, judge = nn.Linear(8, 8), nn.Sequential(learnt(), nn.Linear(16, 1))
    with checked() as said:
        first = torch.optim.Adam(judge.parameters(), lr=0.01)
        second = torch.optim.Adam(maker.parameters(), lr=0.01)
        for _ in range(26):
            judge.requires_grad_(True)
            first.zero_grad()
            (
                judge(maker(torch.randn(32, 8)).detach()).mean() - judge(torch.randn(32, 8) + 3).mean()
            ).backward()
            first.step()
            judge.requires_grad_(False)
            second.zero_grad()
            (-judge(maker(torch.randn(32, 8))).mean()).backward()
            second.step()
    assert said.facts.get(MOVING) is not True
