"""Terms of a loss that are reduced in different ways, broadcast or drown others; and their healthy neighbours."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from tests.live.checking import Loss, checked, mlp, numbers, trained
from traindx.probes.live.observer.checks import drowned as checks_drowned


def masked(values: Any, mask: Any) -> Any:
    return (values * mask).sum() / mask.sum().clamp(min=1)


@pytest.mark.parametrize(
    ("loss", "found"),
    [
        (lambda out, y: F.mse_loss(out, y) - 0.5 * torch.sum(1 - out.pow(2)), True),
        (lambda out, y: F.mse_loss(out, y, reduction="sum") + out.abs().mean(), True),
        (lambda out, y: F.mse_loss(out, y) + out.pow(2).sum() / len(out), False),
        (lambda out, y: F.mse_loss(out, y) + 1e-3 * out.pow(2).sum(), False),
        (lambda out, y: F.mse_loss(out, y) + out.pow(2).sum(1).mean(), False),
        (lambda out, y: F.mse_loss(out, y, reduction="sum") + out.abs().sum(), None),
        (lambda out, y: F.mse_loss(out, y, reduction="sum") / len(out) + 0.01 * out.pow(2).mean(), False),
        (lambda out, y: (((out - y) ** 2) / len(out)).sum() + 0.01 * out.pow(2).mean(), False),
        (lambda out, y: (F.mse_loss(out, y) + out.pow(2).sum()) / 32, True),
        (lambda out, y: F.mse_loss(out, y) + (out * out).sum(), True),
        (
            lambda out, y: masked(F.mse_loss(out, y, reduction="none"), y > 1) + 0.01 * out.pow(2).mean(),
            False,
        ),
        (lambda out, y: (out.softmax(0) * (out - y) ** 2).sum() + 0.01 * out.pow(2).mean(), False),
        (lambda out, y: torch.where(y > 1, (out - y) ** 2, 0).sum() / 5 + 0.01 * out.abs().mean(), False),
    ],
    ids=[
        "sum beside mean",
        "mean beside sum",
        "divided",
        "weighted",
        "sum of each sample",
        "both sums",
        "divided, beside a small one",
        "divided before",
        "all divided",
        "square",
        "masked",
        "weights that add up to 1",
        "chosen",
    ],
)
def test_a_sum_beside_a_mean_is_told_unless_it_has_a_weight(loss: Loss, found: bool | None) -> None:
    assert trained(loss).facts.get("loss.sum_beside_mean") is found


@pytest.mark.parametrize("late", [True, False], ids=["from step 8 on", "from the start"])
def test_a_term_that_comes_later_is_told(late: bool) -> None:
    calls: list[int] = []

    def loss(out: Any, y: Any) -> Any:
        calls.append(1)
        return F.mse_loss(out, y) + (0.0 if late and len(calls) < 8 else 1.0) * out.abs().mean()

    assert trained(loss, steps=12).facts.get("loss.terms_change", False) is late


@pytest.mark.parametrize(
    "count",
    [lambda step: 3 + step % 4, lambda step: 1 + (step % 3 == 0)],
    ids=["one for each frame", "one in every third step"],
)
def test_a_number_of_terms_that_goes_to_and_fro_is_no_change(count: Callable[[int], int]) -> None:
    calls: list[int] = []

    def loss(out: Any, y: Any) -> Any:
        calls.append(1)
        terms = count(len(calls))
        return sum(F.mse_loss(out * (1 + term), y) for term in range(terms)) / terms

    assert "loss.terms_change" not in trained(loss, steps=12).facts


@pytest.mark.parametrize(
    ("loss", "found"),
    [
        (lambda out, y: F.mse_loss(out, y) + min(1, len(y) // 1000) * out.abs().mean(), 1),
        (lambda out, y: F.mse_loss(out, y) + 0.1 * out.abs().mean(), 0),
        (lambda out, y: F.mse_loss(out, y), None),
    ],
    ids=["times zero", "weighted", "one term"],
)
def test_terms_that_count_nothing_are_counted(loss: Loss, found: int | None) -> None:
    assert trained(loss).facts.get("loss.terms_without_weight") == found


@pytest.mark.parametrize(
    ("loss", "found"),
    [
        (lambda out, y: -(F.log_softmax(out, 1)[:, 0] * (y - y.mean())).mean(), True),
        (lambda out, y: (out[:, 0] + y).pow(2).mean(), True),
        (lambda out, y: -(F.log_softmax(out, 1)[:, 0] * y.squeeze(1)).mean(), False),
        (lambda out, y: (out[:, 0] * y.squeeze(1)[:, None]).mean(), False),
        (lambda out, y: ((out[:, 0] * y).mean().detach() * 0 + out[:, 0]).mean(), False),
    ],
    ids=["weight", "sum", "rows", "pairs on purpose", "not in the loss"],
)
def test_a_product_of_a_row_and_a_column_is_told_where_it_becomes_the_loss(loss: Loss, found: bool) -> None:
    assert trained(loss, outputs=3).facts.get("loss.shapes_broadcast", False) is found


class Conditioned(nn.Module):
    """Adds what it knows of a class, where it is given one."""

    def __init__(self) -> None:
        super().__init__()
        self.body, self.label_emb = mlp(8, 1), nn.Embedding(4, 1)

    def forward(self, x: Any, label: Any = None) -> Any:
        return self.body(x) + (self.label_emb(label) if label is not None else 0)


@pytest.mark.parametrize(
    ("given", "named"), [(False, "label_emb"), (True, None)], ids=["never called", "called"]
)
def test_a_module_that_no_forward_calls_is_named(given: bool, named: str | None) -> None:
    model = Conditioned()
    with checked() as said:
        optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
        for _ in range(12):
            inputs, targets = numbers()
            optimizer.zero_grad()
            F.mse_loss(model(inputs, torch.randint(0, 4, (32,)) if given else None), targets).backward()
            optimizer.step()
    assert said.facts.get("model.never_called") == named


def test_pictures_with_a_plain_border_are_not_taken_for_one_batch() -> None:
    pictures = torch.zeros(512, 1, 16, 16)
    pictures[:, :, 4:12, 4:12] = torch.randint(0, 2, (512, 1, 8, 8)).float()
    model = nn.Sequential(nn.Flatten(), nn.Linear(256, 1))
    with checked() as said:
        optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)
        for _ in range(12):
            optimizer.zero_grad()
            model(pictures[torch.randperm(512)[:64]]).pow(2).mean().backward()
            optimizer.step()
    assert said["data.same_batch"] is False


@pytest.mark.parametrize(("outside", "told"), [(True, False), (False, True)], ids=["scores", "hidden"])
def test_scores_near_their_bounds_are_no_saturated_activations(outside: bool, told: bool) -> None:
    class Squashed(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first, self.last = nn.Linear(8, 16), nn.Linear(16, 1)

        def forward(self, x: Any) -> Any:
            hidden = self.first(x) if outside else torch.sigmoid(40 * self.first(x))
            return self.last(hidden) - 9.0

    model = Squashed()
    with checked() as said:
        optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)
        for _ in range(12):
            inputs, targets = numbers()
            scores = model(inputs)
            optimizer.zero_grad()
            (torch.sigmoid(scores) ** 2 * (scores - targets) ** 2).mean().backward()
            optimizer.step()
    assert (said.facts.get("act.saturated_share", 0.0) > 0.5) is told


@pytest.mark.parametrize(
    ("scale", "weight", "drowned"),
    [(100.0, 1.0, True), (100.0, 1000.0, False), (0.1, 1.0, False)],
    ids=["in pixels", "weighed", "in shares of the picture"],
)
def test_a_cross_entropy_beside_boxes_in_pixels_is_drowned(
    scale: float, weight: float, drowned: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checks_drowned, "LATE", 20)
    trunk, box, kind = nn.Linear(8, 16), nn.Linear(16, 4), nn.Linear(16, 5)
    with checked() as said:
        optimizer = torch.optim.SGD([*trunk.parameters(), *box.parameters(), *kind.parameters()], lr=1e-6)
        for _ in range(60):
            hidden = torch.relu(trunk(torch.randn(32, 8)))
            boxes = F.mse_loss(box(hidden), scale * torch.rand(32, 4))
            optimizer.zero_grad()
            (boxes + weight * F.cross_entropy(kind(hidden), torch.randint(0, 5, (32,)))).backward()
            optimizer.step()
    assert said["loss.term_drowned"] is drowned
