"""Facts: who is believed, what is unknown, and what follows."""

from __future__ import annotations

import pytest

from traindx.engine.derive import derive
from traindx.engine.facts import Fact, Facts, Origin, Place
from traindx.engine.kb.knowledge import Knowledge

from ..small_pack import facts_of


def fact(value: float, origin: Origin) -> Fact:
    return Fact("config.learning_rate", value, origin)


@pytest.mark.parametrize(
    ("first", "second", "believed"),
    [
        (Origin.CONFIG, Origin.ANSWER, 2.0),
        (Origin.CONFIG, Origin.LOG, 2.0),
        (Origin.SCRIPT, Origin.CONFIG, 1.0),
        (Origin.LOG, Origin.HERE, 1.0),
        (Origin.DEFAULT, Origin.CONFIG, 2.0),
        (Origin.CONFIG, Origin.CONFIG, 1.0),
    ],
)
def test_the_more_trusted_origin_is_believed(first: Origin, second: Origin, believed: float) -> None:
    facts = Facts()
    facts.extend([fact(1.0, first), fact(2.0, second)])
    assert facts.value("config.learning_rate") == believed


def test_a_reason_why_is_kept_until_the_fact_is_known() -> None:
    facts = Facts()
    facts.cannot_know("gpu.name", "no NVML here")
    assert facts.why_unknown("gpu.name") == "no NVML here"
    facts.add(Fact("gpu.name", "A100", Origin.LOG))
    assert facts.why_unknown("gpu.name") is None


@pytest.mark.parametrize(
    ("place", "text"),
    [
        (Place("train.log", 12), "train.log:12"),
        (Place("train.log", 12, 4), "train.log:12:4"),
        (Place("train.log", 12, step=640, rank=3), "train.log:12 (step 640, rank 3)"),
        (Place("this machine"), "this machine"),
    ],
)
def test_a_place_reads_like_a_compilers(place: Place, text: str) -> None:
    assert str(place) == text


def test_a_derived_fact_stands_where_its_premises_stand(knowledge: Knowledge) -> None:
    facts = facts_of({"grad.norm.max": 812.0})
    derive(facts, knowledge)
    derived = facts.get("grad.norm.exploding")
    assert derived is not None
    assert (derived.value, derived.places) == (True, (Place("train.log", 7),))


def test_a_derived_fact_is_no_more_trusted_than_its_premises(knowledge: Knowledge) -> None:
    facts = facts_of({"grad.norm.max": 812.0}, Origin.PROSE)
    derive(facts, knowledge)
    derived = facts.get("grad.norm.exploding")
    assert derived is not None
    assert derived.origin is Origin.PROSE


def test_nothing_follows_from_what_is_unknown(knowledge: Knowledge) -> None:
    facts = Facts()
    derive(facts, knowledge)
    assert "grad.norm.exploding" not in facts


def test_a_known_fact_is_not_derived_anew(knowledge: Knowledge) -> None:
    facts = facts_of({"grad.norm.max": 812.0, "grad.norm.exploding": False})
    derive(facts, knowledge)
    assert facts.value("grad.norm.exploding") is False
