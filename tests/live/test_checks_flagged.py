"""`requires_grad` set on modules, which torch takes for an attribute like any other."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn

from tests.live.checking import checked, loop, loss_of

NEVER = 99


class Gated(nn.Module):
    """Reads the attribute itself."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(16, 16)
        self.requires_grad = False

    def forward(self, x: Any) -> Any:
        return self.layer(x) if self.requires_grad else self.layer(x).detach() + x


def told(flag: bool | None, frozen: bool, put_right_at: int = NEVER, middle: nn.Module | None = None) -> Any:
    """What is said of a model whose middle layer carries the flag, and is frozen or not."""
    model = nn.Sequential(nn.Linear(8, 16), middle or nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 4))
    model[1].requires_grad_(not frozen)
    if flag is not None:
        vars(model[1])["requires_grad"] = flag

    def body(net: Any, optimizer: Any, step: int) -> None:
        if step == put_right_at:
            net[1].requires_grad_(frozen)
        optimizer.zero_grad()
        loss_of(net).backward()
        optimizer.step()

    return loop(body, 12, model).facts.get("model.requires_grad_on_module")


@pytest.mark.parametrize("flag", [True, False])
def test_a_module_whose_parameters_say_the_opposite_is_named(flag: bool) -> None:
    assert told(flag, frozen=flag) == ["1"]


@pytest.mark.parametrize(("flag", "frozen"), [(None, True), (None, False), (True, False), (False, True)])
def test_one_whose_parameters_say_the_same_is_not(flag: bool | None, frozen: bool) -> None:
    assert told(flag, frozen) is None


def test_what_has_come_true_is_taken_back() -> None:
    assert told(True, frozen=True, put_right_at=5) is None


def test_a_class_that_reads_its_own_attribute_is_left_alone() -> None:
    assert told(None, frozen=False, middle=Gated()) is None


def test_a_judge_that_is_to_rest_while_its_maker_learns_is_left_alone() -> None:
    maker, judge = nn.Linear(8, 8), nn.Linear(8, 1)
    with checked() as said:
        ours, theirs = (torch.optim.SGD(one.parameters(), lr=0.01) for one in (maker, judge))
        for _ in range(6):
            vars(judge)["requires_grad"] = True
            theirs.zero_grad()
            apart: Any = (judge(maker(torch.randn(16, 8)).detach()) - judge(torch.randn(16, 8))).mean()
            apart.backward()
            theirs.step()
            vars(judge)["requires_grad"] = False
            ours.zero_grad()
            fooled: Any = -judge(maker(torch.randn(16, 8))).mean()
            fooled.backward()
            ours.step()
    assert "model.requires_grad_on_module" not in said.facts
