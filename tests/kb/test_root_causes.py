"""What lies at the root comes before what it led to, and what the evidence shows before what is common."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from traindx.engine.derive import derive
from traindx.engine.facts import Value
from traindx.engine.infer import rank
from traindx.engine.kb.knowledge import Knowledge
from traindx.engine.kb.load import load
from traindx.engine.kb.packs import own_pack
from traindx.engine.symptoms import see_symptoms

from ..small_pack import facts_of

DIED: dict[str, Value] = {"dist.timed_out": True, "log.exception.type": "RuntimeError"}
HACKED: dict[str, Value] = {
    "log.policy_trains": True, "log.reward.risen": True, "config.epochs": 1.0, "config.reference_kl_weight": 0.0,
    "log.reference_kl.first": 0.02, "log.reference_kl.last": 4.6,
}  # fmt: skip
WARMING: dict[str, Value] = {
    "log.finished": True, "loss.still_falling": True, "config.epochs": 1.0, "config.learning_rate": 2e-5,
    "log.lr.first": 2e-8, "log.lr.last": 1.6e-6, "log.lr.max": 1.6e-6, "log.lr.climb_share": 1.0,
}  # fmt: skip


@pytest.fixture(scope="module")
def knowledge() -> Knowledge:
    return load([own_pack()])


def first(knowledge: Knowledge, known: Mapping[str, Value], symptom: str) -> str:
    facts = facts_of({**known, f"symptom.{symptom.replace('-', '_')}": True})
    derive(facts, knowledge)
    return rank(knowledge, facts, {symptom: 1.0})[0].cause.id


@pytest.mark.parametrize(
    ("known", "symptom", "cause"),
    [
        ({**DIED, "gpu.faulty": True}, "hang", "hardware-fault"),
        (DIED, "hang", "rank-died"),
        (HACKED, "poor-output", "loss-weight-wrong"),
        (WARMING, "underfitting", "lr-schedule-wrong"),
        ({**WARMING, "log.lr.climb_share": 0.05}, "underfitting", "trained-too-short"),
        ({"log.access_refused": True, "log.exception.type": "HfHubHTTPError"}, "runtime-error", "access-refused"),
        ({"log.packing_without_flash_attention": True, "log.steps": 90}, "poor-output", "config-conflict"),
    ],
)  # fmt: skip
def test_the_root_comes_first(
    knowledge: Knowledge, known: dict[str, Value], symptom: str, cause: str
) -> None:
    assert first(knowledge, known, symptom) == cause


@pytest.mark.parametrize(
    ("template", "model", "another"),
    [
        ("llama3", "Qwen/Qwen2.5-7B-Instruct", True),
        ("qwen3", "Qwen/Qwen3-8B", False),
        ("llama2", "mistralai/Mistral-7B-Instruct-v0.2", False),
        ("qwen", "deepseek-ai/DeepSeek-R1-Distill-Qwen-7B", False),
        ("chatml", "google/gemma-2-9b-it", None),
        ("llama3", "/models/our-own", None),
        ("phi3", "cognitivecomputations/dolphin-2.6-mistral-7b", False),
    ],
)
def test_a_template_belongs_to_a_family_of_models(
    knowledge: Knowledge, template: str, model: str, another: bool | None
) -> None:
    facts = facts_of({"config.template": template, "config.model_name": model})
    derive(facts, knowledge)
    assert facts.value("config.template_of_another_family") is another


@pytest.mark.parametrize(
    ("known", "symptom"),
    [
        ({"grad.norm.zero": True, "loss.trend": "falling"}, "vanishing-gradients"),
        ({"grad.norm.zero": True, "loss.trend": "falling"}, "loss-not-decreasing"),
        ({"config.syntax_error": True, "log.steps": 217}, "config-error"),
        ({"log.traceback": True, "log.launcher_interrupted": True}, "runtime-error"),
    ],
)
def test_what_another_fact_explains_is_no_symptom(
    knowledge: Knowledge, known: dict[str, Value], symptom: str
) -> None:
    facts = facts_of(known)
    derive(facts, knowledge)
    assert symptom not in [one.symptom.id for one in see_symptoms(knowledge, facts, ())]


@pytest.mark.parametrize(
    ("known", "counts"), [({}, True), ({"log.watched_steps": 200, "gpu.present": False}, False)]
)
def test_no_script_leaves_a_device_that_its_machine_lacks(
    knowledge: Knowledge, known: dict[str, Value], counts: bool
) -> None:
    facts = facts_of({**known, "code.gpu_never_used": True, "symptom.slow_training": True})
    ranked = {one.cause.id: one for one in rank(knowledge, facts, {"slow-training": 1.0})}
    said = [one.rule.because for one in ranked["running-on-cpu"].evidence if one.decibans > 0]
    assert ("the script never puts its work on a GPU" in said) is counts
