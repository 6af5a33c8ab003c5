"""Series in one line, and what series say."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from traindx.engine.facts import Value
from traindx.engine.kb.knowledge import Knowledge
from traindx.probes.logs import parse_series, series_facts
from traindx.probes.logs.marks import Each, Mark
from traindx.probes.logs.names import Name
from traindx.probes.logs.series import MAX_POINTS, Series


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("2.3 2.1", [2.3, 2.1]),
        ("1x3", [1, 1, 1]),
        ("10..1x10", [10, 9, 8, 7, 6, 5, 4, 3, 2, 1]),
        ("1e-3 -2 +inf", [0.001, -2, math.inf]),
        ("", []),
    ],
)
def test_notation(text: str, values: list[float]) -> None:
    assert parse_series(text) == pytest.approx(values)


def test_nan_can_be_repeated() -> None:
    assert [math.isnan(value) for value in parse_series("1 nanx2")] == [False, True, True]


@pytest.mark.parametrize("text", ["one", "1..2", "1..nanx3", "1x", "1..2x1", "1x99999999"])
def test_what_is_no_series_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"series|number|value|ends"):
        parse_series(text)


@given(st.lists(st.floats(allow_nan=False), max_size=50))
def test_notation_round_trip(values: list[float]) -> None:
    assert parse_series(" ".join(map(repr, values))) == values


def facts(knowledge: Knowledge, **series: str) -> dict[str, Value]:
    values = {metric: parse_series(text) for metric, text in series.items()}
    return {fact.name: fact.value for fact in series_facts(values, knowledge.limits)}


def test_nan_after_three_steps(knowledge: Knowledge) -> None:
    found = facts(knowledge, loss="2.3 2.2 2.1 nanx5")
    assert found["loss.nonfinite"] is True
    assert found["loss.first_nonfinite_step"] == 4
    assert found["loss.nonfinite_from_start"] is False
    assert found["loss.recovers"] is False


def test_nan_that_comes_and_goes_recovers(knowledge: Knowledge) -> None:
    assert facts(knowledge, loss="2.3 nan 2.1 2.0")["loss.recovers"] is True


def test_finite_loss_is_known_to_be_finite(knowledge: Knowledge) -> None:
    assert facts(knowledge, loss="2.3 2.2")["loss.nonfinite"] is False


def test_falling_loss_is_not_accused(knowledge: Knowledge) -> None:
    found = facts(knowledge, loss="2.5..0.5x100")
    assert found["loss.trend"] == "falling"
    for name in ("spike", "diverging", "oscillating", "flat_from_start", "plateau", "constant"):
        assert found[f"loss.{name}"] is False, name


def test_few_points_leave_shapes_unknown(knowledge: Knowledge) -> None:
    found = facts(knowledge, loss="2.5 1.9 2.2")
    assert found["loss.last"] == 2.2
    for name in ("spike", "diverging", "oscillating", "plateau", "flat_from_start"):
        assert f"loss.{name}" not in found


def test_a_spike_and_its_recovery(knowledge: Knowledge) -> None:
    found = facts(knowledge, loss="2..1.8x60 9 1.8..1.7x30")
    assert found["loss.spike"] is True
    assert found["loss.spike_step"] == 61
    assert found["loss.spike_recovered"] is True


def test_divergence(knowledge: Knowledge) -> None:
    assert facts(knowledge, loss="2..1x30 1..9x30")["loss.diverging"] is True


def test_one_lucky_batch_is_no_level_that_the_loss_has_left(knowledge: Knowledge) -> None:
    assert facts(knowledge, loss="3.8..0.05x60 0.01 0.05x60")["loss.diverging"] is False


@pytest.mark.parametrize(
    ("loss", "relapsed"),
    [("2.3..1.6x40 9..2.3x10 2.3x60", True), ("2.3..1.6x40 1.6x60", False), ("2.3..1.6x40 9 1.6x60", False)],
)
def test_a_loss_that_loses_what_it_gained(knowledge: Knowledge, loss: str, relapsed: bool) -> None:
    assert facts(knowledge, loss=loss)["loss.relapsed"] is relapsed


def test_a_loss_that_falls_below_zero_has_no_minimum_to_be_measured_by(knowledge: Knowledge) -> None:
    assert facts(knowledge, loss="2..1x28 -1 1 1..9x30")["loss.diverging"] is False


@pytest.mark.parametrize(
    "text",
    ["2.31 41.7 18320.5", "6.31 6.28 2.9e11 2.8e11", "15.5 13 3.8 2.4 1.4 5.8 7 10", "1.6 1.01 1.08 1.6 1.9"],
)
def test_a_few_points_that_run_away(knowledge: Knowledge, text: str) -> None:
    assert facts(knowledge, loss=text)["loss.diverging"] is True


@pytest.mark.parametrize("text", ["2.5 1.9 2.2", "2.5 1.9 1.4 1.5 1.6", "0 1 5", "3 1 2.5 1.2 2.9"])
def test_a_few_noisy_points_are_not_called_divergence(knowledge: Knowledge, text: str) -> None:
    assert "loss.diverging" not in facts(knowledge, loss=text)


def test_validation_that_rises_while_training_falls(knowledge: Knowledge) -> None:
    found = facts(knowledge, loss="2..0.1x20", eval_loss="2..1x10 1..1.8x10")
    assert found["loss.eval.rising"] is True
    assert found["loss.gap"] == pytest.approx(1.8 / 0.3, rel=0.5)


def test_validation_that_only_rises_since_its_best_has_turned(knowledge: Knowledge) -> None:
    found = facts(knowledge, loss="1.9..0.9x6", eval_loss="1.80 1.74 1.72 1.75 1.76 1.90")
    assert found["loss.eval.rising"] is True


@pytest.mark.parametrize(
    "evals", ["1.80 1.74 1.72 1.75 1.73 1.81", "1.80 1.74 1.72 1.73 1.74 1.75", "1.8 1.9 1.7 1.9"]
)
def test_validation_that_wobbles_or_hardly_rises_has_not(knowledge: Knowledge, evals: str) -> None:
    assert facts(knowledge, loss="1.9..0.9x6", eval_loss=evals)["loss.eval.rising"] is False


def test_perplexity_stands_in_for_a_validation_loss(knowledge: Knowledge) -> None:
    found = facts(knowledge, loss="3..0.5x10", eval_perplexity="28 21 24 33 47")
    assert found["loss.eval.rising"] is True
    assert "loss.eval.last" not in found
    assert found["log.perplexity.last"] == 47


def test_a_distance_that_rises_after_its_best(knowledge: Knowledge) -> None:
    assert facts(knowledge, eval_distance="14 9 12 15 18")["log.eval_distance.rising"] is True
    assert facts(knowledge, eval_distance="14 9 8 8.1 7.9")["log.eval_distance.rising"] is False


def test_errors_of_validation_that_become_more(knowledge: Knowledge) -> None:
    found = facts(knowledge, eval_error_rate="42 31 29 33 36")
    assert found["log.eval_error_rate.rising"] is True
    assert found["log.eval_error_rate.last"] == pytest.approx(0.36)
    assert "log.error_rate.last" not in found
    assert facts(knowledge, eval_error_rate="1.2 0.8 0.55 0.52 0.51")["log.eval_error_rate.rising"] is False


def test_zeros_with_nan_norms_hide_a_nan(knowledge: Knowledge) -> None:
    found = facts(knowledge, loss="2.3 2.1 0x4", grad_norm="1.1 1.2 nanx4")
    assert found["loss.masked_nan"] is True
    assert found["loss.nonfinite"] is True
    assert "loss.last" not in found


def test_zero_loss_with_calm_norms_hides_nothing(knowledge: Knowledge) -> None:
    assert facts(knowledge, loss="2.3 2.1 0x4", grad_norm="1.1 1.2 1x4").get("loss.masked_nan") is not True


def test_exploding_and_vanishing_norms(knowledge: Knowledge) -> None:
    assert facts(knowledge, grad_norm="1x20 5000 20000")["grad.norm.exploding"] is True
    assert facts(knowledge, grad_norm="1e-9x20")["grad.norm.vanishing"] is True
    calm = facts(knowledge, grad_norm="0.9x20")
    assert (calm["grad.norm.exploding"], calm["grad.norm.vanishing"]) == (False, False)
    spikes = facts(knowledge, grad_norm="1x40 30 40 30 1x10")
    assert spikes["grad.norm.exploding"] is True


def test_beside_steps_without_a_gradient_no_norm_is_large(knowledge: Knowledge) -> None:
    margin = " ".join("2.5 1.5 2.0" if place % 7 == 0 else "0x3" for place in range(60))
    assert facts(knowledge, grad_norm=margin)["grad.norm.exploding"] is False
    bursts = " ".join("200 250 300" if place == 40 else "1 0x2" for place in range(60))
    assert facts(knowledge, grad_norm=bursts)["grad.norm.exploding"] is True


def test_a_norm_that_only_comes_down_does_not_explode(knowledge: Knowledge) -> None:
    decay = " ".join(f"{10 * 0.9**step:.6f}" for step in range(200))
    assert facts(knowledge, grad_norm=decay)["grad.norm.exploding"] is False


def test_loss_scale_that_collapses(knowledge: Knowledge) -> None:
    assert facts(knowledge, loss_scale="65536 32768 1024 16 1")["log.loss_scale.collapsed"] is True
    assert facts(knowledge, loss_scale="65536 65536 131072")["log.loss_scale.collapsed"] is False


def test_equal_rewards(knowledge: Knowledge) -> None:
    assert facts(knowledge, reward_std="0x10")["log.reward.std_zero"] is True


def test_accuracy_in_percent_is_a_share(knowledge: Knowledge) -> None:
    assert facts(knowledge, eval_accuracy="50 60 70")["log.eval_accuracy.last"] == pytest.approx(0.7)


@pytest.mark.parametrize(
    ("values", "grows"),
    [
        ("2.3 5.9 10.8 15.2", True),
        ("4.4 4.5 4.6 4.7", None),
        ("2.0 5.0 5.1 5.2", None),
        ("8.9 9.4 9.9 10.4 10.9", True),
        ("8.9 9.8 10.3 10.5 10.6", None),
        ("2.3 5.9", None),
    ],
)
def test_of_a_few_figures_of_memory_only_a_plain_climb_counts(
    knowledge: Knowledge, values: str, grows: bool | None
) -> None:
    assert facts(knowledge, memory_gib=values).get("log.memory.growing") is grows


@given(st.lists(st.floats(-1e6, 1e6) | st.just(math.nan), min_size=1, max_size=300), st.integers(1, 50))
def test_how_values_are_handed_over_changes_nothing(values: list[float], size: int) -> None:
    whole, parts = Series(Name("loss", "loss", 0)), Series(Name("loss", "loss", 0))
    marks = [Mark(number, b"") for number in range(len(values))]
    whole.extend(values, Each(marks.__getitem__))
    for start in range(0, len(values), size):
        part = marks[start : start + size]
        parts.extend(values[start : start + size], Each(part.__getitem__))
    assert (whole.first, whole.low, whole.high, whole.count, whole.bad) == (
        parts.first, parts.low, parts.high, parts.count, parts.bad,
    )  # fmt: skip
    assert list(whole.marks) == list(parts.marks)


def test_a_long_series_keeps_its_peaks_in_bounded_memory() -> None:
    series = Series(Name("loss", "loss", 0))
    values = [1.0] * 100_000
    values[70_001] = 50.0
    for start in range(0, len(values), 1000):
        part = [Mark(number, b"") for number in range(start, start + 1000)]
        series.extend(values[start : start + 1000], Each(part.__getitem__))
    assert len(series.values) < MAX_POINTS
    assert max(peak.value for peak in series.peaks) == 50.0
    assert series.high is not None
    assert series.high.mark.number == 70_001


WON, LOST = "1 1 -1 1 1 1 -1 1 1 1 ", "-1 -1 1 -1 -1 -1 -1 -1 1 -1 "


@pytest.mark.parametrize(
    ("course", "risen", "collapsed"),
    [
        ("-1400..-200x60 -180 -220 -150 -210", True, False),
        ("20..480x40 480 460 500 470 490 455", True, False),
        ("48..230x50 230..-180x50", False, True),
        ("10 14 8 12 9 15 11 7 13 10 12 8 14 11 9 13 10 12 11 9", False, False),
        (WON * 20 + LOST * 20, False, True),
        (LOST * 20 + WON * 20, True, False),
        ("1 -1 -1 1 1 -1 1 -1 -1 1 -1 1 1 1 -1 -1 " * 20, False, False),
    ],
)
def test_the_course_of_a_reward(knowledge: Knowledge, course: str, risen: bool, collapsed: bool) -> None:
    found = facts(knowledge, episode_return=course)
    assert found["log.agent_trains"] is True
    assert (found["log.reward.risen"], found["log.reward.collapsed"]) == (risen, collapsed)


def test_a_few_games_that_are_won_or_lost_tell_no_course(knowledge: Knowledge) -> None:
    found = facts(knowledge, reward="1 1 1 -1 1 -1 1 -1 -1 -1 " * 4, reward_std="0.3x40")
    assert "log.reward.collapsed" not in found


def test_a_validation_accuracy_at_chance_is_as_good_as_zero(knowledge: Knowledge) -> None:
    found = facts(knowledge, accuracy="4 13 30 45 54", eval_accuracy="0.10 0.12 0.09 0.11 0.10")
    assert found["log.eval_accuracy.max"] == pytest.approx(0.0012)
    assert found["log.eval_accuracy.zero"] is True


def test_a_validation_accuracy_that_is_no_number_counted_no_answer(knowledge: Knowledge) -> None:
    found = facts(knowledge, accuracy="0.6 0.7 0.8", eval_accuracy="nanx3")
    assert found["log.eval_accuracy.undefined"] is True


def test_a_score_that_may_be_no_number_with_answers_counted(knowledge: Knowledge) -> None:
    assert "log.eval_accuracy.undefined" not in facts(knowledge, accuracy="0.6 0.7", eval_accuracy="0.6 nan")
    assert "log.eval_accuracy.undefined" not in facts(knowledge, accuracy="0.6 0.7", eval_recall="nanx3")


def test_a_score_that_rises_from_next_to_nothing_is_not_zero(knowledge: Knowledge) -> None:
    assert facts(knowledge, eval_accuracy="0.0001 0.0004 0.0012 0.003")["log.eval_accuracy.zero"] is False
    assert facts(knowledge, eval_accuracy="0.0001 0.0002")["log.eval_accuracy.zero"] is False


def test_a_loss_that_jumps_where_the_rate_begins_anew(knowledge: Knowledge) -> None:
    rate = "0.001..0.0006x20 0.000001 0.00033 0.00067 0.00099 0.00098 0.00097 0.00096..0.0004x14"
    jumps = "6 4 3 2.5 2.2 2 1.9..1.75x14 2.64 2.53 2.43 2.36 2.27 2.2 2.1..1.9x14"
    assert facts(knowledge, loss=jumps, learning_rate=rate)["loss.jump_where_rate_restarts"] is True
    assert facts(knowledge, loss="6..1.7x40", learning_rate=rate)["loss.jump_where_rate_restarts"] is False


def test_warm_restarts_are_no_rate_that_begins_anew(knowledge: Knowledge) -> None:
    rate = "0.001..0.00001x10 0.001..0.00001x10 0.001..0.00001x10"
    found = facts(knowledge, loss="6..2.2x10 2.9..1.9x10 2.6..1.8x10", learning_rate=rate)
    assert "loss.jump_where_rate_restarts" not in found


def test_the_best_evaluation_of_a_run_that_broke_is_a_share_of_the_whole_run(knowledge: Knowledge) -> None:
    found = facts(knowledge, eval_loss="1.9 1.8 1.7 1.8 2.2 3 4 nanx24")
    assert found["loss.eval.best_share"] == pytest.approx(2 / 30)


def test_a_score_of_the_rare_class_that_stays_at_zero(knowledge: Knowledge) -> None:
    found = facts(knowledge, accuracy="0.97x5", eval_recall="0x5")
    assert found["log.eval_accuracy.rare_zero"] is True
    assert "log.eval_accuracy.rare_zero" not in facts(knowledge, accuracy="0.97x5", eval_recall="0x4 0.2")


@pytest.mark.parametrize(
    ("scores", "perfect"),
    [("0.9996 1.0 1.0 1.0", True), ("0.982 0.989 0.991 0.992 0.993", None), ("0.6 0.7 0.9 1.0", False)],
    ids=["no mistake from the start", "digits", "no mistake in the end"],
)
def test_validation_is_too_good_where_it_makes_no_mistake_from_the_start(
    knowledge: Knowledge, scores: str, perfect: bool | None
) -> None:
    assert facts(knowledge, eval_accuracy=scores).get("log.eval_accuracy.perfect_early") is perfect


@pytest.mark.parametrize(
    ("train", "validation", "below"),
    [("1.0 0.6 0.4 0.3 0.25", "0.5 0.3 0.2 0.16 0.14", True), ("0.2 0.1 0.05 0.026 0.013", "0.13 0.07 0.035 0.018 0.01", False)],
    ids=["always better", "as the end of an epoch is"],
)  # fmt: skip
def test_validation_that_is_only_as_far_as_the_end_of_its_epoch_is_not_below_training(
    knowledge: Knowledge, train: str, validation: str, below: bool
) -> None:
    assert facts(knowledge, loss=train, eval_loss=validation).get("loss.eval.below_train") is below


def test_a_loss_scale_that_came_down_and_stays_has_not_collapsed(knowledge: Knowledge) -> None:
    fell = "2147483648 1073741824 268435456 16777216 1048576"
    assert facts(knowledge, loss_scale=f"{fell} 524288x20")["log.loss_scale.collapsed"] is False
    assert facts(knowledge, loss_scale=f"{fell} 1024 512 64 16 8 4 2")["log.loss_scale.collapsed"] is True


def test_the_last_of_many_wobbling_values_is_no_turn(knowledge: Knowledge) -> None:
    evals = "0.70 0.50 0.24 0.20 0.18 0.158 0.171 0.165 0.159 0.165 0.157 0.140 0.143 0.146 0.160"
    assert facts(knowledge, loss="0.7..0.04x15", eval_loss=evals)["loss.eval.rising"] is False
