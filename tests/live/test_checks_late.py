"""What begins late, is kept out of sight, or is made anew in each step; and what a look may cost."""

from __future__ import annotations

import copy
import gc
import time
import weakref
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from tests.live.checking import checked, classes, mlp
from tests.live.looking import Said
from traindx.probes.live.observer.checks import pace, told
from traindx.probes.live.observer.checks.check import Check
from traindx.probes.live.observer.journal import Journal
from traindx.probes.live.observer.operations import Call

# torch's `backward` has no types.
cross_entropy: Callable[..., Any] = F.cross_entropy

LATE = 45


def loop(body: Callable[[nn.Module, Any, int], Any], steps: int = 80, model: Any = None) -> Said:
    """Clear, call `body(model, optimizer, step)` for a loss, backward, step, watched."""
    with checked() as said:
        net = model or mlp()
        optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
        for step in range(1, steps + 1):
            body(net, optimizer, step).backward()
            optimizer.step()
    return said


def plain(model: nn.Module, optimizer: Any, step: int) -> Any:
    optimizer.zero_grad()
    inputs, labels = classes()
    return cross_entropy(model(inputs), labels)


# -- late


def test_gradients_that_are_no_longer_cleared_are_seen() -> None:
    def body(model: nn.Module, optimizer: Any, step: int) -> Any:
        if step < LATE:
            optimizer.zero_grad()
        inputs, labels = classes()
        return cross_entropy(model(inputs), labels)

    said = loop(body)
    assert said["grad.not_cleared"] is True


def test_losses_that_are_kept_from_a_later_step_on_are_seen() -> None:
    kept: list[Any] = []

    def body(model: nn.Module, optimizer: Any, step: int) -> Any:
        loss = plain(model, optimizer, step)
        if step > LATE:
            kept.append(loss)
        return loss

    assert loop(body)["process.graph_kept"] is True


def test_a_long_correct_loop_is_cleared_of_all_this() -> None:
    said = loop(plain, steps=150)
    assert said["process.graph_kept"] is False
    assert said["grad.not_cleared"] is False
    assert said["data.same_batch"] is False


# -- out of sight


class Recorder:
    """Keeps what a layer gives."""

    def __init__(self, layer: nn.Module) -> None:
        self.outputs: list[Any] = []
        layer.register_forward_hook(self._keep)

    def _keep(self, layer: nn.Module, given: Any, output: Any) -> None:
        self.outputs.append(output)


def test_outputs_that_a_hook_keeps_are_seen_and_named() -> None:
    model = mlp()
    recorder = Recorder(model[0])
    said = loop(plain, 20, model)
    assert len(recorder.outputs) == 20
    assert said["process.graph_kept"] is True
    assert "Recorder.outputs" in said["process.growing_type"]
    assert "test_checks_late.py" in said["process.graph_kept_where"]


def test_what_a_closure_keeps_is_seen_and_named() -> None:
    def keeper() -> Callable[..., None]:
        features: list[Any] = []
        return lambda layer, given, output: features.append(output)

    model = mlp()
    model[0].register_forward_hook(keeper())
    said = loop(plain, 20, model)
    assert said["process.graph_kept"] is True
    assert "features" in said["process.growing_type"]


def test_a_hook_that_keeps_the_last_few_is_meant() -> None:
    from collections import deque

    last: deque[Any] = deque(maxlen=3)
    model = mlp()
    model[0].register_forward_hook(lambda layer, given, output: last.append(output))
    assert loop(plain, 34, model)["process.graph_kept"] is False


def test_a_loss_kept_now_and_then_is_seen() -> None:
    kept: list[Any] = []

    def body(model: nn.Module, optimizer: Any, step: int) -> Any:
        loss = plain(model, optimizer, step)
        if step % 5 == 0:
            kept.append(loss)
        return loss

    assert loop(body, 40)["process.graph_kept"] is True


# -- the same batch, made anew


def batches(give: Callable[[], Any]) -> Said:
    """Train on what `give` returns: inputs of shape (32, 8) and labels."""

    def body(model: nn.Module, optimizer: Any, step: int) -> Any:
        optimizer.zero_grad()
        inputs, labels = give()
        return cross_entropy(model(inputs), labels)

    return loop(body, 12)


INPUTS, LABELS = torch.arange(1600.0).sin().reshape(200, 8), torch.arange(200) % 4


def seeded() -> Any:
    torch.manual_seed(7)
    return classes()


def chosen_by_a_new_generator() -> Any:
    rows = torch.randperm(200, generator=torch.Generator().manual_seed(1))[:32]
    return INPUTS[rows], LABELS[rows]


