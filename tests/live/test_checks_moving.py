"""Losses that are measured against a network which follows the trained one, or that no optimizer holds; and what is no loss for it."""

from __future__ import annotations

import copy
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from tests.live import checking
from tests.live.checking import checked, mlp, numbers
from tests.live.looking import Said
from traindx.probes.live.observer import parts

pytestmark = pytest.mark.usefixtures("whole_heap")


@pytest.fixture
def every_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checking, "CHECKS", parts.PARTS)


def follow(network: nn.Module, other: nn.Module) -> None:
    with torch.no_grad():
        for own, one in zip(other.parameters(), network.parameters(), strict=True):
            own.copy_(0.9 * own + 0.1 * one)


def taught(*, follows: bool, asked: bool = True) -> Said:
    """A network that learns from a copy of itself, or has one for evaluation."""
    network = mlp(8, 1)
    teacher = copy.deepcopy(network)
    with checked() as said:
        optimizer = torch.optim.SGD(network.parameters(), lr=0.05)
        for number in range(60):
            inputs, targets = numbers()
            with torch.no_grad():
                if asked:
                    targets = targets + 0.9 * teacher(inputs)
                for _ in range(10 * (not asked and number % 10 == 9)):
                    teacher(inputs)
            optimizer.zero_grad()
            F.mse_loss(network(inputs), targets).backward()
            optimizer.step()
            if follows:
                follow(network, teacher)
    return said


def test_targets_of_a_network_that_follows_the_trained_one_are_seen() -> None:
    assert taught(follows=True)["loss.target_moves"] is True


@pytest.mark.parametrize(
    "kind", [{"follows": False}, {"follows": True, "asked": False}], ids=["teacher", "average"]
)
def test_a_teacher_that_stays_and_an_average_for_evaluation_are_none(kind: Any) -> None:
    assert "loss.target_moves" not in taught(**kind).facts


def test_a_part_of_the_trained_network_is_no_copy_of_it() -> None:
    network = nn.Sequential(nn.Sequential(nn.Linear(8, 8)), nn.Sequential(nn.Linear(8, 1)))
    with checked() as said:
        optimizer = torch.optim.SGD(network.parameters(), lr=0.05)
        for _ in range(60):
            inputs, targets = numbers()
            with torch.no_grad():
                network[0](inputs)
            optimizer.zero_grad()
            F.mse_loss(network(inputs), targets).backward()
            optimizer.step()
    assert "loss.target_moves" not in said.facts


@pytest.mark.usefixtures("every_part")
@pytest.mark.parametrize("often", [1, 3], ids=["each round", "seldom"])
def test_two_optimizers_of_the_same_network_are_seen_however_seldom_one_steps(often: int) -> None:
    network = mlp(8, 1)
    with checked() as said:
        first, second = (torch.optim.SGD(network.parameters(), lr=0.01) for _ in range(2))
        for number in range(12):
            inputs, targets = numbers()
            for optimizer in (first, second) if number % often == 0 else (first,):
                optimizer.zero_grad()
                F.mse_loss(network(inputs), targets).backward()
                optimizer.step()
    assert said["model.optimizer_duplicates"] is True


@pytest.mark.usefixtures("every_part")
@pytest.mark.parametrize(
    ("norm", "training"),
    [(nn.BatchNorm1d(4), True), (nn.BatchNorm1d(4), False), (nn.LayerNorm(4), False)],
    ids=["predictor", "judge", "layers for which it does not matter"],
)
def test_a_network_that_no_optimizer_holds_is_told_where_training_changes_it(
    norm: Any, training: bool
) -> None:
    # Layers in eval mode in a container that is not, as feature extractors are put together.
    network, above = mlp(8, 4), nn.Sequential(nn.Linear(4, 4), norm.train(training), nn.Linear(4, 1))
    with checked() as said:
        optimizer = torch.optim.SGD(network.parameters(), lr=0.01)
        for _ in range(12):
            inputs, targets = numbers()
            optimizer.zero_grad()
            F.mse_loss(above(network(inputs)), targets).backward()
            optimizer.step()
    assert "model.in_optimizer" not in said.facts
    assert said.facts.get("model.outside_in_training") == (["Sequential"] if training else None)


@pytest.mark.parametrize("with_graph", [False, True])
def test_a_penalty_of_gradients_that_have_no_graph_is_lost(with_graph: bool) -> None:
    network = mlp(8, 1)
    with checked() as said:
        optimizer = torch.optim.SGD(network.parameters(), lr=0.01)
        for _ in range(6):
            inputs, targets = numbers()
            between = inputs.clone().requires_grad_(True)
            scores = network(between)
            [slope] = torch.autograd.grad(
                scores, between, torch.ones_like(scores), retain_graph=True, create_graph=with_graph
            )
            penalty = ((slope.norm(2, dim=1) - 1) ** 2).mean()
            optimizer.zero_grad()
            (F.mse_loss(network(inputs), targets) + 10 * penalty).backward()
            optimizer.step()
    assert said.facts.get("loss.term_lost", False) is not with_graph


@pytest.mark.parametrize("normalised", [False, True])
def test_raw_scores_in_a_ctc_loss_are_seen(normalised: bool) -> None:
    network = mlp(8, 5)
    lengths = torch.full((4,), 12)
    with checked() as said:
        optimizer = torch.optim.SGD(network.parameters(), lr=0.01)
        for _ in range(4):
            scores = network(torch.randn(12, 4, 8))
            scores = scores.log_softmax(-1) if normalised else scores
            optimizer.zero_grad()
            F.ctc_loss(scores, torch.randint(1, 5, (4, 3)), lengths, torch.full((4,), 3)).backward()
            optimizer.step()
    assert said["loss.nll_on_raw_scores"] is not normalised
