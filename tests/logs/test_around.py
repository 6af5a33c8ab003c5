"""What somebody wrote before or after the output that he pasted is heard; what a library prints there is not."""

from __future__ import annotations

import pytest

from traindx.engine.facts import Fact
from traindx.engine.kb.knowledge import Knowledge
from traindx.engine.kb.load import load
from traindx.engine.kb.packs import own_pack
from traindx.probes.inputs import Input, Kind
from traindx.probes.logs.probe import LogProbe

STEPS = "".join(f"step {step} loss {2 / step:.4f}\n" for step in range(1, 40))


@pytest.fixture(scope="module")
def knowledge() -> Knowledge:
    return load([own_pack()])


def facts(knowledge: Knowledge, text: str) -> dict[str, Fact]:
    findings = LogProbe([Input("run.log", Kind.LOG, data=text.encode())], knowledge).run()
    return {fact.name: fact for fact in findings.facts}


SAYS = [
    "Nothing has been printed since, for two hours.",
    "It starts at 21 and is at 38 when the epoch is over, then it is all back and the climb begins again.",
    "With ZeRO-2 the same run writes a file of 160 MB, and everything in it is well.",
    "The processor is at 100 %, nvidia-smi shows nothing of ours.",
    "In my opinion the learning rate is right.",
]


@pytest.mark.parametrize("said", SAYS)
@pytest.mark.parametrize("ends", ["{said}\n\n{steps}", "{steps}{said}\n", "{steps}\n{said}"])
def test_what_stands_at_an_end_of_a_paste_is_heard(knowledge: Knowledge, said: str, ends: str) -> None:
    found = facts(knowledge, ends.format(said=said, steps=STEPS))
    assert found["log.prose"].value == (said,)
    assert found["loss.count"].value == 39


def test_the_place_is_the_line_in_the_file(knowledge: Knowledge) -> None:
    found = facts(knowledge, f"{STEPS}\n{SAYS[0]}\n")
    assert [place.line for place in found["log.prose"].places] == [41]


def test_a_sentence_over_several_lines_is_one(knowledge: Knowledge) -> None:
    found = facts(
        knowledge,
        f"{STEPS}Nothing has been printed since then, and both\ncards still stand at 100 %, though it is\nwell past noon.\n",
    )
    assert found["log.prose"].value == (
        "Nothing has been printed since then, and both cards still stand at 100 %, though it is well past noon.",
    )


def test_numbers_in_what_was_written_are_no_measurements(knowledge: Knowledge) -> None:
    found = facts(knowledge, f"{STEPS}But the paper has loss 0.01 at step 39, which we never came near.\n")
    assert found["loss.count"].value == 39


PRINTS = [
    "Training completed. Do not forget to share your model on huggingface.co/models =)",
    "The attention mask is not set and cannot be inferred from input because pad token is same as eos token. As a consequence, you may observe unexpected behavior.",
    "None of PyTorch, TensorFlow >= 2.0, or Flax have been found. Models won't be available and only tokenizers, configuration and file/data utilities can be used.",
    "The best model was saved at epoch 12 with an accuracy of 0.93.",
    "Some weights of the model were not used and are newly initialized.",
    "huggingface/tokenizers: The current process just got forked, after parallelism has already been used.",
    "Monitored metric val_loss did not improve in the last 5 records.",
]


@pytest.mark.parametrize("line", PRINTS)
@pytest.mark.parametrize("ends", ["{line}\n{steps}", "{steps}{line}\n"])
def test_what_a_library_says_at_an_end_is_output(knowledge: Knowledge, line: str, ends: str) -> None:
    assert "log.prose" not in facts(knowledge, ends.format(line=line, steps=STEPS))


def test_in_the_middle_only_those_who_speak_of_themselves_are_heard(knowledge: Knowledge) -> None:
    assert "log.prose" not in facts(knowledge, f"{STEPS}{SAYS[0]}\n{STEPS}")
    assert "log.prose" in facts(knowledge, f"{STEPS}{SAYS[4]}\n{STEPS}")


def test_nobody_writes_at_the_end_of_a_long_log(knowledge: Knowledge) -> None:
    assert "log.prose" not in facts(knowledge, f"{STEPS * 20}{SAYS[0]}\n")
