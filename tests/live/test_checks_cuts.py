"""Why parameters get no gradient."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn

from tests.live import checking
from tests.live.checking import checked, numbers, train
from traindx.probes.live.observer import parts


class Coder(nn.Module):
    """Two parts, with something between them."""

    def __init__(self, between: Any) -> None:
        super().__init__()
        self.encoder, self.decoder = nn.Linear(8, 4), nn.Linear(4, 1)
        self.between = between

    def forward(self, inputs: Any) -> Any:
        return self.decoder(self.between(self.encoder(inputs)))


def rounded(code: Any) -> Any:
    return torch.tensor([[round(one, 1) for one in row] for row in code.tolist()])


def by_data(code: Any) -> Any:
    return code.data * 2


@pytest.mark.parametrize("between", [rounded, by_data, torch.Tensor.detach])
def test_the_line_that_cuts_the_graph_is_named(between: Any) -> None:
    said = train(Coder(between), nn.MSELoss(), numbers)
    assert said["grad.cut"] is True
    assert said["grad.result_unused"] is False
    assert "test_checks_cuts.py" in said["grad.cut_where"]


class Still(nn.Module):
    """Computes a part without gradients."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder, self.decoder = nn.Linear(8, 4), nn.Linear(4, 1)

    def forward(self, inputs: Any) -> Any:
        with torch.no_grad():
            code = self.encoder(inputs)
        return self.decoder(code)


def test_a_part_that_runs_without_gradients_is_cut() -> None:
    assert train(Still(), nn.MSELoss(), numbers)["grad.cut"] is True


class Forgetful(nn.Module):
    """Computes a condition and does not use it."""

    def __init__(self) -> None:
        super().__init__()
        self.main, self.condition = nn.Linear(8, 1), nn.Linear(8, 4)

    def forward(self, inputs: Any) -> Any:
        self.condition(inputs)
        return self.main(inputs)


def test_a_result_that_reaches_nothing_is_not_cut() -> None:
    said = train(Forgetful(), nn.MSELoss(), numbers)
    assert said["grad.result_unused"] is True
    assert said["grad.cut"] is False


class Watchful(nn.Module):
    """Looks at its own features beside the way of the gradients."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder, self.decoder = nn.Linear(8, 4), nn.Linear(4, 1)
        self.seen = 0.0

    def forward(self, inputs: Any) -> Any:
        code = self.encoder(inputs)
        self.seen += sum(map(sum, code.detach().tolist()))
        return self.decoder(code)


def test_statistics_of_what_trains_are_no_cut() -> None:
    said = train(Watchful(), nn.MSELoss(), numbers)
    assert said.facts.get("grad.cut") is not True


class Dropped(nn.Module):
    """Leaves out its second layer in some steps, and its last in all up to a step."""

    def __init__(self, skips: int, late: int) -> None:
        super().__init__()
        self.a = nn.ModuleList([nn.Linear(8, 8), nn.Linear(8, 8)])
        self.head, self.pooler = nn.Linear(8, 1), nn.Linear(8, 1)
        self.skips, self.late, self.step = skips, late, 0

    def forward(self, inputs: Any) -> Any:
        self.step += 1
        hidden = self.a[0](inputs)
        hidden = hidden if self.step == self.skips else self.a[1](hidden)
        return self.head(hidden) + (self.pooler(hidden) if self.step >= self.late else 0)


def test_a_layer_that_is_left_out_in_the_step_that_is_looked_at_is_called_in_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(checking, "CHECKS", parts.PARTS)
    said = train(Dropped(skips=10, late=99), nn.MSELoss(), numbers)
    assert said["model.never_called"] == "pooler"


def test_a_layer_that_is_called_at_last_is_no_longer_named() -> None:
    seen = []
    model = Dropped(skips=0, late=30)
    with checked() as said:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        for step in range(1, 53):
            inputs, targets = numbers()
            optimizer.zero_grad()
            nn.MSELoss()(model(inputs), targets).backward()
            optimizer.step()
            seen += [said.facts["model.never_called"]] if step in (12, 52) else []
    assert seen == ["pooler", ""]
