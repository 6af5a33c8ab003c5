"""Fixes: which are offered, in which order, and what does not go together."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from traindx.engine.changes import Setting
from traindx.engine.conditions import in_words
from traindx.engine.facts import Fact, Facts, Origin, Value
from traindx.engine.fixes import offers, together, worth_trying
from traindx.engine.infer import rank
from traindx.engine.kb.knowledge import Knowledge
from traindx.engine.kb.load import compile_packs, load
from traindx.engine.kb.packs import own_pack

from ..small_pack import FIXES, PackMaker, facts_of

NAN = {"nan-loss": 1.0}


def test_fixes_come_in_the_order_of_the_causes(knowledge: Knowledge) -> None:
    facts = facts_of({"test.fp32_clears_nan": True, "config.learning_rate": 0.1})
    offered = offers(rank(knowledge, facts, NAN), facts, knowledge)
    assert [(one.fix.id, one.causes) for one in offered] == [
        ("use-bf16", ("fp16-overflow",)),
        ("use-fp32", ("fp16-overflow",)),
        ("lower-lr", ("lr-too-high",)),
    ]


def test_each_likely_cause_is_answered_before_anything_that_stands_in_for_an_answer(
    knowledge: Knowledge, make_pack: PackMaker
) -> None:
    facts = facts_of({**HALF_PRECISION, "config.precision": "fp16", "test.lower_lr_helps": True})

    def ids(known: Knowledge) -> list[str]:
        return [one.fix.id for one in offers(rank(known, facts, NAN), facts, known)]

    assert ids(knowledge) == ["use-bf16", "lower-lr", "use-fp32"]
    clashing = FIXES.replace("expect: calm}", "expect: calm, conflicts: [use-bf16]}")
    assert clashing != FIXES
    assert (
        ids(Knowledge(compile_packs([make_pack({"fixes/all.yaml": clashing})]).__getitem__))[1] == "use-fp32"
    )


def test_a_fix_that_is_in_place_already_is_not_offered(knowledge: Knowledge) -> None:
    facts = facts_of({"test.fp32_clears_nan": True, "config.precision": "fp32", "test.lower_lr_helps": False})
    assert [one.fix.id for one in offers(rank(knowledge, facts, NAN), facts, knowledge)] == ["use-bf16"]


def with_when(make_pack: PackMaker, when: str) -> Knowledge:
    """The small knowledge base, in which the first fix has this condition."""
    fixes = FIXES.replace("settings: {precision: bf16}", f"{when}, settings: {{precision: bf16}}")
    return Knowledge(compile_packs([make_pack({"fixes/all.yaml": fixes})]).__getitem__)


HALF_PRECISION: dict[str, Value] = {"test.fp32_clears_nan": True}


def test_a_fix_whose_condition_is_unknown_comes_last_with_its_proviso_in_words(make_pack: PackMaker) -> None:
    knowledge = with_when(make_pack, "when: loss.nonfinite")
    ranked = rank(knowledge, facts_of(HALF_PRECISION), NAN)
    offered = [(one.fix.id, one.proviso) for one in offers(ranked, Facts(), knowledge)]
    assert offered[:2] == [("use-fp32", ""), ("use-bf16", "the loss is NaN")]
    assert offers(ranked, facts_of({"loss.nonfinite": False}), knowledge)[0].fix.id == "use-fp32"


@pytest.mark.parametrize(("seen", "first"), [({}, "use-bf16"), ({"loss.nonfinite": True}, "use-fp32")])
def test_one_that_something_points_to_comes_first(
    make_pack: PackMaker, seen: dict[str, Value], first: str
) -> None:
    fixes = FIXES.replace("settings: {precision: fp32}", "leads: loss.nonfinite, settings: {precision: fp32}")
    knowledge = Knowledge(compile_packs([make_pack({"fixes/all.yaml": fixes})]).__getitem__)
    ranked = rank(knowledge, facts_of(HALF_PRECISION), NAN)
    assert offers(ranked, facts_of(seen), knowledge)[0].fix.id == first


def test_one_that_is_to_keep_its_place_keeps_it_and_says_its_own_words(make_pack: PackMaker) -> None:
    knowledge = with_when(make_pack, "when: loss.nonfinite, when_says: it broke, when_unknown: keep")
    ranked = rank(knowledge, facts_of(HALF_PRECISION), NAN)
    first = offers(ranked, Facts(), knowledge)[0]
    assert (first.fix.id, first.proviso) == ("use-bf16", "it broke")


def test_one_that_is_to_be_left_out_is_so_where_a_run_was_read_and_nobody_wrote(make_pack: PackMaker) -> None:
    knowledge = with_when(make_pack, "when: loss.nonfinite, when_unknown: leave-out")
    ranked = rank(knowledge, facts_of(HALF_PRECISION), NAN)

    def ids(**more: Value) -> set[str]:
        facts = Facts()
        facts.extend(Fact(name.replace("__", "."), value, Origin.LOG) for name, value in more.items())
        return {one.fix.id for one in offers(ranked, facts, knowledge)}

    assert "use-bf16" in ids()
    assert "use-bf16" not in ids(loss__first=2.3)
    assert "use-bf16" in ids(loss__first=2.3, log__prose=("The adapter is burnt.",))


@pytest.mark.parametrize(("share", "shown"), [(0.0, True), (0.5, False)])
def test_fixes_of_a_cause_far_behind_the_first_are_not_shown(
    knowledge: Knowledge, share: float, shown: bool
) -> None:
    facts = facts_of(HALF_PRECISION)
    ranked = rank(knowledge, facts, NAN)
    assert [one.cause.id for one in ranked] == ["fp16-overflow", "lr-too-high"]
    assert ranked[1].confidence < 0.5 * ranked[0].confidence
    worth = worth_trying(
        offers(ranked, facts, knowledge), ranked, knowledge.weights._replace(worth_mending=share)
    )
    assert ("lower-lr" in {one.fix.id for one in worth}) == shown


def test_all_fixes_together_leave_out_what_contradicts_an_earlier_one(knowledge: Knowledge) -> None:
    facts = facts_of({"test.fp32_clears_nan": True, "config.learning_rate": 0.1})
    both = together(offers(rank(knowledge, facts, NAN), facts, knowledge))
    assert both.taken == ("use-bf16", "lower-lr")
    assert both.left_out == {"use-fp32": "does not go with use-bf16"}
    assert both.settings["learning_rate"] == Setting("learning_rate", 0.1, 0.01)


def test_a_proviso_names_only_what_is_not_decided(make_pack: PackMaker) -> None:
    knowledge = with_when(
        make_pack, "when: loss.nonfinite or grad.norm.max > 5 or config.precision == 'fp16'"
    )
    facts = facts_of({"test.fp32_clears_nan": True, "loss.nonfinite": False, "config.precision": "fp32"})
    offered = {one.fix.id: one.proviso for one in offers(rank(knowledge, facts, NAN), facts, knowledge)}
    assert offered["use-bf16"] == "the largest is above 5"


def test_no_condition_of_a_fix_is_shown_as_code() -> None:
    knowledge = load([own_pack()])
    for fix in knowledge.fixes.values():
        if fix.when is not None:
            says = fix.when_says or in_words(fix.when.node, lambda name: None, _means(knowledge))
            assert not any(name in says for name in fix.when.names), fix.id


def _means(knowledge: Knowledge) -> Callable[[str], str]:
    return lambda name: knowledge.facts[name].means if name in knowledge.facts else "the version"
