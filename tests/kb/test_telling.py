"""Some facts leave no doubt that something is wrong, and raise their symptom alone; others are what a sound run shows."""

from __future__ import annotations

import pytest

from traindx.engine.derive import derive
from traindx.engine.facts import Value
from traindx.engine.kb.knowledge import Knowledge
from traindx.engine.kb.load import load
from traindx.engine.kb.packs import own_pack
from traindx.engine.symptoms import see_symptoms

from ..small_pack import facts_of


@pytest.fixture(scope="module")
def knowledge() -> Knowledge:
    return load([own_pack()])


SCHEDULE: dict[str, Value] = {
    "config.lr_decay_steps": 2000, "config.learning_rate": 6e-4, "log.steps": 14000, "loss.falling_then_flat": True,
}  # fmt: skip


TEN_CLASSES: dict[str, Value] = {
    "loss.count": 2, "loss.first": 2.3037, "loss.last": 2.3031, "log.epochs": 6.0, "log.accuracy.first": 0.112,
}  # fmt: skip
"""Two epochs of a classifier of ten classes whose loss stays at the logarithm of 10."""

ACCUMULATED: dict[str, Value] = {
    "log.trainer": "transformers", "config.gradient_accumulation_steps": 8, "loss.eval.last": 1.06,
}  # fmt: skip


@pytest.mark.parametrize(
    ("facts", "symptom"),
    [
        ({"loss.jump_at_resume": True}, "checkpoint-failure"),
        ({"log.lr.jump_at_resume": True}, "checkpoint-failure"),
        ({"log.black_image_from_nan": True}, "poor-output"),
        ({"log.kl_becomes_negative": True}, "poor-output"),
        ({"log.reward.chosen_fall": 14.0}, "poor-output"),
        ({**SCHEDULE, "config.min_learning_rate": 6e-7}, "underfitting"),
        ({"loss.oscillating": True, "loss.max": 0.7, "model.kind": "causal-lm"}, "loss-oscillating"),
        ({"loss.oscillating": True, "loss.max": 40.0, "model.kind": "diffusion"}, "loss-oscillating"),
        ({"log.listed_weights_tiny": True}, "checkpoint-failure"),
        ({"log.same_command_other_result": True}, "not-reproducible"),
        ({"log.printed_error_rate_infinite": True}, "suspicious-metrics"),
        ({"log.copy_between_devices_zero": True}, "suspicious-metrics"),
        ({"loss.count": 4, "loss.last": 0.0, "grad.norm.last": 0.0}, "suspicious-metrics"),
        ({"loss.last": 0.0006, "log.said_samples_are_noise": True}, "suspicious-metrics"),
        ({**TEN_CLASSES, "log.accuracy.last": 0.112}, "loss-not-decreasing"),
        ({**ACCUMULATED, "loss.last": 8.475}, "suspicious-metrics"),
        ({"log.accuracy.last": 124.0}, "suspicious-metrics"),
        ({"log.eval_accuracy.max": 1.7}, "suspicious-metrics"),
    ],
)
def test_one_fact_suffices(knowledge: Knowledge, facts: dict[str, Value], symptom: str) -> None:
    assert symptom in symptoms(knowledge, facts)


@pytest.mark.parametrize(
    "facts",
    [
        {"loss.jump_at_resume": False},
        {**ACCUMULATED, "loss.last": 1.3},
        {"log.accuracy.last": 1.0, "log.eval_accuracy.max": 1.0},
        {"log.reward.chosen_fall": 2.5},
        {**SCHEDULE, "config.min_learning_rate": 6e-5},
        {**SCHEDULE, "log.steps": 2400},
        {"loss.oscillating": True, "loss.max": 0.7, "model.kind": "diffusion"},
        {"log.printed_weights_identical": True},
        {"loss.last": 0.0006, "loss.count": 5},
        {"loss.count": 3, "loss.first": 0.7, "loss.last": 0.59, "loss.drop": 0.157},
        {"loss.count": 3, "loss.first": 0.6931, "loss.last": 0.69, "loss.drop": 0.004, "log.epochs": 0.1},
        {**TEN_CLASSES, "log.epochs": 0.0, "log.accuracy.last": 0.112},
    ],
)
def test_a_sound_run_shows_no_symptom(knowledge: Knowledge, facts: dict[str, Value]) -> None:
    assert symptoms(knowledge, facts) == set()


def symptoms(knowledge: Knowledge, known: dict[str, Value]) -> set[str]:
    facts = facts_of(known)
    derive(facts, knowledge)
    return {one.symptom.id for one in see_symptoms(knowledge, facts, ())}
