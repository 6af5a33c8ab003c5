"""What a check may cost: it is cut short where it takes long, and let go of where it breaks."""

from __future__ import annotations

import gc
import time
import weakref
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import nn

from tests.live.checking import cross_entropy, mlp, train
from traindx.probes.live.observer.checks import told
from traindx.probes.live.observer.checks.check import Check
from traindx.probes.live.observer.journal import Journal
from traindx.probes.live.observer.operations import Call


class Slow(Check):
    """Takes longer than a step."""

    name = "slow"
    early = 6
    functions = ("linear",)
    calls = 0
    looks = 0

    def called(self, call: Call) -> None:
        """A layer was called."""
        Slow.calls += 1
        until = time.thread_time() + 0.05
        while time.thread_time() < until:
            pass

    def look_ended(self, step: int) -> None:
        """What was gathered may be said."""
        Slow.looks += 1


def test_a_check_that_takes_long_sees_no_more_of_that_step(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(told, "CHECKS", (Slow,))
    Slow.calls = Slow.looks = 0
    model = nn.Sequential(*(nn.Linear(8, 8) for _ in range(20)))
    train(model, cross_entropy)
    assert Slow.looks > 2
    assert Slow.calls == Slow.looks


def test_inputs_are_compared_on_devices_without_double_precision(monkeypatch: pytest.MonkeyPatch) -> None:
    def double(tensor: Any) -> Any:
        raise TypeError("Cannot convert a MPS Tensor to float64 dtype")

    monkeypatch.setattr(torch.Tensor, "double", double)
    assert train(mlp(), cross_entropy)["data.same_batch"] is False


class Broken(Check):
    """Raises in its first look, and holds something."""

    name = "broken"
    early = 6
    held: Any = None

    def before_backward(self, loss: torch.Tensor) -> None:
        """A mistake."""
        self.held = [loss]
        raise ValueError


def test_what_a_broken_check_holds_goes_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(told, "CHECKS", (Broken,))
    lines: list[bytes] = []
    watcher: Any = SimpleNamespace(torch=torch, step=0)
    checks = told.ToldChecks(Journal(lines.append), {}, watcher)
    checks.begin(2, 0.01)
    gone = weakref.ref(checks._checks[0])
    checks.tell("before_backward", torch.ones(()))
    checks.end()
    gc.collect()
    assert b"ValueError" in b"".join(lines)
    assert gone() is None


# -- seen early, and over later
