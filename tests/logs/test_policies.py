"""Policies that learn from rewards, preference tuning, and rates of few decimals: what their numbers say and what they hide."""

from __future__ import annotations

import pytest

from traindx.engine.facts import Value
from traindx.engine.kb.knowledge import Knowledge
from traindx.probes.logs import parse_series, series_facts

from .conftest import Reads

SHAPES = ("loss.diverging", "loss.oscillating", "loss.spike", "loss.flat_from_start", "loss.trend")


def facts(knowledge: Knowledge, **series: str) -> dict[str, Value]:
    values = {metric: parse_series(text) for metric, text in series.items()}
    return {fact.name: fact.value for fact in series_facts(values, knowledge.limits)}


def test_the_loss_of_a_policy_rises_from_nothing_by_design(knowledge: Knowledge) -> None:
    found = facts(knowledge, loss="0x5 0..0.002x95", reward="0.3..1.3x100", reward_std="0.3x100")
    assert found["log.policy_trains"] is True
    assert found["log.reward.risen"] is True
    assert not [name for name in (*SHAPES, "loss.zero", "loss.negative") if name in found]


def test_one_that_runs_away_is_told(knowledge: Knowledge) -> None:
    found = facts(knowledge, loss="0.001x50 0.001..900x50", reward="0.3x100", reference_kl="0.1x100")
    assert found["loss.diverging"] is True


def test_the_loss_of_an_agent_follows_what_it_meets(knowledge: Knowledge) -> None:
    found = facts(knowledge, loss="0.5..0.001x60 0.06x20", episode_return="20..3000x80")
    assert found["log.reward.risen"] is True
    assert not [name for name in (*SHAPES, "loss.still_falling", "loss.plateau") if name in found]


@pytest.mark.parametrize(
    ("line", "agent"),
    [("episode {} reward {:.2f} td_loss {:.5f}", True), ("epoch {} reward {:.2f} loss {:.5f}", None)],
)
def test_a_reward_of_counted_episodes_is_that_of_an_agent(read: Reads, line: str, agent: bool | None) -> None:
    run = read("".join(line.format(10 * n, n / 20, 1e-4 * (1 + 30 * (n == 6))) + "\n" for n in range(1, 17)))
    assert run["log.agent_trains"] is agent


@pytest.mark.parametrize(("more", "total"), [(" steps {}", None), ("", 40)])
def test_updates_are_no_total_of_the_steps_of_an_agent(read: Reads, more: str, total: int | None) -> None:
    lines = [f"update {n}/40{more.format(n * 2048)} ep_ret {n}.5 loss 0.1\n" for n in range(1, 41)]
    assert read("".join(lines))["log.total_steps"] == total


def test_a_model_of_rewards_is_no_policy(knowledge: Knowledge) -> None:
    found = facts(knowledge, loss="0.7..0.4x100", reward="0.1..0.9x100")
    assert "log.policy_trains" not in found
    assert found["loss.trend"] == "falling"


@pytest.mark.parametrize(
    ("rewards", "fall"), [("0 0..-14x99", 13.3), ("0 0..-2x99", 1.9), ("-20 -20..-34x99", None)]
)
def test_how_far_chosen_answers_fell(knowledge: Knowledge, rewards: str, fall: float | None) -> None:
    found = facts(knowledge, loss="0.69..0.05x100", chosen_reward=rewards)
    assert found.get("log.reward.chosen_fall") == (pytest.approx(fall, abs=0.1) if fall else None)


@pytest.mark.parametrize("line", ["step {} loss 2.18{}\n", "Epoch: {} loss: 2.18{}\n"])
@pytest.mark.parametrize(("first", "flat"), [(0, True), (81_000, False)])
def test_a_stretch_late_in_a_run_does_not_show_where_the_loss_began(
    read: Reads, line: str, first: int, flat: bool
) -> None:
    found = read("".join(line.format(first + 5 * step, step % 3) for step in range(60)))
    assert (found["loss.flat_from_start"] is True) == flat


VERL = "(TaskRunner pid=812) step:{0} - actor/pg_loss:0.0{0} - actor/grad_norm:0.291 - actor/lr:{1} - critic/rewards/mean:0.2{0}\n"


def test_a_rate_of_few_decimals_that_reads_as_zero_is_unknown(read: Reads) -> None:
    found = read("".join(VERL.format(step, "0.000") for step in range(1, 10)))
    assert found["log.lr.hidden_below"] == pytest.approx(0.0005)
    assert not [name for name in found.values if name.startswith("log.lr.") and name != "log.lr.hidden_below"]


def test_a_rate_that_is_written_as_an_exact_zero_is_one(read: Reads) -> None:
    found = read("".join(VERL.format(step, "0.0") for step in range(1, 10)))
    assert (found["log.lr.zero"], found["log.lr.max"]) == (True, 0.0)


def test_a_rate_that_falls_below_its_decimals_is_not_gone(read: Reads) -> None:
    rates = ["0.001"] * 6 + ["0.000"] * 12
    found = read("".join(f"step {step} loss 2.1 lr {rate}\n" for step, rate in enumerate(rates)))
    assert found["log.lr.max"] == 0.001
    assert {"log.lr.zero", "log.lr.collapsed_early", "log.lr.last"}.isdisjoint(found.values)


def test_a_schedule_that_ends_at_zero_with_its_last_step_is_not_at_zero(knowledge: Knowledge) -> None:
    assert "log.lr.zero" not in facts(knowledge, learning_rate="1e-4..0x20")
    assert facts(knowledge, learning_rate="1e-4x10 0x10")["log.lr.zero"] is True


def test_how_far_a_policy_goes_and_how_long_its_answers_become(knowledge: Knowledge) -> None:
    found = facts(knowledge, reward="0..5x100", reference_kl="0.02..4.5x100", answer_length="260..1020x100")
    assert found["log.reference_kl.first"] == pytest.approx(0.22, abs=0.02)
    assert found["log.reference_kl.last"] == pytest.approx(4.3, abs=0.1)
    assert found["log.answer_length.last"] == pytest.approx(985, abs=10)


@pytest.mark.parametrize(
    ("rates", "share"), [("0..1e-4x50 1e-4x50", 0.5), ("1e-8..1e-6x100", 1.0), ("1e-4x100", None)]
)
def test_how_much_of_a_run_is_warm_up(knowledge: Knowledge, rates: str, share: float | None) -> None:
    climb = facts(knowledge, learning_rate=rates).get("log.lr.climb_share")
    assert climb == (pytest.approx(share, abs=0.02) if share else None)
