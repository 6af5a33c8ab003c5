"""A learning rate that a schedule made anew throws back, under optimizers that count their steps and others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

from .checking import checked, loss_of, mlp
from .looking import Said

EPOCHS, STEPS = 6, 5
NAME = "log.lr.schedule_began_anew"


def sgd(model: Any, lr: float = 0.02) -> torch.optim.Optimizer:
    return torch.optim.SGD(model.parameters(), lr=lr, momentum=0.9)


def falling(optimizer: Any) -> Any:
    return torch.optim.lr_scheduler.LambdaLR(optimizer, lambda epoch: 0.6**epoch)


def epochs(model: Any, optimizer: Any, scheduler: Any, count: int = EPOCHS) -> None:
    for _ in range(count):
        for _ in range(STEPS):
            optimizer.zero_grad()
            loss_of(model).backward()
            optimizer.step()
        scheduler.step()


def saved(make: Callable[[Any], Any] = falling, count: int = EPOCHS) -> dict[str, Any]:
    model = mlp()
    optimizer = sgd(model)
    scheduler = make(optimizer)
    epochs(model, optimizer, scheduler, count)
    return {"optimizer": optimizer.state_dict(), "scheduler": scheduler.state_dict()}


def goes_on(resume: Callable[[Any, Any], Any], state: dict[str, Any] | None = None) -> Said:
    """Another process, in which `resume` makes the schedule of an optimizer and takes up what was saved."""
    state = state or saved()
    with checked() as said:
        model = mlp()
        optimizer = sgd(model)
        epochs(model, optimizer, resume(optimizer, state))
    return said


def made_after(optimizer: Any, state: Any) -> Any:
    optimizer.load_state_dict(state["optimizer"])
    return falling(optimizer)


def made_before(optimizer: Any, state: Any) -> Any:
    scheduler = falling(optimizer)
    optimizer.load_state_dict(state["optimizer"])
    return scheduler


@pytest.mark.parametrize("resume", [made_after, made_before])
def test_a_schedule_by_epochs_made_anew_is_seen_though_sgd_counts_no_steps(resume: Any) -> None:
    assert goes_on(resume)[NAME] is True


def test_a_schedule_that_is_restored_goes_on() -> None:
    def restored(optimizer: Any, state: Any) -> Any:
        scheduler = made_before(optimizer, state)
        scheduler.load_state_dict(state["scheduler"])
        return scheduler

    assert not goes_on(restored).facts.get(NAME)


def test_a_schedule_that_is_made_to_go_on_from_its_epoch_goes_on() -> None:
    def placed(optimizer: Any, state: Any) -> Any:
        optimizer.load_state_dict(state["optimizer"])
        return torch.optim.lr_scheduler.LambdaLR(
            optimizer, lambda epoch: 0.6**epoch, last_epoch=state["scheduler"]["last_epoch"]
        )

    assert not goes_on(placed).facts.get(NAME)


def test_another_rate_for_another_training_is_no_loss() -> None:
    def second_stage(optimizer: Any, state: Any) -> Any:
        optimizer.load_state_dict(state["optimizer"])
        for group in optimizer.param_groups:
            group["lr"] = group["initial_lr"] = 0.1
        return falling(optimizer)

    assert not goes_on(second_stage).facts.get(NAME)


def test_what_was_saved_in_a_warm_up_by_epochs_has_not_begun_anew() -> None:
    def rising(optimizer: Any) -> Any:
        return torch.optim.lr_scheduler.LambdaLR(optimizer, lambda epoch: min(1.0, (epoch + 1) / 4))

    def both(optimizer: Any, state: Any) -> Any:
        scheduler = rising(optimizer)
        optimizer.load_state_dict(state["optimizer"])
        scheduler.load_state_dict(state["scheduler"])
        return scheduler

    assert not goes_on(both, saved(rising, count=1)).facts.get(NAME)
    assert not goes_on(both, saved(rising, count=0)).facts.get(NAME)
