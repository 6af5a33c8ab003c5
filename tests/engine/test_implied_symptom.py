"""Which symptom is meant where none is named or sure: what a rule hears goes before words, and a likely cause shows itself."""

from __future__ import annotations

import pytest

from traindx.engine.diagnose import diagnose
from traindx.engine.facts import Fact, Origin, Value
from traindx.engine.kb.knowledge import Knowledge
from traindx.engine.kb.load import compile_packs
from traindx.engine.probe import Findings

from ..small_pack import PackMaker

WORDS = "the run freezes after the first batch"
SYMPTOMS = {
    "symptoms/hang.yaml": f"id: hang\ntitle: It stands still\ntold_as: [{WORDS}]\n",
    "symptoms/flat.yaml": (
        "id: flat\ntitle: It learns nothing\ntold_as: [nothing is learnt]\n"
        "detect:\n  - {if: grad.norm.max < 1, supports: moderate, because: gradients are small}\n"
    ),
    "symptoms/heavy.yaml": (
        "id: heavy\ntitle: It is heavy\n"
        'detect:\n  - {if: ''said("heavy")'', supports: strong, because: it is said to be heavy}\n'
    ).replace("''", "'"),
    "symptoms/loud.yaml": (
        "id: loud\ntitle: It is loud\n"
        'detect:\n  - {if: ''said("loud")'', supports: decisive, because: it is said to be loud}\n'
    ).replace("''", "'"),
}  # fmt: skip


class Read:
    """A probe that read sentences, and perhaps some facts beside them."""

    id, cost, asked_for = "logs", 0.1, True
    gives: frozenset[str] = frozenset()

    def __init__(self, *said: str, complains: bool = True, **facts: Value) -> None:
        self._said, self._complains, self._facts = said, complains, facts

    def run(self) -> Findings:
        facts = [Fact(name.replace("__", "."), value, Origin.LOG) for name, value in self._facts.items()]
        facts.append(Fact("log.prose", self._said, Origin.LOG))
        facts.append(Fact("log.complaint", self._complains, Origin.LOG))
        return Findings(facts, excerpts=list(self._said))


@pytest.fixture
def knowledge(make_pack: PackMaker) -> Knowledge:
    return Knowledge(compile_packs([make_pack(SYMPTOMS)]).__getitem__)


def seen(knowledge: Knowledge, *said: str, complains: bool = True, **facts: Value) -> list[str]:
    found = diagnose(knowledge, [Read(*said, complains=complains, **facts)], symptoms=()).diagnosis
    return [one.id for one in found.symptoms]


def test_words_alone_tell_where_no_rule_hears_anything(knowledge: Knowledge) -> None:
    assert seen(knowledge, "mine freezes after one batch") == ["hang"]


def test_words_of_a_run_that_nobody_complains_of_tell_nothing(knowledge: Knowledge) -> None:
    assert seen(knowledge, "mine freezes after one batch", complains=False) == []


def test_what_a_rule_hears_goes_before_words(knowledge: Knowledge) -> None:
    assert seen(knowledge, "it is heavy, and freezes after one batch") == ["heavy"]


def test_what_a_rule_hears_of_a_run_that_is_praised_tells_nothing(knowledge: Knowledge) -> None:
    assert seen(knowledge, "it is loud", complains=False) == ["loud"]
    assert seen(knowledge, "it is loud", complains=False, log__contentment=True) == []


def test_praise_weighs_nothing_where_the_run_ended_in_an_error(knowledge: Knowledge) -> None:
    ended: dict[str, Value] = {"log__contentment": True, "log__exception__type": "RuntimeError"}
    assert seen(knowledge, "it is loud", complains=False, **ended) == ["loud"]


def test_what_is_measured_does_not_silence_words(knowledge: Knowledge) -> None:
    assert seen(knowledge, "mine freezes after one batch", grad__norm__max=0.5) == ["hang"]


def test_words_point_past_no_symptom_of_a_likely_cause(knowledge: Knowledge) -> None:
    likely = {"test__lower_lr_helps": True, "test__fp32_clears_nan": False}
    assert seen(knowledge, "mine freezes after one batch", **likely) == ["nan-loss"]
