"""The three renderings of one diagnosis, word for word. `pytest --update` writes them anew."""

from __future__ import annotations

from pathlib import Path

import pytest

from traindx.engine.diagnose import diagnose
from traindx.engine.diagnosis import Diagnosis, FactFound, FilePatch
from traindx.engine.facts import Fact, Origin, Place
from traindx.engine.kb.knowledge import Knowledge
from traindx.engine.probe import Event, Findings, InputSeen
from traindx.engine.report.data import to_json
from traindx.engine.report.markdown import to_markdown
from traindx.engine.report.screen import BESIDE, screen
from traindx.engine.report.short import short

GOLDEN = Path(__file__).parent / "golden"
DIFF = "--- a/config.yaml\n+++ b/config.yaml\n@@ -1,2 +1,2 @@\n-precision: fp16  # fast\n+precision: bf16  # fast\n learning_rate: 0.02\n"


class Recorded:
    """A probe that brings what a real run brought."""

    id = "recorded"
    gives = frozenset({"loss.nonfinite", "config.*"})
    cost = 0.0
    asked_for = True

    def run(self) -> Findings:
        bad = Place("train.log", 812, step=640, rank=3, text="step 640 | loss nan | `grad` <b>9e4</b>")
        precision = Place("config.yaml", 1, 12, text="precision: fp16  # fast")
        rate = Place("config.yaml", 2, 16, text="learning_rate: 0.02")
        return Findings(
            facts=[
                Fact("loss.nonfinite", True, Origin.LOG, (bad,)),
                Fact("loss.first", 2.31, Origin.LOG, (Place("train.log", 1, step=1),)),
                Fact("config.precision", "fp16", Origin.CONFIG, (precision,)),
                Fact("config.learning_rate", 0.02, Origin.CONFIG, (rate,)),
                Fact("test.lower_lr_helps", False, Origin.ANSWER, (Place("answer"),)),
            ],
            events=[Event("The loss is NaN for the first time", bad)],
            inputs=[
                InputSeen("train.log", "log", 81920, "metrics were sampled"),
                InputSeen("config.yaml", "config", 41),
                InputSeen("state.pt", "other", 9, "a pickle, which is never opened", bad=True),
            ],
            notes=["one rank of four is shown"],
        )


@pytest.fixture
def diagnosis(knowledge: Knowledge) -> Diagnosis:
    made = diagnose(knowledge, [Recorded()], version="9.9").diagnosis
    fixes = tuple(
        one._replace(patch=(FilePatch("config.yaml", DIFF),)) if one.id == "use-bf16" else one
        for one in made.fixes
    )
    return made._replace(
        fixes=fixes, command="diagnose train.log config.yaml", packs=("added: cause lab-fan (lab)",)
    )


def check(name: str, text: str, *, update: bool) -> None:
    path = GOLDEN / name
    if update:
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


def test_text(diagnosis: Diagnosis, update: bool) -> None:
    check("diagnosis.txt", "".join(line.text + "\n" for line in screen(diagnosis)), update=update)


def test_markdown(diagnosis: Diagnosis, knowledge: Knowledge, update: bool) -> None:
    check("diagnosis.md", to_markdown(diagnosis, knowledge), update=update)


def test_json(diagnosis: Diagnosis, update: bool) -> None:
    check("diagnosis.json", to_json(diagnosis), update=update)


def test_nothing_found(knowledge: Knowledge, update: bool) -> None:
    made = diagnose(knowledge, [], version="9.9").diagnosis
    check("nothing-found.txt", "".join(line.text + "\n" for line in screen(made)), update=update)


def test_where_nothing_is_found_no_change_is_advised(knowledge: Knowledge) -> None:
    made = diagnose(knowledge, [], version="9.9").diagnosis
    report = to_markdown(made, knowledge)
    assert made.fixes == ()
    assert "nothing is to be changed" in report
    assert "Tests that would tell more" not in report


def test_of_a_cause_that_can_bring_nothing_of_what_is_seen_it_is_said(
    diagnosis: Diagnosis, knowledge: Knowledge
) -> None:
    beside = diagnosis._replace(causes=(diagnosis.causes[0]._replace(explains=()),))
    for one, said in ((beside, True), (diagnosis, False)):
        assert (BESIDE in "".join(line.text for line in screen(one))) is said
        assert (BESIDE in to_markdown(one, knowledge)) is said


def test_a_command_that_failed_is_not_called_clean(knowledge: Knowledge) -> None:
    made = diagnose(knowledge, [], version="9.9").diagnosis
    ended = FactFound("process.exit_code", 2, "", "live")
    report = to_markdown(made._replace(facts=(ended,)), knowledge)
    assert "The command failed" in report
    assert "Nothing wrong" not in report


@pytest.mark.parametrize(
    ("measured", "decibans", "shown"),
    [
        ("loss.terms_without_weight", 12.0, True),
        ("loss.terms_without_weight", 6.0, False),
        ("loss.still_falling", 12.0, False),
    ],
)
def test_what_a_watched_run_measured_is_shown_unless_it_is_the_course_of_its_loss(
    diagnosis: Diagnosis, knowledge: Knowledge, measured: str, decibans: float, shown: bool
) -> None:
    clean = diagnose(knowledge, [], version="9.9").diagnosis
    line = diagnosis.causes[0].evidence[0]._replace(decibans=decibans, facts=(measured,))
    cause = diagnosis.causes[0]._replace(verdict="possible", confidence=0.16, evidence=(line,))
    found = clean._replace(causes=(cause,), facts=(FactFound(measured, 1, "", "live"),))

    def lines(ended: str, *, failed: bool) -> str:
        return "\n".join(one.text for one in short(found, ended, failed=failed))

    assert ("unless it is meant" in lines("exit code 0", failed=False)) is shown
    assert "Nothing wrong found" in lines("exit code 0", failed=False)


def test_a_watched_run_names_a_fix_for_each_confirmed_cause(diagnosis: Diagnosis) -> None:
    first, *_ = diagnosis.causes
    other = first._replace(id="lr-too-high", verdict="confirmed", fixes=("lower-lr",))
    fix = diagnosis.fixes[0]._replace(id="lower-lr", title="Lower it")
    both = diagnosis._replace(causes=(first, other), fixes=(*diagnosis.fixes, fix))

    def lines(found: Diagnosis) -> str:
        return "\n".join(line.text for line in short(found, "exit code 0", failed=False))

    assert "fix: Lower it  (lower-lr)" in lines(both)
    possible = both._replace(causes=(first, other._replace(verdict="possible")))
    assert "fix: Lower it" not in lines(possible)
