"""What begins late, or is kept out of sight, and what no longer holds later on."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from tests.live.checking import checked, classes, mlp
from tests.live.looking import Said
from traindx.probes.live.observer.checks import pace

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
