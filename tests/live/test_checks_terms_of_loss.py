"""Terms of a loss that have no graph, and their healthy neighbours."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from tests.live.checking import Loss, checked, cross_entropy, mlp, numbers, trained
from tests.live.looking import Said

FROZEN = nn.Linear(1, 4).requires_grad_(False)


def features(values: Any) -> Any:
    return FROZEN(values)


def without_gradients(values: Any) -> Any:
    with torch.no_grad():
        return features(values)


CODES = torch.linspace(-3, 3, 8)[:, None]


def quantised(out: Any) -> Any:
    return CODES[(out.detach() - CODES.T).abs().argmin(1)]


def to_prior(out: Any) -> Any:
    """The divergence of a normal distribution around `out` from the standard one."""
    return 0.5 * out.pow(2).sum(1).mean()


def two(out: Any) -> Any:
    """The scores of two classes."""
    return torch.cat([out, -out], 1)


def overlap(mask: Any, y: Any) -> Any:
    """Twice what two masks share, over what they hold together."""
    truth = (y > 0).float()
    return 2 * (mask * truth).sum() / (mask.sum() + truth.sum())


@pytest.mark.parametrize(
    "loss",
    [
        lambda out, y: F.mse_loss(out, y) + F.l1_loss(features(out.detach()), features(y)),
        lambda out, y: F.mse_loss(out, y) + F.l1_loss(out.detach() @ FROZEN.weight.T, features(y)),
        lambda out, y: F.mse_loss(out, y) + 0.5 * F.l1_loss(features(out).detach().clone(), features(y)),
        lambda out, y: F.mse_loss(out, y) + (features(out).data - features(y)).pow(2).mean(),
        lambda out, y: sum([F.mse_loss(out, y), F.l1_loss(without_gradients(out), features(y))]),
        lambda out, y: F.mse_loss(out, y) + 0.5 * F.l1_loss(out.detach(), y),
        lambda out, y: F.mse_loss(out, y) + 0.5 * (out.detach() - y).abs().mean(),
        lambda out, y: F.mse_loss(out, y) + 0.01 * out.detach().pow(2).mean(),
        lambda out, y: F.mse_loss(out, y) + (1 - overlap((out > 0).float(), y)),
        lambda out, y: 1e-3 * out.pow(2).mean() + (1 - overlap(two(out).max(1)[1].float(), y[:, 0])),
        lambda out, y: (
            F.mse_loss(out, y) + (two(out.detach()).argmax(1) != (y[:, 0] > 0).long()).float().mean()
        ),
    ],
    ids=[
        "detach before a layer",
        "detach before a product",
        "detach",
        "data",
        "no_grad",
        "second look at the output",
        "by hand",
        "penalty",
        "a mask above a threshold",
        "classes beside a penalty",
        "share of wrong classes",
    ],
)
def test_a_term_that_was_cut_from_its_graph_is_lost(loss: Loss) -> None:
    said = trained(loss)
    assert said["loss.term_lost"] is True
    assert __file__.rpartition("/")[2] in str(said["loss.term_lost_where"])


@pytest.mark.parametrize(
    "loss",
    [
        lambda out, y: F.mse_loss(out, y) + F.l1_loss(features(out), features(y).detach()),
        lambda out, y: F.mse_loss(out, y) + F.mse_loss(out, (out * 0.9 + y).detach()),
        lambda out, y: (x := F.mse_loss(out, y)) + (x - x.detach()),
        lambda out, y: F.mse_loss(out, y) + torch.tensor(3.0) + FROZEN.weight.norm(),
        lambda out, y: F.mse_loss(out, y) + (out * (out > y).float()).sum() / ((out > y).float().sum() + 1),
        lambda out, y: F.mse_loss(out + ((out > 0).float() - out.sigmoid()).detach(), y),
        lambda out, y: (out.sigmoid().mean() * (out > 0).float().mean()) + F.mse_loss(out, y),
        lambda out, y: F.mse_loss(out, y) + cross_entropy(two(out), two(out).argmax(1)),
        lambda out, y: out.detach().max() + (out - out.detach().max()).exp().sum().log() - y.mean(),
        lambda out, y: F.mse_loss(out, y) - out.detach().mean(),
        lambda out, y: (
            F.mse_loss(out, y)
            + 0.25 * F.mse_loss(out, quantised(out))
            + F.mse_loss(quantised(out), out.detach())
        ),
        lambda out, y: (
            F.mse_loss(out + (quantised(out) - out).detach(), y)
            + 0.25 * (quantised(out) - out).pow(2).mean()
            + (quantised(out) - out.detach()).pow(2).mean()
        ),
        lambda out, y: F.mse_loss(out, y) + 0.2 * to_prior(out) + 0.8 * to_prior(out.detach()),
        lambda out, y: F.mse_loss(out, y) + (0.0 * out).pow(2).mean() + (0.0 * out.detach()).pow(2).mean(),
        lambda out, y: F.mse_loss(out, y) + torch.nan * (F.l1_loss(out, y) + F.l1_loss(out.detach(), y)),
    ],
    ids=[
        "feature loss",
        "target",
        "dice",
        "constants",
        "mean over a mask",
        "steps passed straight through",
        "load of an expert",
        "its own labels",
        "log-sum-exp",
        "baseline",
        "codebook",
        "codebook passed straight through",
        "both ways to a fixed prior",
        "zero",
        "not a number",
    ],
)
def test_what_has_no_graph_on_purpose_is_no_lost_term(loss: Loss) -> None:
    assert trained(loss).facts.get("loss.term_lost", False) is False


def asked_aside(loss: Callable[[Any, Any, Any, Any], Any]) -> Said:
    """The loss is given the output, the targets, and what the same model says of other inputs without gradients."""
    model = mlp(8, 4)
    with checked() as said:
        optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)
        for _ in range(4):
            inputs, targets = numbers()
            optimizer.zero_grad()
            out = model(inputs)
            with torch.no_grad():
                one, other = model(inputs + 0.1), model(inputs - 0.1)
            loss(out, targets, one, other).backward()
            optimizer.step()
    return said


@pytest.mark.parametrize(
    "loss",
    [
        lambda out, y, one, other: F.mse_loss(out, features(y)) + 0.5 * F.mse_loss(one, other),
        lambda out, y, one, other: torch.stack([F.mse_loss(out, features(y)), F.mse_loss(one, other)]).sum(),
        lambda out, y, one, other: (
            F.mse_loss(out, features(y)) + F.cross_entropy(one @ other.T, torch.arange(32))
        ),
    ],
    ids=["added", "stacked", "contrast"],
)
def test_a_term_of_what_the_model_says_without_gradients_is_lost(loss: Any) -> None:
    assert asked_aside(loss)["loss.term_lost"] is True


@pytest.mark.parametrize(
    "loss",
    [
        lambda out, y, one, other: F.mse_loss(out, 0.9 * one + features(y)),
        lambda out, y, one, other: F.mse_loss(out, features(y)) + 0.5 * F.mse_loss(out, one),
        lambda out, y, one, other: ((out - other) * one).mean() - other.mean(),
        lambda out, y, one, other: F.mse_loss(out, features(y)) * (1.0 + one.mean()),
        lambda out, y, one, other: (
            F.mse_loss(out, features(y))
            + (out @ out.T).mean()
            + (one @ one.T).mean()
            - 2 * (out @ one.T).mean()
        ),
    ],
    ids=["target", "consistency", "baseline", "weight", "distance to a target"],
)
def test_what_the_model_says_without_gradients_may_be_a_target_or_a_weight(loss: Any) -> None:
    assert asked_aside(loss).facts.get("loss.term_lost", False) is False


def test_a_loss_that_was_cut_off_as_a_whole_has_no_terms() -> None:
    said = trained(lambda out, y: torch.tensor(F.mse_loss(out, y).item(), requires_grad=True))
    assert said.records("trouble") == []
    assert "loss.terms_without_weight" not in said.facts


def test_a_term_that_is_only_logged_is_no_lost_term() -> None:
    seen = []

    def loss(out: Any, y: Any) -> Any:
        kept = F.mse_loss(out, y)
        seen.append(kept.detach() + F.l1_loss(out.detach(), y))
        return kept

    assert trained(loss).facts.get("loss.term_lost", False) is False
