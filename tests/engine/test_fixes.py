"""Fixes: what they change."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from traindx.engine.changes import Setting, changes
from traindx.engine.derive import derive
from traindx.engine.facts import Fact, Facts, Origin, Value
from traindx.engine.fixes import offers
from traindx.engine.infer import rank
from traindx.engine.kb.knowledge import Knowledge
from traindx.engine.kb.load import compile_packs, load
from traindx.engine.kb.packs import own_pack
from traindx.engine.next_tests import next_tests

from ..small_pack import FIXES, SETTINGS, PackMaker, facts_of

NAN = {"nan-loss": 1.0}


def changed(make_pack: PackMaker, settings: str, facts: Mapping[str, Value]) -> Mapping[str, Value]:
    """What a fix with these settings sets, given these facts."""
    fix = f"- {{id: it, title: t, safety: safe, effort_minutes: 1, expect: e, settings: {settings}}}\n"
    pack = make_pack({"fixes/all.yaml": FIXES + fix})
    knowledge = Knowledge(compile_packs([pack]).__getitem__)
    return {one.name: one.after for one in changes(knowledge.fixes["it"], facts_of(facts))[0]}


@pytest.mark.parametrize(
    ("settings", "facts", "expected"),
    [
        ("{precision: bf16}", {}, {"precision": "bf16"}),
        ("{precision: bf16}", {"config.precision": "bf16"}, {}),
        ("{learning_rate: {multiply: 0.1}}", {"config.learning_rate": 3e-4}, {"learning_rate": 3e-5}),
        ("{learning_rate: {multiply: 0.1}}", {}, {}),
        ("{learning_rate: {multiply: 0.1, otherwise: 1.0e-5}}", {}, {"learning_rate": 1e-5}),
        ("{micro_batch_size: {multiply: 0.5}}", {"config.micro_batch_size": 5}, {"micro_batch_size": 2}),
        ("{micro_batch_size: {multiply: 0.5}}", {"config.micro_batch_size": 1}, {}),
        ("{micro_batch_size: {multiply: 4}}", {"config.micro_batch_size": 0}, {}),
        ("{micro_batch_size: {at_least: 4}}", {"config.micro_batch_size": 2}, {"micro_batch_size": 4}),
        ("{micro_batch_size: {at_least: 4}}", {"config.micro_batch_size": 8}, {}),
        (
            "{grad_clip_norm: {at_most: 0.5, otherwise: 0.5}}",
            {"config.grad_clip_norm": 1.0},
            {"grad_clip_norm": 0.5},
        ),
        (
            "{grad_clip_norm: {compute: grad.norm.max / 4, digits: 2}}",
            {"grad.norm.max": 5.0},
            {"grad_clip_norm": 1.2},
        ),
        ("{grad_clip_norm: {compute: grad.norm.max / 4, otherwise: 1.0}}", {}, {"grad_clip_norm": 1.0}),
        # What stands there stays, where the fix says so.
        ("{precision: {set: bf16, only_if: not known(config.precision)}}", {}, {"precision": "bf16"}),
        (
            "{precision: {set: bf16, only_if: not known(config.precision)}}",
            {"config.precision": "fp16"},
            {},
        ),
    ],
)
def test_what_a_change_sets(
    make_pack: PackMaker, settings: str, facts: Mapping[str, Value], expected: Mapping[str, Value]
) -> None:
    assert changed(make_pack, settings, facts) == expected


@pytest.mark.parametrize(("batch", "steps"), [(16, 1), (5, 2), (3, 4), (2, 3)])
def test_a_smaller_batch_with_more_accumulation_keeps_at_least_the_global_batch(
    make_pack: PackMaker, batch: int, steps: int
) -> None:
    settings = (
        "{micro_batch_size: {multiply: 0.5}, gradient_accumulation_steps: {compute: ceil("
        "config.gradient_accumulation_steps * config.micro_batch_size / new.micro_batch_size)}}"
    )
    facts = {"config.micro_batch_size": batch, "config.gradient_accumulation_steps": steps}
    after = changed(make_pack, settings, facts)
    assert after["micro_batch_size"] * after["gradient_accumulation_steps"] >= batch * steps  # type: ignore[operator]


def own_changes(fix: str, facts: Mapping[str, Value]) -> dict[str, Value]:
    """What one of our own fixes changes, given these facts and what follows from them."""
    own, known = load([own_pack()]), facts_of(facts)
    derive(known, own)
    return {one.name: one.after for one in changes(own.fixes[fix], known)[0]}


def test_a_path_to_resume_from_stays_and_what_keeps_its_state_out_is_switched_off() -> None:
    fix, path = "resume-through-trainer", "out/checkpoint-2000"
    assert own_changes(fix, {"config.resume": path}) == {}
    both: dict[str, Value] = {"config.resume": path, "config.save_only_model": True}
    assert own_changes(fix, both) == {"save_only_model": False}
    assert own_changes(fix, {}) == {"resume": "latest"}


@pytest.mark.parametrize(
    ("batch", "steps", "smaller", "more"), [(3, None, 1, 3), (2, None, 1, 2), (16, None, 4, 4), (16, 2, 4, 8)]
)
def test_an_optimizer_step_sees_as_many_samples_after_a_smaller_batch(
    batch: int, steps: int | None, smaller: int, more: int
) -> None:
    given = {"config.micro_batch_size": batch, "config.gradient_accumulation_steps": steps}
    facts: dict[str, Value] = {name: value for name, value in given.items() if value is not None}
    assert own_changes("shrink-batch", facts) == {
        "micro_batch_size": smaller,
        "gradient_accumulation_steps": more,
    }


@pytest.mark.parametrize(
    ("trainer", "batch", "expected"),
    [
        ("ultralytics", 32, {"global_batch_size": 8}),
        ("yolov5", 3, {"global_batch_size": 1}),
        # There the rate goes with the batch.
        ("detectron2", 16, {"global_batch_size": 4, "learning_rate": 0.005}),
    ],
)
def test_the_batch_of_all_devices_shrinks_where_a_trainer_knows_no_other(
    trainer: str, batch: int, expected: Mapping[str, Value]
) -> None:
    given: dict[str, Value] = {
        "config.dialect": trainer,
        "config.global_batch_size": batch,
        "config.learning_rate": 0.02,
    }
    assert own_changes("shrink-batch-of-all-devices", given) == expected


def test_a_trainer_that_accumulates_by_itself_is_not_told_to() -> None:
    facts: dict[str, Value] = {"config.micro_batch_size": 8, "config.global_batch_size": 256}
    assert own_changes("shrink-batch", facts) == {"micro_batch_size": 2}


@pytest.mark.parametrize(
    ("batch", "steps", "expected"),
    [(2, 64, None), (1, 8, 32), (16, 2, 4), (16, 8, None), (None, 64, None), (None, None, 4)],
)
def test_more_accumulation_is_never_less(batch: int | None, steps: int | None, expected: int | None) -> None:
    given = {"config.micro_batch_size": batch, "config.gradient_accumulation_steps": steps}
    facts: dict[str, Value] = {name: value for name, value in given.items() if value is not None}
    assert own_changes("larger-effective-batch", facts).get("gradient_accumulation_steps") == expected


def test_a_batch_that_is_not_known_leaves_a_long_accumulation() -> None:
    assert own_changes("shrink-batch", {"config.gradient_accumulation_steps": 64}) == {"micro_batch_size": 1}


@pytest.mark.parametrize(
    ("compares", "offered", "not_offered"),
    [
        (True, "more-samples-together", "larger-effective-batch"),
        (False, "larger-effective-batch", "more-samples-together"),
    ],
)
def test_samples_that_are_compared_are_not_accumulated(
    compares: bool, offered: str, not_offered: str
) -> None:
    own = load([own_pack()])
    facts = facts_of(
        {
            "loss.compares_samples": compares,
            "config.micro_batch_size": 2,
            "config.gradient_accumulation_steps": 1,
            "test.larger_batch_helps": True,
        }
    )
    ids = [one.fix.id for one in offers(rank(own, facts, {"poor-output": 1.0}), facts, own)]
    assert offered in ids
    assert not_offered not in ids


@pytest.mark.parametrize(
    ("seen", "offered", "not_offered"),
    [
        ({}, "shrink-batch", "room-for-engine-cache"),
        ({"log.vllm_no_room_for_cache": True}, "room-for-engine-cache", "shrink-batch"),
        ({"config.negatives_in_batch": True}, "compare-in-pieces", "shrink-batch"),
    ],
)
def test_a_smaller_batch_is_offered_where_it_is_one_that_helps(
    seen: dict[str, Value], offered: str, not_offered: str
) -> None:
    own = load([own_pack()])
    facts = facts_of({**seen, "config.micro_batch_size": 16, "gpu.oom.happened": True})
    derive(facts, own)
    ids = [one.fix.id for one in offers(rank(own, facts, {"cuda-oom": 1.0}), facts, own)]
    assert offered in ids
    assert not_offered not in ids


def test_an_engine_without_room_takes_a_larger_share_of_the_device() -> None:
    assert own_changes("room-for-engine-cache", {"config.generation_memory_share": 0.35}) == {
        "generation_memory_share": 0.52
    }
    assert own_changes("room-for-engine-cache", {}) == {}


@pytest.mark.parametrize("warmup_too_long", [True, False])
def test_a_schedule_as_long_as_the_run_does_not_help_a_longer_warmup(warmup_too_long: bool) -> None:
    own = load([own_pack()])
    facts = facts_of(
        {
            "config.contradiction.warmup_longer_than_run": warmup_too_long,
            "test.no_schedule_helps": True,
            "config.max_steps": 600,
        }
    )
    ids = [one.fix.id for one in offers(rank(own, facts, {"loss-not-decreasing": 1.0}), facts, own)]
    assert ("fit-schedule-to-run" in ids) is not warmup_too_long


def test_a_relative_change_of_an_unknown_value_is_said_and_not_made_up(knowledge: Knowledge) -> None:
    facts = facts_of({"test.lower_lr_helps": True, "test.fp32_clears_nan": False})
    (offer,) = offers(rank(knowledge, facts, NAN), facts, knowledge)
    assert offer.settings == ()
    assert offer.notes == ("learning_rate: multiply it by 0.1; what it is now is not known here",)


def test_a_rate_that_the_log_prints_is_changed_from_there_and_not_asked_for(make_pack: PackMaker) -> None:
    seen = SETTINGS.replace("means: rate}", "means: rate, ask: Which rate?, seen_as: log.lr.first}")
    pack = make_pack(
        {
            "settings/all.yaml": seen,
            "facts/lr.yaml": "- {name: log.lr.first, type: float, means: what is printed}\n",
        }
    )
    knowledge = Knowledge(compile_packs([pack]).__getitem__)
    facts = facts_of({})
    assert "config.learning_rate" in asked(knowledge, facts)
    facts.add(Fact("log.lr.first", 0.5, Origin.LOG))
    assert "config.learning_rate" not in asked(knowledge, facts)
    facts.extend(facts_of({"test.lower_lr_helps": True, "test.fp32_clears_nan": False}))
    (offer,) = offers(rank(knowledge, facts, NAN), facts, knowledge)
    assert offer.settings == (Setting("learning_rate", 0.5, 0.05),)
    assert "config.learning_rate" not in facts


def asked(knowledge: Knowledge, facts: Facts) -> set[str]:
    """The facts that a person would be asked for."""
    return {one.fact.name for one in next_tests(rank(knowledge, facts, NAN), facts, knowledge)}
