"""Code in a report that a person wrote is searched as a script is, and told with the lines of the report."""

from __future__ import annotations

import tracemalloc

import pytest

from traindx.engine.diagnose import diagnose
from traindx.engine.diagnosis import Diagnosis
from traindx.engine.kb.knowledge import Knowledge
from traindx.engine.kb.load import load
from traindx.engine.kb.packs import own_pack
from traindx.probes.inputs import Input, Kind
from traindx.probes.logs import LogProbe
from traindx.probes.logs.pasted import python_in
from traindx.probes.registry import probes_for

LOSS = "loss = F.nll_loss(F.softmax(out, dim=1), target)"
WORDS = "The loss is negative and it keeps falling, what do I do wrong?"


@pytest.fixture(scope="module")
def knowledge() -> Knowledge:
    """All of our own."""
    return load([own_pack()])


def told(knowledge: Knowledge, text: str, *others: Input) -> Diagnosis:
    inputs = [Input("issue.md", Kind.LOG, data=text.encode()), *others]
    probes = probes_for(inputs, knowledge, machine=False)
    return diagnose(knowledge, probes, symptoms=("suspicious-metrics",), version="x").diagnosis


def lines_of(found: Diagnosis, fact: str) -> list[int | None]:
    return [place.line for one in found.facts if one.name == fact and one.value for place in one.source]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (f"{WORDS}\n\n```python\n{LOSS}\n```\n", 4),
        (f"{WORDS}\n\n```\n{LOSS}\n```\n", 4),
        (f"{WORDS}\n\n    {LOSS}\n", 3),
        (f"{WORDS}\n{LOSS}\n", 2),
        (f"### My code\n\nfor x in loader:\n    out = net(x)\n\n    {LOSS}\n\nand so on\n\n{WORDS}\n", 6),
    ],
    ids=["a fence", "a fence of no language", "indented", "a bare line", "a loop with words behind it"],
)
def test_code_is_found_where_it_stands(knowledge: Knowledge, text: str, line: int) -> None:
    found = told(knowledge, text)
    assert found.causes[0].id == "loss-function-wrong"
    assert line in [place.line for one in found.causes[0].evidence for place in one.source]


TABLE = "| step | memory |\n|---|---|\n" + "".join(f"| {step}00 | {step}.1 GB |\n" for step in range(1, 9))


@pytest.mark.parametrize("head", ["", TABLE], ids=["words", "a table in Markdown too"])
def test_a_table_makes_no_log_of_a_report(knowledge: Knowledge, head: str) -> None:
    found = told(knowledge, f"{WORDS}\n\n{head}\n```python\n{LOSS}\n```\n")
    assert found.causes[0].id == "loss-function-wrong"


def test_the_report_is_named_once(knowledge: Knowledge) -> None:
    assert [one.name for one in told(knowledge, f"{WORDS}\n\n```python\n{LOSS}\n```\n").inputs] == [
        "issue.md"
    ]


def test_where_a_script_is_handed_in_it_is_read_instead(knowledge: Knowledge) -> None:
    script = Input("train.py", Kind.CODE, data=b"import torch\nprint(torch.__version__)\n")
    assert lines_of(told(knowledge, f"{WORDS}\n\n```python\n{LOSS}\n```\n", script), "code.read") == [1]


@pytest.mark.parametrize(
    "text",
    [
        "step 1 loss 2.5\nstep 2 loss 2.4\n",
        "{'loss': 2.5, 'grad_norm': 1.0}\n",
        "learning_rate = 0.001\n",
        "Linear(in_features=3, out_features=4, bias=True)\n",
        "loss: 2.5\n",
        "\n\n\n",
        "x = (" * 3000,
    ],
)
def test_output_is_no_code(text: str) -> None:
    assert list(python_in(text, "")) == []


def test_words_around_code_are_left_out() -> None:
    text = "this one\n\nx = f(1)\ny = g(x)\n\nand then\n\ny.backward()\n"
    assert list(python_in(text, "")) == [(2, "x = f(1)\ny = g(x)"), (7, "y.backward()")]


def test_a_fence_that_is_never_closed_is_not_held_in_memory(knowledge: Knowledge) -> None:
    rows = 200_000
    text = f"{WORDS}\n\n```\n" + "".join(f"step {step} loss 2.5000 and more of it\n" for step in range(rows))
    told(knowledge, text[:4000])  # what is known is read when it is first asked for, and stays
    tracemalloc.start()
    found = told(knowledge, text)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert next(one.value for one in found.facts if one.name == "loss.count") == rows
    assert peak < 3 * len(text)


def test_a_list_of_versions_makes_no_log_of_a_report(knowledge: Knowledge) -> None:
    """Few sentences, and under a heading more lines that only name what was used."""
    text = (
        "## 问题描述\n\n训练到第 100 步左右卡住不动，单卡可以正常训练。\n\n## 日志\n\n```\nstep 1 loss 2.0\n```\n\n"
        "## 环境\n\n- GPU: 2 x NVIDIA GeForce RTX 4090\n- PyTorch 2.4.0, CUDA 12.1\n- NCCL 2.20.5\n"
    )
    assert {one.name: one.value for one in told(knowledge, text).facts}["test.one_device_works"] is True


def test_settings_that_a_person_pasted_are_read_in_the_format_they_name(knowledge: Knowledge) -> None:
    text = "After some steps my loss is nan, I do not know why.\n\n```yaml\nfp16: true\noptim:\n  lr: 0.01\n```\n"
    probe = LogProbe([Input("issue.md", Kind.LOG, data=text.encode())], knowledge)
    probe.run()
    (block,) = probe.printed_settings
    assert (block.format, block.line, block.text) == ("yaml", 4, "fp16: true\noptim:\n  lr: 0.01\n")
