"""A term of a loss from which nothing learns, and the terms of sound losses."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from tests.live.checking import checked, mlp
from traindx.probes.live.observer.checks import terms
from traindx.probes.live.observer.graphs import nodes_below

Adversary = Callable[[nn.Module, Any, Any], Any]


def painter(adversary: Adversary, critic_first: bool = False, steps: int = 52) -> Any:
    """A generator with a reconstruction term beside what its critic says."""
    generator, critic = mlp(4, 6), mlp(6, 1)
    with checked() as said:
        first = torch.optim.Adam(generator.parameters(), lr=1e-3)
        second = torch.optim.Adam(critic.parameters(), lr=1e-3)

        def judge(fake: Any, real: Any) -> None:
            second.zero_grad()
            (F.softplus(-critic(real)).mean() + F.softplus(critic(fake)).mean()).backward()
            second.step()

        for _ in range(steps):
            noise, real = torch.randn(32, 4), torch.randn(32, 6)
            fake = generator(noise)
            if critic_first:
                judge(fake.detach(), real)
            first.zero_grad()
            ((fake - real).abs().mean() + 0.1 * adversary(critic, fake, real)).backward()
            first.step()
            if not critic_first:
                judge(fake.detach(), real)
    return said


def score(critic: nn.Module, fake: Any) -> Any:
    return F.softplus(-critic(fake)).mean()


@pytest.mark.parametrize("critic_first", [False, True], ids=["generator first", "critic first"])
@pytest.mark.parametrize(
    "adversary",
    [
        lambda critic, fake, real: score(critic, fake.detach()),
        lambda critic, fake, real: score(critic, fake.data),
        lambda critic, fake, real: score(critic, torch.cat([fake.detach()[:, :3], real[:, 3:]], 1)),
    ],
    ids=["detached", "data", "joined with a condition"],
)
def test_a_term_that_judges_what_was_cut_off_is_seen(adversary: Adversary, critic_first: bool) -> None:
    said = painter(adversary, critic_first)
    assert said["loss.term_lost"] is True
    assert "test_checks_terms.py" in said["loss.term_lost_where"]


@pytest.mark.parametrize(
    "adversary",
    [
        lambda critic, fake, real: score(critic, fake),
        lambda critic, fake, real: score(critic, fake) + F.softplus(critic(real)).mean(),
        lambda critic, fake, real: score(critic, fake) + 0.1 * fake.pow(2).mean() + torch.ones(()),
    ],
    ids=["plain", "with what the critic says of real ones", "with a penalty and a constant"],
)
@pytest.mark.parametrize("critic_first", [False, True], ids=["generator first", "critic first"])
def test_a_sound_loss_of_several_terms_is_cleared(adversary: Adversary, critic_first: bool) -> None:
    assert painter(adversary, critic_first).facts.get("loss.term_lost") is not True


def test_a_detached_term_that_a_second_optimizer_learns_from_is_cleared() -> None:
    body, probe = mlp(4, 6), mlp(6, 1)
    with checked() as said:
        optimizers = [torch.optim.Adam(one.parameters(), lr=1e-3) for one in (body, probe)]
        for _ in range(14):
            features = body(torch.randn(32, 4))
            for one in optimizers:
                one.zero_grad()
            (features.pow(2).mean() + F.softplus(probe(features.detach())).mean()).backward()
            for one in optimizers:
                one.step()
    assert said["loss.term_lost"] is False


def two_optimizers(body: Callable[[nn.Module], Any], steps: int = 12) -> Any:
    """A loop in which the loss is `body(model)`, and a second model has an optimizer as well."""
    model, other = mlp(4, 6), mlp(6, 1)
    with checked() as said:
        optimizers = [torch.optim.SGD(one.parameters(), lr=1e-3) for one in (model, other)]
        for _ in range(steps):
            for one in optimizers:
                one.zero_grad()
            (body(model) + other(torch.randn(4, 6)).mean()).backward()
            for one in optimizers:
                one.step()
    return said


def test_outputs_that_the_script_keeps_are_followed_up_to_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    visited = []

    def count(last: Any, most: int, *rest: Any) -> list[Any]:
        found = nodes_below(last, most, *rest)
        visited.append(len(found))
        return found

    monkeypatch.setattr(terms, "nodes_below", count)
    model = mlp(4, 6)
    first, second = ([model(torch.randn(4, 4)) for _ in range(200)] for _ in range(2))
    two_optimizers(lambda model: model(torch.randn(4, 4)).mean())
    assert len(first) == len(second) == 200
    assert 0 < len(visited) <= terms.MOST  # one look, in step 10


def test_what_was_cut_is_not_kept_alive() -> None:
    alive = []

    def body(model: nn.Module) -> Any:
        made = model(torch.randn(4, 4))
        cut = weakref.ref(made.detach())
        alive.append(cut() is not None)
        return made.mean()

    two_optimizers(body)
    assert not any(alive)
