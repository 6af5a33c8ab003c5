"""Hooks that become more with every step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from torch import nn

from tests.live.checking import loop, loss_of

PILE = "process.hooks_pile_up"


def note(*args: Any) -> None:
    """A hook that changes nothing."""


def layer(net: Any) -> nn.Module:
    """One that has neither weights nor modules, and is heard of through what holds it."""
    found: nn.Module = net[1]
    return found


def step(before: Callable[[Any], Any], after: Callable[[Any], Any] = lambda made: None) -> Any:
    """What the run says of hooks where each step does this before its forward, and that after it."""

    def body(net: Any, optimizer: Any, number: int) -> None:
        made = before(net)
        loss = loss_of(net)
        after(made)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    return loop(body, steps=24).facts.get(PILE)


@pytest.mark.parametrize(
    "register",
    [
        lambda net: layer(net).register_forward_hook(note),
        lambda net: layer(net).register_forward_pre_hook(note),
        lambda net: net[2].register_full_backward_hook(note),
        lambda net: net[0].weight.register_hook(lambda grad: grad.clamp(-1, 1)),
    ],
    ids=["forward", "before forward", "backward", "weight"],
)
def test_a_hook_for_each_step_is_seen(register: Callable[[Any], Any]) -> None:
    assert step(register) is True


def test_one_that_is_removed_after_its_step_is_fine() -> None:
    assert step(lambda net: layer(net).register_forward_hook(note), lambda made: made.remove()) is False


def test_some_that_are_registered_once_are_fine() -> None:
    def once(net: Any) -> None:
        if not layer(net)._forward_hooks:
            for _ in range(40):
                layer(net).register_forward_hook(note)

    assert step(once) is False


def test_hooks_on_what_each_step_computes_are_fine() -> None:
    def body(net: Any, optimizer: Any, number: int) -> None:
        loss = loss_of(net)
        loss.register_hook(lambda grad: grad)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    assert loop(body, steps=24).facts.get(PILE) is False
