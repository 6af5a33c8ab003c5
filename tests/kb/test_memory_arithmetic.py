"""What training takes on a device, by arithmetic: against figures worked out by hand."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from traindx.engine.derive import derive
from traindx.engine.describe import fix_offered
from traindx.engine.facts import Fact, Facts, Origin, Value
from traindx.engine.fixes import Offer
from traindx.engine.kb.knowledge import Knowledge
from traindx.engine.kb.load import load
from traindx.engine.kb.packs import own_pack

GIB = 2**30
SEVEN_BILLION: dict[str, Value] = {
    "model.billions": 7.0,
    "config.finetuning": "full",
    "config.optimizer": "adamw",
}
STAGE_2: dict[str, Value] = SEVEN_BILLION | {
    "config.precision": "bf16",
    "config.zero_stage": 2,
    "dist.world_size": 4,
}
MEGATRON: dict[str, Value] = {
    "config.dialect": "megatron", "config.precision": "bf16", "config.optimizer": "adamw",
    "config.num_layers": 32, "config.hidden_size": 4096, "config.vocab_size": 32000,
    "config.max_seq_len": 2048, "config.micro_batch_size": 1, "config.tensor_parallel": 2, "config.pipeline_parallel": 1,
}  # fmt: skip
QLORA: dict[str, Value] = {
    "model.billions": 13.0, "config.finetuning": "qlora", "config.precision": "bf16", "config.optimizer": "adamw",
    "model.trainable_parameters": 50_000_000.0,
}  # fmt: skip


@pytest.fixture(scope="module")
def knowledge() -> Knowledge:
    return load([own_pack()])


def reckoned(knowledge: Knowledge, given: Mapping[str, Value]) -> Facts:
    facts = Facts()
    facts.extend(
        Fact(name, value, Origin.CONFIG) for name, value in {"gpu.oom.happened": True, **given}.items()
    )
    derive(facts, knowledge)
    return facts


@pytest.mark.parametrize(
    ("given", "weights", "gradients", "optimizer"),
    [
        # Autocast: 4 + 4 + 8 bytes; in BF16 alone 2 + 2 + 4.
        (SEVEN_BILLION | {"config.precision": "bf16"}, 28e9, 28e9, 56e9),
        (SEVEN_BILLION | {"config.precision": "bf16", "config.pure_precision": "bf16"}, 14e9, 14e9, 28e9),
        # ZeRO: 2 + 2 + 12, of which the stages divide the last, the last two, and all.
        (STAGE_2, 14e9, 3.5e9, 21e9),
        (STAGE_2 | {"config.zero_stage": 1}, 14e9, 14e9, 21e9),
        (STAGE_2 | {"config.zero_stage": 3}, 3.5e9, 3.5e9, 21e9),
        (STAGE_2 | {"config.cpu_offload": True}, 14e9, 3.5e9, 0.0),
        # 12 x 32 x 4096^2 + 32000 x 4096 = 6.57 billion, on two devices.
        (MEGATRON, 6.573e9, 6.573e9, 39.44e9),
        # Half a byte a weight with its scales, and 50 million that train in FP32.
        (QLORA, 7.15e9, 0.2e9, 0.4e9),
    ],
)
def test_weights_gradients_and_optimizer_state_are_reckoned(
    knowledge: Knowledge, given: Mapping[str, Value], weights: float, gradients: float, optimizer: float
) -> None:
    facts = reckoned(knowledge, given)
    names = ("gpu.need.weights_gib", "gpu.need.gradients_gib", "gpu.need.optimizer_gib")
    expected = [one / GIB for one in (weights, gradients, optimizer)]
    assert [facts.value(name) for name in names] == pytest.approx(expected, rel=2e-3)


def test_nothing_is_reckoned_where_memory_is_not_the_trouble(knowledge: Knowledge) -> None:
    facts = reckoned(knowledge, STAGE_2 | {"gpu.oom.happened": False})
    assert [fact.name for fact in facts if fact.name.startswith("gpu.need.")] == []


@pytest.mark.parametrize(
    "missing", ["config.precision", "config.optimizer", "model.billions", "dist.world_size"]
)
def test_what_is_not_known_is_not_guessed(knowledge: Knowledge, missing: str) -> None:
    given = {name: value for name, value in STAGE_2.items() if name != missing}
    assert reckoned(knowledge, given).value("gpu.need.state_gib") is None


@pytest.mark.parametrize("missing", ["config.tensor_parallel", "config.pipeline_parallel"])
def test_how_a_network_is_divided_is_not_guessed_either(knowledge: Knowledge, missing: str) -> None:
    given = {name: value for name, value in MEGATRON.items() if name != missing}
    assert reckoned(knowledge, given).value("gpu.need.weights_gib") is None


def test_activations_follow_from_the_shape_or_from_what_was_allocated(knowledge: Knowledge) -> None:
    # 34 bytes x 32 layers x 4096 channels x 2048 tokens, on two devices.
    shaped = reckoned(knowledge, MEGATRON).value("gpu.need.activations_gib")
    assert shaped == pytest.approx(34 * 32 * 4096 * 2048 / 2 / GIB)
    measured = reckoned(knowledge, STAGE_2 | {"gpu.oom.allocated_gib": 74.0}).value(
        "gpu.need.activations_gib"
    )
    assert measured == pytest.approx(74 - 38.5e9 / GIB, rel=2e-3)


@pytest.mark.parametrize(
    ("fix", "given", "gib"),
    [
        ("shrink-batch", STAGE_2, (74 - 38.5e9 / GIB) * 0.75),
        # From 14 + 3.5 + 21 to (14 + 14 + 84) / 4.
        ("shard-model", STAGE_2, 10.5e9 / GIB),
        ("shard-model", STAGE_2 | {"config.zero_stage": 3}, None),
        # Six of twelve bytes.
        ("offload-optimizer", STAGE_2, 10.5e9 / GIB),
        ("shrink-batch", {}, None),
        ("use-free-device", STAGE_2, None),
    ],
)
def test_a_fix_says_what_it_gives_back(
    knowledge: Knowledge, fix: str, given: Mapping[str, Value], gib: float | None
) -> None:
    facts = reckoned(knowledge, {**given, "gpu.oom.allocated_gib": 74.0})
    gives = fix_offered(Offer(knowledge.fixes[fix], ()), facts).gives_gib
    assert gives == (None if gib is None else pytest.approx(gib, abs=0.1))
