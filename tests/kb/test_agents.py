"""The loss of an agent that trains on what an environment answers is no measure of what it learns."""

from __future__ import annotations

import pytest

from traindx.engine.derive import derive
from traindx.engine.facts import Value
from traindx.engine.kb.knowledge import Knowledge
from traindx.engine.kb.load import load
from traindx.engine.kb.packs import own_pack
from traindx.engine.symptoms import see_symptoms

from ..small_pack import facts_of

RISING: dict[str, Value] = {
    "loss.diverging": True, "loss.spike": True, "loss.spike_ratio": 12.0, "loss.oscillating": True,
    "loss.trend": "rising", "loss.max": 172.0, "log.watched_steps": 160,
}  # fmt: skip


@pytest.fixture(scope="module")
def knowledge() -> Knowledge:
    return load([own_pack()])


def seen(knowledge: Knowledge, **more: Value) -> set[str]:
    """The symptoms of a watched run whose loss rises and jumps."""
    facts = facts_of({**RISING, **{name.replace("__", "."): value for name, value in more.items()}})
    derive(facts, knowledge)
    return {one.symptom.id for one in see_symptoms(knowledge, facts, ())}


def test_a_loss_that_rises_is_a_symptom(knowledge: Knowledge) -> None:
    assert {"loss-spike", "loss-oscillating"} <= seen(knowledge)


def test_that_of_an_agent_is_none(knowledge: Knowledge) -> None:
    assert seen(knowledge, code__environment_stepped=True) == set()


def test_that_of_an_agent_whose_log_tells_of_episodes_is_none(knowledge: Knowledge) -> None:
    assert (
        seen(knowledge, log__agent_trains=True, log__reward__risen=True, log__reward__collapsed=False)
        == set()
    )


def test_a_reward_that_falls_is_one(knowledge: Knowledge) -> None:
    more: dict[str, Value] = {"log__reward__risen": False, "log__reward__collapsed": True}
    assert seen(knowledge, log__agent_trains=True, **more) == {"loss-spike"}


def test_values_that_run_away_are_one_of_an_agent_too(knowledge: Knowledge) -> None:
    assert "loss-spike" in seen(knowledge, code__environment_stepped=True, loss__max=4e9)
