"""Outputs that are compared with each other, and weights with those of before."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from tests.live.checking import checked, mlp, numbers


def run(network: nn.Module, loss_of: Callable[[Any, int], Any], steps: int = 12) -> Any:
    """What is said of a loop with this loss, computed of the network and the number of the step."""
    with checked() as said:
        optimizer = torch.optim.SGD(network.parameters(), lr=0.01)
        for step in range(steps):
            optimizer.zero_grad()
            loss_of(network, step).backward()
            optimizer.step()
    return said.facts


# -- lengths


def views(network: Any) -> tuple[Any, Any]:
    inputs, _ = numbers()
    return network(inputs + 0.1), network(inputs - 0.1)


def nt_xent(first: Any, second: Any) -> Any:
    both = torch.cat([first, second])
    scores = (both @ both.t() / 0.1).fill_diagonal_(-1e9)
    count = len(first)
    return F.cross_entropy(scores, torch.cat([torch.arange(count, 2 * count), torch.arange(count)]))


def clip(first: Any, second: Any) -> Any:
    scores = 10 * first @ second.T
    places = torch.arange(len(first))
    return (F.cross_entropy(scores, places) + F.cross_entropy(scores.T, places)) / 2


def info_nce(first: Any, second: Any) -> Any:
    return -F.log_softmax(torch.mm(first, second.t()) / 0.2, dim=1).diagonal().mean()


@pytest.mark.parametrize("loss", [nt_xent, clip, info_nce])
@pytest.mark.parametrize(
    ("normalise", "across"),
    [
        (lambda rows: rows / rows.norm(), True),
        (lambda rows: F.normalize(rows, dim=0), True),
        (lambda rows: F.normalize(rows, dim=1), False),
        (lambda rows: rows, False),
        (lambda rows: (rows - rows.mean(0)) / rows.std(0), False),
    ],
    ids=["the whole batch", "each feature", "each sample", "not at all", "standardised"],
)
def test_samples_that_are_brought_to_one_length_together(loss: Any, normalise: Any, across: bool) -> None:
    facts = run(mlp(8, 24), lambda network, _: loss(*map(normalise, views(network))))
    assert facts["loss.normalised_across_samples"] is across


def test_samples_that_are_lost_have_no_length() -> None:
    """The check goes on, and says nothing of NaN."""
    facts = run(mlp(8, 24), lambda network, step: nt_xent(*(one / (step < 1) for one in views(network))))
    assert not facts.get("loss.normalised_across_samples")


def test_a_correlation_matrix_is_taken_over_the_batch_on_purpose() -> None:
    def twins(network: Any, _: int) -> Any:
        first, second = (F.normalize(one, dim=0) for one in views(network))
        return (first.T @ second - torch.eye(24)).square().sum()

    assert "loss.normalised_across_samples" not in run(mlp(8, 24), twins)


# -- together


class Siamese(nn.Module):
    """A backbone with a predictor on top."""

    def __init__(self) -> None:
        super().__init__()
        self.backbone, self.predictor = mlp(8, 16), mlp(16, 16)


def drawn(of: Callable[[Any, Any], Any]) -> Callable[[Any, int], Any]:
    def loss(network: Any, _: int) -> Any:
        first, second = views(network.backbone)
        return (of(network.predictor(first), second) + of(network.predictor(second), first)) / 2

    return loss


def by_hand(left: Any, right: Any) -> Any:
    return 2 - 2 * (F.normalize(left, dim=1) * F.normalize(right, dim=1)).sum(dim=1).mean()


def by_torch(left: Any, right: Any) -> Any:
    return -F.cosine_similarity(left, right).mean()


@pytest.mark.parametrize("cosine", [by_hand, by_torch])
@pytest.mark.parametrize("cut", [False, True])
def test_a_siamese_network_without_a_cut_collapses(cosine: Any, cut: bool) -> None:
    facts = run(Siamese(), drawn(lambda left, right: cosine(left, right.detach() if cut else right)))
    assert facts["loss.nothing_holds_apart"] is not cut


def apart(network: Any, _: int) -> Any:
    return F.cosine_similarity(*views(network.backbone)).mean()


def beside_a_variance(network: Any, _: int) -> Any:
    first, second = views(network.backbone)
    return by_torch(first, second) + F.relu(1 - first.std(0)).mean()


def whitened(network: Any, _: int) -> Any:
    both = []
    for one in views(network.backbone):
        rows = one - one.mean(0)
        factor = torch.linalg.cholesky(rows.T @ rows / len(rows) + 0.1 * torch.eye(16))
        both.append(torch.linalg.solve_triangular(factor, rows.T, upper=False).T)
    return by_torch(*both)


@pytest.mark.parametrize("loss", [apart, beside_a_variance, whitened])
def test_what_keeps_outputs_apart(loss: Any) -> None:
    assert run(Siamese(), loss).get("loss.nothing_holds_apart") is not True


# -- itself


def copied(network: Any) -> dict[str, Any]:
    return {name: one.detach().clone() for name, one in network.named_parameters()}


def by_reference(network: Any) -> dict[str, Any]:
    return {name: one.data for name, one in network.named_parameters()}


def the_same(network: Any) -> dict[str, Any]:
    return dict(network.named_parameters())


@pytest.mark.parametrize("keep", [copied, by_reference, the_same, lambda network: network.state_dict()])
@pytest.mark.parametrize(
    "size",
    [lambda one, old: (one - old).pow(2).sum(), F.mse_loss, lambda one, old: (old - one).norm(2)],
    ids=["square", "mse", "norm"],
)
def test_a_penalty_of_weights_and_their_copy(keep: Any, size: Any) -> None:
    network = mlp(8, 1)
    with torch.no_grad():
        before = keep(network)

    def loss(model: Any, _: int) -> Any:
        inputs, targets = numbers()
        penalty = sum(size(one, before[name]) for name, one in model.named_parameters())
        return F.mse_loss(model(inputs), targets) + 0.1 * penalty

    assert run(network, loss)["loss.compares_with_itself"] is (keep is not copied)


def test_gradients_are_scaled_on_purpose() -> None:
    def loss(model: Any, _: int) -> Any:
        inputs, targets = numbers()
        first = model[0]
        scaled = first.weight.detach() + 0.1 * (first.weight - first.weight.detach())
        return F.mse_loss(model[2](F.linear(inputs, scaled, first.bias).relu()), targets)

    assert "loss.compares_with_itself" not in run(mlp(8, 1), loss)
