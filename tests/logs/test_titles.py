"""The title of a report is heard, and so is every other heading that is a sentence; what a machine prints in Markdown is not."""

from __future__ import annotations

import pytest

from traindx.engine.facts import Fact
from traindx.engine.kb.knowledge import Knowledge
from traindx.engine.kb.load import load
from traindx.engine.kb.packs import own_pack
from traindx.probes.inputs import Input, Kind
from traindx.probes.logs.probe import LogProbe
from traindx.probes.logs.prose import Writing

STEPS = "".join(f"step {step} loss {2 / step:.4f}\n" for step in range(1, 40))
BODY = "I use the settings of the example on my own data, nothing else was changed.\n"


@pytest.fixture(scope="module")
def knowledge() -> Knowledge:
    return load([own_pack()])


def facts(knowledge: Knowledge, text: str, name: str = "issue.md") -> dict[str, Fact]:
    findings = LogProbe([Input(name, Kind.LOG, data=text.encode())], knowledge).run()
    return {fact.name: fact for fact in findings.facts}


def said(knowledge: Knowledge, text: str, name: str = "issue.md") -> tuple[str, ...]:
    found = facts(knowledge, text, name).get("log.prose")
    return found.value if found is not None and isinstance(found.value, tuple) else ()


@pytest.mark.parametrize("title", ["Slow training", "Overfitting", "Why is the loss so high?"])
def test_a_title_is_heard_by_itself(knowledge: Knowledge, title: str) -> None:
    assert said(knowledge, f"# {title}\n{BODY}") == (title, BODY.strip())


def test_a_heading_that_is_a_sentence_is_heard_by_itself(knowledge: Knowledge) -> None:
    text = f"{BODY}\n## This is what I see after the first epoch\n{BODY}"
    assert "This is what I see after the first epoch" in said(knowledge, text)


@pytest.mark.parametrize("heading", ["Environment", "To Reproduce"])
def test_a_heading_that_only_parts_a_report_says_nothing(knowledge: Knowledge, heading: str) -> None:
    assert heading not in said(knowledge, f"{BODY}\n## {heading}\n{BODY}")


def test_an_error_as_title_is_an_error_and_not_said(knowledge: Knowledge) -> None:
    found = facts(knowledge, f"# ValueError: num_samples should be positive\n{BODY}")
    assert found["log.prose"].value == (BODY.strip(),)
    assert found["log.exception.type"].value == "ValueError"


def test_a_report_in_markdown_may_be_output_for_the_most_part(knowledge: Knowledge) -> None:
    found = facts(knowledge, f"# The loss is odd\n{STEPS}")
    assert found["log.prose"].value == ("The loss is odd",)
    assert found["loss.count"].value == 39


def test_a_comment_at_the_top_of_a_log_is_no_title(knowledge: Knowledge) -> None:
    assert said(knowledge, f"# run 7 begins\n{STEPS}", "train.log") == ()


def test_the_place_of_a_title_is_its_line(knowledge: Knowledge) -> None:
    found = facts(knowledge, f"\n# Slow training\n{BODY}")
    assert [place.line for place in found["log.prose"].places] == [2, 3]


SENTENCE = (
    "Training with batch=64 gpu=8, the speed goes down after some time, and nobody knows what the reason is."
)


def test_settings_in_a_sentence_leave_it_one(knowledge: Knowledge) -> None:
    assert Writing(knowledge).is_sentence(SENTENCE)


@pytest.mark.parametrize("line", ["the run is at epoch=3 step=400 loss=0.3", "lr=0.1 loss=0.2 in the log"])
def test_a_line_of_settings_is_none(knowledge: Knowledge, line: str) -> None:
    assert not Writing(knowledge).is_sentence(line)
