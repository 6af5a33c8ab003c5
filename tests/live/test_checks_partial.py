"""Faults that concern one optimizer of several, begin in the course of a run, or lie in how often it saves."""

from __future__ import annotations

import io

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from tests.live import checking
from tests.live.checking import checked, classes, mlp, numbers
from traindx.probes.live.observer import parts


@pytest.fixture
def every_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checking, "CHECKS", parts.PARTS)


def step(optimizer: torch.optim.Optimizer, loss: torch.Tensor) -> None:
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


@pytest.mark.usefixtures("every_part")
@pytest.mark.parametrize("often", [0, 22], ids=["never", "seldom"])
def test_an_optimizer_that_never_steps_is_seen_and_one_that_steps_late_is_not(often: int) -> None:
    body, head = mlp(), nn.Linear(4, 4)
    with checked() as said:
        first, second = (torch.optim.SGD(one.parameters(), lr=0.01) for one in (body, head))
        for number in range(40):
            inputs, labels = classes()
            second.zero_grad()
            step(first, F.cross_entropy(head(body(inputs)), labels))
            if often and number % often == often - 1:
                second.step()
    assert said["grad.all_optimizers_step"] is bool(often)
    assert said["model.in_optimizer"] is True


@pytest.mark.usefixtures("every_part")
@pytest.mark.parametrize("anew", [False, True], ids=["old optimizer", "new optimizer"])
def test_a_head_that_is_replaced_late_is_seen_unless_an_optimizer_is_made_for_it(anew: bool) -> None:
    model = mlp()
    with checked() as said:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        for number in range(60):
            if number == 35:
                model[2] = nn.Linear(16, 4)
                optimizer = torch.optim.SGD(model.parameters(), lr=0.01) if anew else optimizer
            inputs, labels = classes()
            step(optimizer, F.cross_entropy(model(inputs), labels))
    assert said.facts.get("model.outgrew_optimizer", False) is not anew


@pytest.mark.usefixtures("every_part")
@pytest.mark.parametrize("divided", [False, True], ids=["as it is", "divided by hand"])
def test_a_step_past_the_scaler_is_seen_unless_the_factor_is_taken_out(divided: bool) -> None:
    model = mlp()
    with checked() as said:
        optimizer = torch.optim.SGD(model.parameters(), lr=1e-5)
        scaler = torch.amp.GradScaler("cpu", init_scale=256.0)
        for _ in range(12):
            inputs, labels = classes()
            optimizer.zero_grad()
            scaler.scale(F.cross_entropy(model(inputs), labels)).backward()
            for one in model.parameters() if divided else ():
                one.grad.div_(256.0)
            optimizer.step()
    assert said.facts.get("grad.scale_left_in", False) is not divided


def test_a_broadcast_is_seen_where_an_agent_acts_before_it_learns() -> None:
    model = mlp(8, 1)
    with checked() as said:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        for _ in range(8):
            inputs, targets = numbers()
            with torch.no_grad():
                model(inputs[:1])
            step(optimizer, (model(inputs) - targets[:, 0]).abs().mean())
    assert said["loss.shapes_broadcast"] is True


@pytest.mark.parametrize("critic_first", [True, False])
def test_a_broadcast_target_is_seen_in_either_half_of_an_actor_and_a_critic(critic_first: bool) -> None:
    actor, critic, target = mlp(8, 2), mlp(10, 1), mlp(10, 1)

    def act(states: torch.Tensor) -> torch.Tensor:
        return torch.cat([states, actor(states).tanh()], 1)

    with checked() as said:
        steps = [torch.optim.SGD(one.parameters(), lr=0.01) for one in (actor, critic)]
        for _ in range(8):
            states, rewards = torch.randn(32, 8), torch.randn(32)
            with torch.no_grad():
                actor(states[:1])

            def learn(states: torch.Tensor = states, rewards: torch.Tensor = rewards) -> None:
                with torch.no_grad():
                    goal = rewards + 0.9 * target(act(states))
                step(steps[1], (critic(act(states).detach()) - goal).pow(2).mean())

            if critic_first:
                learn()
            step(steps[0], -critic(act(states)).mean())
            if not critic_first:
                learn()
    assert said["loss.shapes_broadcast"] is True


def test_a_network_asked_for_its_own_target_before_the_backward_pass_ends_no_look() -> None:
    model = mlp(8, 1)
    with checked() as said:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        for _ in range(8):
            inputs, targets = numbers()
            now = model(inputs)
            with torch.no_grad():
                goal = targets[:, 0] + 0.9 * model(inputs.flip(1))
            step(optimizer, (now - goal).pow(2).mean())
    assert said["loss.shapes_broadcast"] is True


def test_the_loss_of_an_evaluation_between_two_steps_is_none_that_is_looked_at() -> None:
    model = mlp(8, 1)
    with checked() as said:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        for _ in range(8):
            inputs, targets = numbers()
            step(optimizer, F.mse_loss(model(inputs), targets))
            with torch.no_grad():
                (model(inputs) - targets[:, 0]).abs().mean()
    assert said["loss.shapes_broadcast"] is False


@pytest.mark.parametrize(("factor", "start"), [(1e-4, 1e-4), (1.0, 1.0)])
def test_what_a_schedule_leaves_of_the_rate_is_said(factor: float, start: float) -> None:
    model = mlp()
    with checked() as said:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda _: factor)
        for _ in range(4):
            inputs, labels = classes()
            step(optimizer, F.cross_entropy(model(inputs), labels))
            schedule.step()
    assert said["log.lr.schedule_start"] == pytest.approx(start)


def test_saving_after_each_step_is_counted() -> None:
    model = mlp()
    with checked() as said:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        for _ in range(24):
            inputs, labels = classes()
            step(optimizer, F.cross_entropy(model(inputs), labels))
            torch.save(model.state_dict(), io.BytesIO())
    assert said["log.speed.saved_steps"] == 1.0
    assert 0.0 < said["log.speed.save_share"] <= 1.0


@pytest.mark.usefixtures("every_part")
def test_a_group_that_is_added_late_has_its_rate_written_down() -> None:
    body, head = mlp(), nn.Linear(4, 4)
    with checked() as said:
        optimizer = torch.optim.SGD(head.parameters(), lr=0.01)
        for number in range(12):
            if number == 6:
                optimizer.add_param_group({"params": list(body.parameters()), "lr": 0.5})
            inputs, labels = classes()
            step(optimizer, F.cross_entropy(head(body(inputs)), labels))
    groups = said.records("optimizer")[-1]["groups"]
    assert [one["lr"] for one in groups] == [0.01, 0.5]


@pytest.mark.usefixtures("every_part")
def test_a_square_that_overflows_in_half_precision_is_named() -> None:
    model = mlp(8, 1)
    with checked() as said:
        optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)
        for number in range(8):
            inputs, targets = numbers()
            far = (model(inputs) - targets - 400.0 * (number == 6)).half()
            step(optimizer, (far * far).float().mean())
    assert said["act.nonfinite_op"] == "mul"
    assert said["act.nonfinite_dtype"] == "float16"
