"""Gathering: a probe runs when it was asked for, or when it could change the answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from traindx.engine.diagnose import answered, diagnose
from traindx.engine.facts import Fact, Origin, Place, Value
from traindx.engine.kb.knowledge import Knowledge
from traindx.engine.probe import Findings


@dataclass
class Fake:
    """A probe that gives these facts."""

    id: str
    values: Mapping[str, Value]
    asked_for: bool = False
    cost: float = 0.1
    ran: list[str] = field(default_factory=list)
    gives_also: tuple[str, ...] = ()
    excerpt: str = ""

    @property
    def gives(self) -> frozenset[str]:
        return frozenset([*self.values, *self.gives_also])

    def run(self) -> Findings:
        self.ran.append(self.id)
        return Findings(
            [Fact(name, value, Origin.LOG, (Place("log"),)) for name, value in self.values.items()],
            excerpts=[self.excerpt] if self.excerpt else [],
        )


def test_a_probe_that_was_asked_for_always_runs(knowledge: Knowledge) -> None:
    probe = Fake("log", {"loss.first": 2.0}, asked_for=True)
    diagnose(knowledge, [probe], symptoms=("nan-loss",))
    assert probe.ran == ["log"]


def test_a_probe_that_could_reorder_the_causes_runs(knowledge: Knowledge) -> None:
    probe = Fake("test", {"test.fp32_clears_nan": True})
    assert diagnose(knowledge, [probe], symptoms=("nan-loss",)).diagnosis.causes[0].verdict == "confirmed"


def test_a_probe_whose_facts_no_contender_asks_for_does_not_run(knowledge: Knowledge) -> None:
    probe = Fake("device", {"loss.first": 2.0})
    reasoned = diagnose(knowledge, [probe], symptoms=("nan-loss",))
    assert probe.ran == []
    assert reasoned.gathered.skipped == {"device": "nothing it could tell would change the answer"}


def test_a_probe_that_costs_more_than_the_time_left_does_not_run(knowledge: Knowledge) -> None:
    probe = Fake("slow", {"test.fp32_clears_nan": True}, cost=60)
    reasoned = diagnose(knowledge, [probe], symptoms=("nan-loss",), budget=5)
    assert "60 s and 5 s were left" in reasoned.gathered.skipped["slow"]


def test_the_cheapest_probe_runs_first_and_may_spare_the_others(knowledge: Knowledge) -> None:
    order: list[str] = []
    cheap = Fake("cheap", {"test.fp32_clears_nan": True, "test.lower_lr_helps": False}, cost=0.1, ran=order)
    dear = Fake("dear", {"test.fp32_clears_nan": True, "test.lower_lr_helps": False}, cost=9.0, ran=order)
    diagnose(knowledge, [dear, cheap], symptoms=("nan-loss",))
    assert order == ["cheap"]


def test_why_a_probe_could_not_tell_is_kept(knowledge: Knowledge) -> None:
    class Blind(Fake):
        def run(self) -> Findings:
            return Findings(unknowable={"test.fp32_clears_nan": "no GPU here"})

    reasoned = diagnose(knowledge, [Blind("gpu", {"test.fp32_clears_nan": True})], symptoms=("nan-loss",))
    assert reasoned.gathered.facts.why_unknown("test.fp32_clears_nan") == "no GPU here"


def test_an_answer_changes_the_diagnosis_without_reading_anything_again(knowledge: Knowledge) -> None:
    probe = Fake("log", {"config.precision": "fp16"}, asked_for=True)
    before = diagnose(knowledge, [probe], symptoms=("nan-loss",))
    answer = Fact("test.fp32_clears_nan", False, Origin.ANSWER, (Place("answer"),))
    after = answered(before, knowledge, ("nan-loss",), answer)
    assert [one.diagnosis.causes[0].id for one in (before, after)] == ["fp16-overflow", "lr-too-high"]
    assert probe.ran == ["log"]


def test_a_symptom_is_detected_where_none_is_named(knowledge: Knowledge) -> None:
    probe = Fake("log", {"loss.nonfinite": True}, asked_for=True)
    diagnosis = diagnose(knowledge, [probe]).diagnosis
    assert [(one.id, one.detected) for one in diagnosis.symptoms] == [("nan-loss", True)]
    assert diagnosis.outcome == "symptom-only"


def test_nothing_wrong_is_an_answer(knowledge: Knowledge) -> None:
    probe = Fake("log", {"loss.nonfinite": False}, asked_for=True)
    diagnosis = diagnose(knowledge, [probe]).diagnosis
    assert (diagnosis.outcome, diagnosis.symptoms, diagnosis.found) == ("nothing-found", (), False)


def test_the_same_inputs_give_the_same_diagnosis(knowledge: Knowledge) -> None:
    def once() -> object:
        probe = Fake("log", {"config.precision": "fp16", "loss.nonfinite": True}, asked_for=True)
        return diagnose(knowledge, [probe]).diagnosis

    assert once() == once()


def hinted(knowledge: Knowledge, **facts: Value) -> bool:
    """Whether the words of a script say something of causes."""
    script = "scaler = GradScaler()  # overflows are skipped"
    facts = {"loss.nonfinite": True, "code.read": True, **facts}
    probe = Fake(
        "script", {name.replace("__", "."): value for name, value in facts.items()}, True, excerpt=script
    )
    causes = diagnose(knowledge, [probe], top=99).diagnosis.causes
    return any(line.hint for cause in causes for line in cause.evidence)


def test_the_words_of_a_script_that_was_handed_in_are_a_hint(knowledge: Knowledge) -> None:
    assert hinted(knowledge)


def test_the_words_of_the_script_of_a_watched_run_are_none(knowledge: Knowledge) -> None:
    assert not hinted(knowledge, log__watched_steps=100)
