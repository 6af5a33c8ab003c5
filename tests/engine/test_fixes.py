"""Fixes: which are offered, what they change, what does not go together."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from traindx.engine.facts import Facts, Value
from traindx.engine.fixes import Setting, changes, offers, together
from traindx.engine.infer import rank
from traindx.engine.kb.knowledge import Knowledge
from traindx.engine.kb.load import compile_packs

from ..small_pack import FIXES, PackMaker, facts_of

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


def test_a_relative_change_of_an_unknown_value_is_said_and_not_made_up(knowledge: Knowledge) -> None:
    facts = facts_of({"test.lower_lr_helps": True, "test.fp32_clears_nan": False})
    (offer,) = offers(rank(knowledge, facts, NAN), facts, knowledge)
    assert offer.settings == ()
    assert offer.notes == ("learning_rate: multiply it by 0.1; what it is now is not known here",)


def test_fixes_come_in_the_order_of_the_causes(knowledge: Knowledge) -> None:
    facts = facts_of({"test.fp32_clears_nan": True, "config.learning_rate": 0.1})
    offered = offers(rank(knowledge, facts, NAN), facts, knowledge)
    assert [(one.fix.id, one.causes) for one in offered] == [
        ("use-bf16", ("fp16-overflow",)),
        ("use-fp32", ("fp16-overflow",)),
        ("lower-lr", ("lr-too-high",)),
    ]


def test_a_fix_that_is_in_place_already_is_not_offered(knowledge: Knowledge) -> None:
    facts = facts_of({"test.fp32_clears_nan": True, "config.precision": "fp32", "test.lower_lr_helps": False})
    assert [one.fix.id for one in offers(rank(knowledge, facts, NAN), facts, knowledge)] == ["use-bf16"]


def test_a_fix_whose_condition_is_unknown_is_offered_with_its_proviso(make_pack: PackMaker) -> None:
    with_when = FIXES.replace(
        "settings: {precision: bf16}", "when: loss.nonfinite, settings: {precision: bf16}"
    )
    knowledge = Knowledge(compile_packs([make_pack({"fixes/all.yaml": with_when})]).__getitem__)
    ranked = rank(knowledge, facts_of({"test.fp32_clears_nan": True}), NAN)
    assert offers(ranked, Facts(), knowledge)[0].proviso == "loss.nonfinite"
    assert offers(ranked, facts_of({"loss.nonfinite": False}), knowledge)[0].fix.id == "use-fp32"


def test_all_fixes_together_leave_out_what_contradicts_an_earlier_one(knowledge: Knowledge) -> None:
    facts = facts_of({"test.fp32_clears_nan": True, "config.learning_rate": 0.1})
    both = together(offers(rank(knowledge, facts, NAN), facts, knowledge))
    assert both.taken == ("use-bf16", "lower-lr")
    assert both.left_out == {"use-fp32": "does not go with use-bf16"}
    assert both.settings["learning_rate"] == Setting("learning_rate", 0.1, 0.01)


def test_a_proviso_names_only_what_is_not_decided(make_pack: PackMaker) -> None:
    when = (
        "when: loss.nonfinite or grad.norm.max > 5 or config.precision == 'fp16', settings: {precision: bf16}"
    )
    pack = make_pack({"fixes/all.yaml": FIXES.replace("settings: {precision: bf16}", when)})
    knowledge = Knowledge(compile_packs([pack]).__getitem__)
    facts = facts_of({"test.fp32_clears_nan": True, "loss.nonfinite": False, "config.precision": "fp32"})
    offered = {one.fix.id: one.proviso for one in offers(rank(knowledge, facts, NAN), facts, knowledge)}
    assert offered["use-bf16"] == "grad.norm.max > 5"
