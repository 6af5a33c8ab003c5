"""Terms of a loss that are plain numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from tests.live.checking import checked, classes
from tests.live.looking import Said

Value = Callable[[Any, Any], Any]


class Agent(nn.Module):
    """Acts, and values where it is."""

    def __init__(self) -> None:
        super().__init__()
        self.actor, self.critic = nn.Linear(8, 4), nn.Linear(8, 1)

    def forward(self, seen: Any) -> Any:
        return self.actor(seen), self.critic(seen).squeeze(-1)


def updates(value_loss: Value, frozen: bool = False) -> Said:
    """Updates of an agent from what was stored when it acted."""
    with checked() as said:
        agent = Agent()
        agent.critic.requires_grad_(not frozen)
        optimizer = torch.optim.Adam([one for one in agent.parameters() if one.requires_grad], lr=0.01)
        for _ in range(12):
            seen, action = classes()
            with torch.no_grad():
                stored = agent(seen)[1]
            logits, value = agent(seen)
            loss = F.cross_entropy(logits, action) + 0.5 * value_loss(value, stored)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return said


@pytest.mark.parametrize(
    "value_loss",
    [
        lambda value, stored: F.mse_loss(stored, stored + 1),
        lambda value, stored: (stored - 1).square().mean(),
    ],
    ids=["a loss of torch", "written by hand"],
)
def test_a_loss_of_what_was_stored_is_a_plain_term(value_loss: Value) -> None:
    said = updates(value_loss)
    assert said["loss.term_plain"] is True
    assert said["grad.result_unused"] is True
    assert "test_checks_plain_terms.py" in said["loss.term_plain_where"]


def test_a_loss_of_what_was_computed_anew_is_none() -> None:
    assert "loss.term_plain" not in updates(lambda value, stored: F.mse_loss(value, stored + 1)).facts


def test_a_part_that_is_frozen_is_not_unused() -> None:
    said = updates(lambda value, stored: F.mse_loss(value, stored + 1), frozen=True)
    assert said.facts.get("grad.result_unused") is not True


def test_what_is_printed_beside_the_loss_is_none() -> None:
    def printed(value: Any, stored: Any) -> Any:
        float(F.l1_loss(stored, stored + 1) * 2)
        return F.mse_loss(value, stored + 1)

    assert "loss.term_plain" not in updates(printed).facts


@pytest.mark.parametrize(
    ("taught", "told"), [("nobody", True), ("the pupil", None), ("another teacher", None)]
)
def test_a_teacher_that_is_compared_with_what_it_gave_teaches_nobody(taught: str, told: bool | None) -> None:
    with checked() as said:
        teacher, other, pupil = nn.Linear(8, 4), nn.Linear(8, 4), nn.Linear(8, 4)
        optimizer = torch.optim.Adam(pupil.parameters(), lr=0.01)
        for _ in range(12):
            seen, labels = classes()
            with torch.no_grad():
                given, second = teacher(seen), other(seen)
            answer = pupil(seen)
            compared = {"nobody": given, "the pupil": answer, "another teacher": second}[taught]
            shares: Any = F.kl_div(compared.log_softmax(1), given.softmax(1), reduction="batchmean")
            loss = 4 * shares + F.cross_entropy(answer, labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    assert said.facts.get("loss.term_of_itself") is told
