"""Inference: odds, trust, verdicts, order, and the test worth running next."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from traindx.engine.explain import how, why, why_not
from traindx.engine.facts import Fact, Facts, Origin, Place, Value
from traindx.engine.infer import judge, rank, to_decibans, to_probability
from traindx.engine.kb.knowledge import Knowledge
from traindx.engine.kb.load import compile_packs
from traindx.engine.next_tests import _seen, next_tests
from traindx.engine.symptoms import UnknownSymptom, find_symptom, see_symptoms

from ..small_pack import FACTS, RATE, PackMaker, facts_of

NAN = {"nan-loss": 1.0}


@given(st.floats(0.001, 0.999))
def test_decibans_and_probability_are_one_scale(probability: float) -> None:
    assert math.isclose(to_probability(to_decibans(probability)), probability, rel_tol=1e-9)


def test_ten_decibans_are_odds_of_ten_to_one() -> None:
    assert to_probability(10) == pytest.approx(10 / 11)


def test_evidence_adds_up_from_the_prior(knowledge: Knowledge) -> None:
    facts = facts_of({"config.precision": "fp16", "test.fp32_clears_nan": True})
    first = rank(knowledge, facts, NAN)[0]
    assert first.cause.id == "fp16-overflow"
    assert first.decibans == pytest.approx(to_decibans(0.1) + 12 + 24)


def test_what_is_known_to_be_absent_counts_against(knowledge: Knowledge) -> None:
    first, second = rank(knowledge, facts_of({"config.precision": "bf16"}), NAN)
    assert (first.cause.id, second.cause.id) == ("lr-too-high", "fp16-overflow")
    assert second.decibans == pytest.approx(to_decibans(0.1) - 12)


def test_what_is_unknown_counts_for_nothing(knowledge: Knowledge) -> None:
    for one in rank(knowledge, Facts(), NAN):
        assert one.decibans == one.prior


@pytest.mark.parametrize(("origin", "share"), [(Origin.LOG, 1.0), (Origin.PROSE, 0.8), (Origin.DEFAULT, 0.5)])
def test_evidence_counts_as_much_as_its_fact_is_trusted(
    knowledge: Knowledge, origin: Origin, share: float
) -> None:
    first = rank(knowledge, facts_of({"config.precision": "fp16"}, origin), NAN)[0]
    assert first.decibans == pytest.approx(first.prior + 12 * share)


def test_a_cause_none_of_whose_symptoms_is_seen_is_not_in_question(knowledge: Knowledge) -> None:
    assert rank(knowledge, facts_of({"config.learning_rate": 0.02}), {}) == []


def test_telling_evidence_brings_such_a_cause_up_from_far_down(knowledge: Knowledge) -> None:
    (one,) = rank(knowledge, facts_of({"test.fp32_clears_nan": True}), {"hang": 1.0})
    assert one.cause.id == "fp16-overflow"
    assert one.prior == pytest.approx(to_decibans(0.003))


def test_a_cause_that_can_bring_nothing_that_is_seen_comes_after_a_likely_one_that_can(
    make_pack: PackMaker,
) -> None:
    changed = {
        "symptoms/hang.yaml": "id: hang\ntitle: It stands still\n",
        "causes/optimisation/lr-too-high.yaml": RATE.replace("nan-loss: common", "hang: rare"),
    }
    knowledge = Knowledge(compile_packs([make_pack(changed)]).__getitem__)
    facts = facts_of({"test.fp32_clears_nan": True, "config.precision": "fp16", "test.lower_lr_helps": True})
    first, second = rank(knowledge, facts, {"hang": 1.0})
    assert (first.cause.id, second.cause.id) == ("lr-too-high", "fp16-overflow")
    assert first.decibans < second.decibans


def test_that_a_symptom_has_a_cause_makes_none_surer_that_cannot_bring_it(knowledge: Knowledge) -> None:
    (one,) = rank(knowledge, facts_of({"test.fp32_clears_nan": True}), {"hang": 1.0})
    assert one.confidence == pytest.approx(to_probability(one.decibans))
    first = rank(knowledge, facts_of({"test.fp32_clears_nan": True}), NAN)[0]
    assert first.confidence > to_probability(first.decibans)


def test_of_two_that_are_likely_each_is_less_sure(make_pack: PackMaker) -> None:
    changed = {"causes/optimisation/lr-too-high.yaml": RATE.replace("moderate", "strong")}
    knowledge = Knowledge(compile_packs([make_pack(changed)]).__getitem__)
    facts = facts_of({"config.precision": "fp16", "config.learning_rate": 0.02})
    alone = rank(knowledge, facts, NAN)
    knowledge.__dict__["weights"] = knowledge.weights._replace(rivals=0.25)
    beside = rank(knowledge, facts, NAN)
    assert [one.verdict for one in alone] == ["likely", "likely"]
    assert all(less.confidence < more.confidence for less, more in zip(beside, alone, strict=True))


def test_what_is_confirmed_loses_nothing_to_another(knowledge: Knowledge) -> None:
    knowledge.__dict__["weights"] = knowledge.weights._replace(rivals=0.25)
    first, second = rank(
        knowledge, facts_of({"test.fp32_clears_nan": True, "config.learning_rate": 0.02}), NAN
    )
    assert (first.cause.id, first.verdict) == ("fp16-overflow", "confirmed")
    assert second.confidence < first.confidence


def test_where_no_symptom_is_seen_decisive_evidence_makes_a_cause_likely(knowledge: Knowledge) -> None:
    (one,) = rank(knowledge, facts_of({"test.fp32_clears_nan": True}), {})
    assert one.verdict == "likely"


@pytest.mark.parametrize(
    ("facts", "verdict"),
    [
        ({"test.fp32_clears_nan": True}, "confirmed"),
        ({"config.precision": "fp16"}, "likely"),
        ({}, "possible"),
        ({"config.precision": "bf16"}, "unlikely"),
    ],
)
def test_verdicts(knowledge: Knowledge, facts: dict[str, bool | str], verdict: str) -> None:
    ranked = {one.cause.id: one for one in rank(knowledge, facts_of(facts), NAN)}
    assert ranked["fp16-overflow"].verdict == verdict


def test_two_causes_may_both_be_confirmed(knowledge: Knowledge) -> None:
    facts = facts_of({"test.fp32_clears_nan": True, "test.lower_lr_helps": True})
    assert [one.verdict for one in rank(knowledge, facts, NAN)] == ["confirmed", "confirmed"]


def test_ties_are_broken_by_id(knowledge: Knowledge) -> None:
    assert [one.cause.id for one in rank(knowledge, Facts(), NAN)] == ["fp16-overflow", "lr-too-high"]


def test_evidence_names_its_place_and_is_filled_in(knowledge: Knowledge) -> None:
    line = rank(knowledge, facts_of({"config.precision": "fp16"}), NAN)[0].evidence[0]
    assert (line.statement, str(line.places[0])) == ("it trains in fp16", "train.log:7")


def test_where_a_symptom_shows_is_no_place_of_the_evidence(make_pack: PackMaker) -> None:
    line = '{if: config.precision == "fp16" and known(symptom.nan_loss), supports: weak, because: it is NaN in fp16}'
    cause = RATE.replace("explanation:", f"  - {line}\nexplanation:", 1)
    knowledge = Knowledge(
        compile_packs([make_pack({"causes/optimisation/lr-too-high.yaml": cause})]).__getitem__
    )
    facts = facts_of({"config.precision": "fp16"})
    facts.add(Fact("symptom.nan_loss", True, Origin.DERIVED, (Place("train.log", 90),)))
    (line_of_rate,) = (
        line
        for one in rank(knowledge, facts, NAN)
        for line in one.evidence
        if line.statement == "it is NaN in fp16"
    )
    assert [str(place) for place in line_of_rate.places] == ["train.log:7"]


def test_the_cheaper_of_two_equal_tests_comes_first(knowledge: Knowledge) -> None:
    tests = next_tests(rank(knowledge, Facts(), NAN), Facts(), knowledge)
    assert tests[0].fact.name == "test.lower_lr_helps"


def test_what_is_known_is_not_asked(knowledge: Knowledge) -> None:
    facts = facts_of({"test.lower_lr_helps": False})
    tests = next_tests(rank(knowledge, facts, NAN), facts, knowledge)
    assert [one.fact.name for one in tests] == ["test.fp32_clears_nan"]


def test_a_test_that_can_tell_nothing_is_not_asked(knowledge: Knowledge) -> None:
    facts = facts_of({"test.lower_lr_helps": False, "test.fp32_clears_nan": True})
    assert next_tests(rank(knowledge, facts, NAN), facts, knowledge) == []


def test_what_takes_for_granted_what_is_not_known_to_be_so_is_not_asked(make_pack: PackMaker) -> None:
    facts = FACTS.replace("minutes: 5}", "minutes: 5, supposes: loss.nonfinite}")
    knowledge = Knowledge(compile_packs([make_pack({"facts/all.yaml": facts})]).__getitem__)

    def asked(known: dict[str, Value]) -> set[str]:
        facts = facts_of(known)
        return {one.fact.name for one in next_tests(rank(knowledge, facts, NAN), facts, knowledge)}

    assert asked({}) == asked({"loss.nonfinite": False}) == {"test.lower_lr_helps"}
    assert asked({"loss.nonfinite": True}) == {"test.lower_lr_helps", "test.fp32_clears_nan"}


def test_nothing_is_asked_about_a_cause_that_is_ten_times_less_likely_than_the_first(
    knowledge: Knowledge,
) -> None:
    facts = facts_of({"test.fp32_clears_nan": True})
    ranked = rank(knowledge, facts, NAN)
    assert [one.verdict for one in ranked] == ["confirmed", "possible"]
    assert "test.lower_lr_helps" not in {one.fact.name for one in next_tests(ranked, facts, knowledge)}


def test_where_either_answer_speaks_against_a_cause_none_is_the_likelier() -> None:
    assert _seen(-12.0, -6.0, 0.3) == 0.5


def test_nothing_is_asked_about_a_cause_that_is_unlikely_while_another_is_possible(
    knowledge: Knowledge,
) -> None:
    facts = facts_of({"config.precision": "bf16"})
    tests = next_tests(rank(knowledge, facts, NAN), facts, knowledge)
    assert [one.fact.name for one in tests] == ["test.lower_lr_helps"]


def test_how_shows_every_step_and_its_sum(knowledge: Knowledge) -> None:
    facts = facts_of({"config.precision": "fp16"})
    text = "\n".join(how(rank(knowledge, facts, NAN)[0], facts, knowledge))
    assert "-9.5 dB  before any evidence" in text
    assert "+12.0 dB  it trains in fp16  [train.log:7]" in text
    assert "+2.5 dB  in all" in text
    assert "not known: test.fp32_clears_nan" in text


def test_why_shows_what_each_answer_would_do(knowledge: Knowledge) -> None:
    ranked = rank(knowledge, Facts(), NAN)
    lines = why(next_tests(ranked, Facts(), knowledge)[0])
    assert "  yes: for lr-too-high (+24 dB)" in lines
    assert "  no: against lr-too-high (-12 dB)" in lines


def test_why_not_compares_with_the_first(knowledge: Knowledge) -> None:
    facts = facts_of({"config.precision": "fp16", "test.lower_lr_helps": False})
    ranked = rank(knowledge, facts, NAN)
    text = "\n".join(why_not(ranked[1], ranked, facts, knowledge))
    assert "lr-too-high stands at place 2, 24.0 dB below fp16-overflow" in text
    assert "-12.0 dB  not the case: a lower rate helps" in text


@pytest.mark.parametrize("word", ["nan-loss", "NaN", "nan", "Not a number", "not-a-number", "nan_loss"])
def test_a_symptom_goes_by_its_id_and_aliases(knowledge: Knowledge, word: str) -> None:
    assert find_symptom(word, knowledge) == "nan-loss"


def test_an_unknown_symptom_is_refused_with_the_nearest(knowledge: Knowledge) -> None:
    with pytest.raises(UnknownSymptom, match="no symptom `nan-lost`; nearest: nan-loss"):
        find_symptom("nan-lost", knowledge)


def test_a_symptom_is_seen_in_the_evidence(knowledge: Knowledge) -> None:
    (seen,) = see_symptoms(knowledge, facts_of({"loss.nonfinite": True}), ())
    assert (seen.symptom.id, seen.given, seen.detected) == ("nan-loss", False, True)


def test_a_symptom_that_a_person_names_is_taken_without_evidence(knowledge: Knowledge) -> None:
    (seen,) = see_symptoms(knowledge, Facts(), ("nan-loss",))
    assert (seen.given, seen.detected) == (True, False)


@pytest.mark.parametrize(("read", "share"), [({}, 0.7), ({"loss.first": 2.0}, 0.2)])
def test_this_machine_counts_less_where_a_run_was_handed_in(
    knowledge: Knowledge, read: dict[str, float], share: float
) -> None:
    facts = facts_of({**read})
    facts.add(Fact("config.precision", "fp16", Origin.HERE, (Place("this machine"),)))
    one = judge(knowledge.causes["fp16-overflow"], facts, NAN, knowledge.weights)
    assert one.decibans - one.prior == pytest.approx(12 * share)


def test_this_machine_says_nothing_of_a_run_that_was_on_another(knowledge: Knowledge) -> None:
    facts = facts_of({"log.steps": 10, "env.elsewhere": True})
    facts.add(Fact("config.precision", "fp16", Origin.HERE, (Place("this machine"),)))
    one = judge(knowledge.causes["fp16-overflow"], facts, NAN, knowledge.weights)
    assert one.decibans == one.prior
