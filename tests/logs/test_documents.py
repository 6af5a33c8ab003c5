"""Texts in which nobody tells of a run of his own."""

from __future__ import annotations

import pytest

from traindx.engine.kb.knowledge import Knowledge
from traindx.probes.inputs import Input, Kind
from traindx.probes.logs import LogProbe

PARAGRAPHS = [
    "This library trains image models with one command. It reads a folder of images and writes checkpoints.",
    "The loss may become nan in half precision, and then the scaler skips the step. The rate is lowered by hand.",
    "Training hangs if the ranks get different numbers of batches. The sampler pads the last one to avoid that.",
    "A model that is not in eval mode gives other results each time. The trainer takes care of both modes.",
    "If the device runs out of memory, a smaller batch helps. Activations can be checkpointed as well.",
    "The documentation holds a page for every option. There are examples for all common tasks in it.",
]


def written(times: int = 2, *more: str) -> str:
    return "# Imago\n\n" + "\n\n".join([*PARAGRAPHS * times, *more]) + "\n"


def read(knowledge: Knowledge, text: str) -> tuple[set[str], str]:
    """The facts that were found, and what was noted."""
    findings = LogProbe([Input("about.md", Kind.LOG, data=text.encode())], knowledge).run()
    return {fact.name for fact in findings.facts}, findings.inputs[0].note


def test_the_sentences_of_a_document_are_no_evidence(knowledge: Knowledge) -> None:
    names, note = read(knowledge, written())
    assert "log.prose" not in names
    assert note.startswith("a document, in which nobody tells of a run of his own")


def test_what_is_printed_in_a_document_is_read(knowledge: Knowledge) -> None:
    names, _ = read(knowledge, written(2, "```\nstep 1 loss 2.0\nstep 2 loss 1.9\nstep 3 loss 1.8\n```"))
    assert "loss.first" in names


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(written(1), id="a few sentences"),
        pytest.param(
            written(2, "My loss is nan. I use fp16. I tried bf16."), id="somebody speaks of himself"
        ),
        pytest.param(
            written(2, "## Steps to reproduce", "Run the example."), id="a report in nobody's voice"
        ),
        pytest.param("# 报告\n\n" + "训练时损失变成 nan，然后程序卡住了。\n\n" * 30, id="another language"),
    ],
)
def test_a_report_is_none(knowledge: Knowledge, text: str) -> None:
    assert "log.prose" in read(knowledge, text)[0]