def rows_by_number() -> Any:
    rows = list(range(5, 37))
    return INPUTS[rows], LABELS[rows]


def stacked() -> Any:
    return torch.stack([INPUTS[row] for row in range(32)]), LABELS[:32]


@pytest.mark.parametrize("give", [seeded, chosen_by_a_new_generator, rows_by_number, stacked])
def test_the_same_batch_made_anew_is_seen(give: Callable[[], Any]) -> None:
    said = batches(give)
    assert said["data.same_batch"] is True
    assert said["data.same_batch_how"]


KEPT = torch.arange(32)


def a_grid() -> Any:
    return torch.linspace(0, 1, 32)[:, None].repeat(1, 8), LABELS[:32]


def the_labelled_part() -> Any:
    return INPUTS[KEPT], LABELS[KEPT]


def the_whole_set() -> Any:
    return torch.cat([INPUTS, INPUTS]), torch.cat([LABELS, LABELS])


@pytest.mark.parametrize("give", [a_grid, the_labelled_part, the_whole_set])
def test_the_same_points_in_every_step_may_be_meant(give: Callable[[], Any]) -> None:
    assert batches(give).facts.get("data.same_batch") is not True


# -- what looks cost


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
    loop(plain, 12, model)
    assert Slow.looks > 2
    assert Slow.calls == Slow.looks


def test_inputs_are_compared_on_devices_without_double_precision(monkeypatch: pytest.MonkeyPatch) -> None:
    def double(tensor: Any) -> Any:
        raise TypeError("Cannot convert a MPS Tensor to float64 dtype")

    monkeypatch.setattr(torch.Tensor, "double", double)
    assert loop(plain, 12)["data.same_batch"] is False


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


def test_what_gets_its_gradient_later_is_no_longer_missing() -> None:
    model: Any = nn.ModuleDict({"body": mlp(8, 8), "late": nn.Linear(8, 4), "head": nn.Linear(8, 4)})
    with checked("parameters.Parameters", "steps.Steps", "gradients.Gradients") as said:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        for step in range(1, 120):
            optimizer.zero_grad()
            inputs, labels = classes()
            hidden = model["body"](inputs)
            loss = cross_entropy(model["head"](hidden), labels)
            if step > LATE:
                loss = loss + cross_entropy(model["late"](hidden), labels)
            loss.backward()
            optimizer.step()
            if step == 30:
                assert said["grad.missing"] is True
    assert said["grad.missing"] is False
    assert "grad.missing_names" not in said.facts


def test_weights_that_move_once_the_rate_has_risen_are_no_longer_still() -> None:
    model = mlp()
    with checked("updates.Updates", "gradients.Gradients", "steps.Steps") as said:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        for step in range(1, 120):
            optimizer.param_groups[0]["lr"] = 1e-30 if step < LATE else 0.01
            plain(model, optimizer, step).backward()
            optimizer.step()
            if step == 30:
                assert "0.weight" in said["model.unchanged_names"]
    assert "model.unchanged_names" not in said.facts


# -- copies


def adapted(net: nn.Module, inputs: Any, labels: Any, steps: int) -> None:
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
    for _ in range(steps):
        optimizer.zero_grad()
        cross_entropy(net(inputs[:8]), labels[:8]).backward()
        optimizer.step()


@pytest.mark.parametrize(("steps", "seen"), [(40, False), (210, True)])
def test_a_copy_that_adapts_to_a_few_samples_is_not_the_run(
    steps: int, seen: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pace, "PROMPT", steps)  # no look is put off
    model = mlp()
    with checked() as said:
        for _ in range(3):
            inputs, labels = classes(64)
            adapted(copy.deepcopy(model), inputs, labels, steps)
    assert said.facts.get("data.same_batch", False) is seen


def test_copies_are_heard_of_without_a_search(monkeypatch: pytest.MonkeyPatch) -> None:
    model = mlp()
    with checked("models.Models") as said:
        monkeypatch.setattr(said.watcher.registry, "all_alive", lambda: pytest.fail("searched"))
        for _ in range(5):
            inputs, labels = classes()
            adapted(copy.deepcopy(model), inputs, labels, 3)
    assert [one["modules"] for one in said.records("model")] == [{"0": [144, 144], "2": [68, 68]}] * 5
    assert {one["copied"] for one in said.records("model")} == {True}


def test_live_objects_are_not_searched_without_end() -> None:
    weights = [torch.zeros(2, requires_grad=True) for _ in range(60)]
    with checked() as said:
        for weight in weights:
            optimizer = torch.optim.SGD([weight], lr=0.01)
            weight.sum().backward()
            optimizer.step()
    assert said.watcher.registry._scans <= 40
