"""A run with a NaN step in its middle goes on bit by bit as it would have without anybody looking."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint

from .looking import watched


def bits(values: Any) -> bytes:
    """The bytes of a tensor: NaN is equal to itself."""
    return bytes(values.detach().contiguous().flatten().view(torch.uint8).tolist())


def net() -> nn.Sequential:
    return nn.Sequential(nn.Linear(6, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.3), nn.Linear(16, 3))


def batches() -> list[Any]:
    """Two epochs; two batches hold nothing but zeros."""
    inputs, labels = torch.randn(60, 6), torch.randint(0, 3, (60,))
    data = torch.utils.data.TensorDataset(inputs, labels)
    found: list[Any] = [
        *torch.utils.data.DataLoader(data, 8, shuffle=True),
        *torch.utils.data.DataLoader(data, 8),
    ]
    found[5][0].zero_()
    found[9][0].zero_()
    return found


def after(model: nn.Module, losses: list[Any]) -> list[bytes]:
    """Every number that the run leaves behind."""
    return [*map(bits, losses), *map(bits, model.state_dict().values()), bits(torch.get_rng_state())]


def bad_where_zero(inputs: Any, outputs: Any, labels: Any) -> Any:
    """Its gradient is NaN where the inputs are nothing but zeros."""
    return F.cross_entropy(outputs, labels) + (outputs * inputs.abs().sum()).pow(2).sum().sqrt() * 1e-3


def goes_on_with_nan_weights() -> list[bytes]:
    model, losses = net(), []
    optimizer = torch.optim.AdamW(model.parameters())
    for inputs, labels in batches():
        optimizer.zero_grad()
        loss = bad_where_zero(inputs, model(inputs), labels)
        loss.backward()
        optimizer.step()
        losses.append(loss)
    return after(model, losses)


def skips_the_bad_step_itself() -> list[bytes]:
    model, losses = net(), []
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    for inputs, labels in batches():
        optimizer.zero_grad()
        loss = bad_where_zero(inputs, model(inputs), labels)
        loss.backward()
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        if torch.isfinite(norm):
            optimizer.step()
        losses.append(loss)
    return after(model, losses)


def skips_with_a_scaler() -> list[bytes]:
    model, losses = net(), []
    scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step, (inputs, labels) in enumerate(batches()):
        optimizer.zero_grad()
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = bad_where_zero(inputs, model(inputs).float(), labels)
        if step == 5:
            loss = loss * float("nan")
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        losses.append(loss)
    return after(model, losses)


def leaves_the_bad_steps_out() -> list[bytes]:
    model, losses = net(), []
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step, (inputs, labels) in enumerate(batches()):
        loss = bad_where_zero(inputs, model(inputs), labels) * (float("nan") if 4 < step < 9 else 1.0)
        losses.append(loss)
        if not torch.isfinite(loss):
            continue
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return after(model, losses)


class Encoder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(20, 16)
        self.layers = nn.ModuleList(
            nn.TransformerEncoderLayer(16, 2, 32, 0.1, batch_first=True) for _ in range(2)
        )
        self.head = nn.Linear(16, 20)
        self.seen = 0

    def forward(self, tokens: torch.Tensor) -> Any:
        self.seen += 1
        hidden = self.embed(tokens)
        for layer in self.layers:
            hidden = checkpoint(layer, hidden, use_reentrant=False) if self.training else layer(hidden)
        return self.head(hidden) * (1 + self.seen % 3)


def evaluates_and_checkpoints() -> list[bytes]:
    model, losses = Encoder(), []
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step in range(12):
        tokens = torch.randint(0, 20, (4, 7)) * (step not in (3, 6))
        optimizer.zero_grad()
        loss = F.cross_entropy(model(tokens).flatten(0, 1), tokens.flatten())
        (loss + (loss * tokens.sum()).sqrt()).backward()
        if step not in (3, 6):
            optimizer.step()
        losses.append(loss)
        model.eval()
        with torch.no_grad():
            losses.append(model(tokens).sum())
        model.train()
    return after(model, losses)


def enters_a_default_device() -> list[bytes]:
    model, losses = net(), []
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step in range(9):
        with torch.device("cpu"):
            inputs, labels = torch.randn(8, 6) * (step != 5), torch.randint(0, 3, (8,))
            optimizer.zero_grad()
            loss = bad_where_zero(inputs, model(inputs), labels)
            loss.backward()
            optimizer.step()
        losses.append(loss)
    return after(model, losses)


def two_optimizers_and_a_penalty_on_gradients() -> list[bytes]:
    maker, judge, losses = nn.Linear(4, 6), nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 1)), []
    first = torch.optim.Adam(judge.parameters())
    second = torch.optim.Adam(maker.parameters())
    for step in range(9):
        real, fake = torch.randn(8, 6, requires_grad=True), maker(torch.randn(8, 4))
        slope = torch.autograd.grad(judge(real).sum(), real, create_graph=True)[0]
        loss = judge(fake.detach()).mean() - judge(real).mean() + (slope.norm(dim=1) - 1).pow(2).mean()
        loss = loss / (0.0 if step == 4 else 1.0)
        first.zero_grad()
        loss.backward()
        if step != 4:
            first.step()
        second.zero_grad()
        (-judge(maker(torch.randn(8, 4))).mean()).backward()
        second.step()
        losses.append(loss)
    return [*after(maker, losses), *after(judge, [])]


RUNS = [
    goes_on_with_nan_weights,
    skips_the_bad_step_itself,
    skips_with_a_scaler,
    leaves_the_bad_steps_out,
    evaluates_and_checkpoints,
    enters_a_default_device,
    two_optimizers_and_a_penalty_on_gradients,
]


@pytest.mark.parametrize("run", RUNS, ids=lambda run: run.__name__)
def test_the_run_is_the_same_bit_by_bit(run: Callable[[], list[bytes]]) -> None:
    torch.manual_seed(0)
    without = run()
    torch.manual_seed(0)
    with watched() as said:
        looked_at = run()
    assert looked_at == without
    assert said.records("event") != []
    assert torch._C._len_torch_function_stack() == 0
