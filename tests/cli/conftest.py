"""Running `diagnose` as a person does, in this process."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from traindx.cli.errors import guarded
from traindx.cli.group import run

EXAMPLE = Path(__file__).parents[2] / "examples" / "nan-loss"
DOUBLE_SOFTMAX = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(10, 3)

    def forward(self, x):
        return torch.softmax(self.fc(x), dim=1)


net, criterion = Net(), nn.CrossEntropyLoss()
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for x, y in loader:
    opt.zero_grad()
    loss = criterion(net(x), y)
    loss.backward()
    opt.step()
"""


class Result(NamedTuple):
    """What a call left behind."""

    code: int
    out: str
    err: str

    @property
    def data(self) -> Any:
        return json.loads(self.out)


Command = Callable[..., Result]


@pytest.fixture
def diagnose(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    def call(*args: str | Path) -> Result:
        monkeypatch.setattr(sys, "argv", ["diagnose", *map(str, args)])
        capsys.readouterr()
        code = guarded(run)
        out, err = capsys.readouterr()
        return Result(code, out, err)

    return call


@pytest.fixture
def example(tmp_path: Path) -> Path:
    """A copy of the recorded run in which FP16 overflows, without its script."""
    folder = tmp_path / "exp42"
    folder.mkdir()
    for name in ("train.log", "config.yaml"):
        shutil.copy(EXAMPLE / name, folder / name)
    return folder


@pytest.fixture
def in_example(example: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The same, as the working directory."""
    monkeypatch.chdir(example)
    return example
