"""Gradients that the loss of a rival left, and with which a network steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F

from tests.live.checking import checked, mlp

KEPT = "grad.opposed_kept"
judged: Callable[..., Any] = F.binary_cross_entropy_with_logits


def played(cut: bool = False, clear: Callable[[Any, Any], None] | None = None) -> Any:
    """A generator against a discriminator, both cleared at the end of a round."""
    with checked() as said:
        maker, judge = mlp(4, 8), mlp(8, 1)
        of_maker, of_judge = (torch.optim.Adam(one.parameters(), lr=1e-3) for one in (maker, judge))
        ones, zeros = torch.ones(64, 1), torch.zeros(64, 1)
        for _ in range(16):
            fake = maker(torch.randn(64, 4))
            real = judged(judge(torch.randn(64, 8) + 2), ones)
            (real + judged(judge(fake.detach() if cut else fake), zeros)).backward()
            of_judge.step()
            if clear is not None:
                clear(maker, of_maker)
            judged(judge(maker(torch.randn(64, 4))), ones).backward()
            of_maker.step()
            of_maker.zero_grad()
            of_judge.zero_grad()
    return said.facts.get(KEPT)


def test_a_generator_that_keeps_what_its_judge_wants_is_seen() -> None:
    assert played() is True


def clear_by_optimizer(maker: Any, optimizer: Any) -> None:
    optimizer.zero_grad()


def clear_by_module(maker: Any, optimizer: Any) -> None:
    maker.zero_grad(set_to_none=False)


def clear_by_hand(maker: Any, optimizer: Any) -> None:
    for one in maker.parameters():
        one.grad = None


@pytest.mark.parametrize("clear", [clear_by_optimizer, clear_by_module, clear_by_hand])
def test_gradients_cleared_between_the_two_losses_are_none_of_a_rival(clear: Any) -> None:
    assert played(clear=clear) is None


def test_a_judge_that_is_given_what_was_cut_leaves_nothing() -> None:
    assert played(cut=True) is None


@pytest.mark.parametrize("together", [True, False])
def test_a_part_that_steps_less_often_is_no_rival(together: bool) -> None:
    """Its gradients add up over two rounds of the other; or a second loss wants of it what the first one wants."""
    with checked() as said:
        body, head = mlp(8, 8), mlp(8, 4)
        slow, fast = torch.optim.SGD(body.parameters(), lr=0.01), torch.optim.SGD(head.parameters(), lr=0.01)
        inputs, labels = torch.randn(32, 8), torch.randint(0, 4, (32,))
        for step in range(24):
            fast.zero_grad()
            F.cross_entropy(head(body(inputs)), labels).backward()
            fast.step()
            if together:
                F.cross_entropy(head(body(inputs)), labels, label_smoothing=0.1).backward()
            if step % 2:
                slow.step()
                slow.zero_grad()
    assert said.facts.get(KEPT) is None
