"""What people say of a run names its symptom; what sounds like it does not."""

from __future__ import annotations

import pytest

from traindx.engine.facts import Facts
from traindx.engine.kb.knowledge import Knowledge
from traindx.engine.kb.load import load
from traindx.engine.kb.packs import own_pack
from traindx.engine.symptoms import imply_symptom, see_symptoms
from traindx.probes.inputs import Input, Kind
from traindx.probes.logs.probe import LogProbe


@pytest.fixture(scope="module")
def knowledge() -> Knowledge:
    return load([own_pack()])


def symptoms(knowledge: Knowledge, text: str) -> set[str]:
    facts = Facts()
    facts.extend(LogProbe([Input("train.log", Kind.LOG, data=text.encode())], knowledge).run().facts)
    seen = see_symptoms(knowledge, facts, ()) or imply_symptom(knowledge, facts)
    return {one.symptom.id for one in seen}


TELLS = [
    ("after the run the adapter has learnt nothing", "loss-not-decreasing"),
    ("taking the normalisation out makes the results a lot worse", "underfitting"),
    ("the figure goes up by about 2 MB with every step", "memory-growth"),
    ("6.1 GB at batch 10 of the validation, 9.8 GB at batch 100", "memory-growth"),
    ("CPU memory keeps rising past 16 GB, and then the machine goes down", "host-oom"),
    ("the releases after it train as slow as this one", "slow-training"),
    ("about 5 h since the update, about 1 h with the release before", "slow-training"),
    ("the original on the same card answers many times faster", "slow-inference"),
    ("tokens drip out one by one", "slow-inference"),
    ("the log shows 1e-6 whatever I pass", "config-error"),
    ("neither the flag nor the value in the json counts", "config-error"),
    ("it writes a report that has nothing to do with the scan", "modality-ignored"),
    ("I reload the weights that I saved, and the accuracy is lower than it was", "checkpoint-failure"),
    ("the more epochs I train, the lower the validation accuracy gets", "overfitting"),
    ("the word error rate stays above 100% through all epochs", "loss-not-decreasing"),
    ("for 40 images the training is always 150 hours and more", "slow-training"),
    ("it answers as though it had never been shown the picture", "modality-ignored"),
    ("without cuDNN both runs give the same", "not-reproducible"),
    ("it does not fail, it just does not run any more", "hang"),
    ("it restores itself and goes on; at that point there is a peak in the loss", "checkpoint-failure"),
]


@pytest.mark.parametrize(("said", "symptom"), TELLS)
def test_a_sentence_names_a_symptom(knowledge: Knowledge, said: str, symptom: str) -> None:
    assert symptom in symptoms(knowledge, f"note: {said}\n")


SOUNDS = [
    ("the results are much worse the longer it trains", "underfitting"),
    ("GPU memory keeps rising past 16 GB, and then the machine goes down", "host-oom"),
    ("the card holds 6.1 GB of 24 GB at batch 10", "memory-growth"),
    ("the error is the same whatever I pass as the seed", "config-error"),
    ("the message has nothing to do with the size of the batch", "modality-ignored"),
    ("the script just runs on", "hang"),
    ("restoring the images makes the results lower", "checkpoint-failure"),
    ("the word error rate stays at 8% through all epochs", "loss-not-decreasing"),
    ("the authors say that pretraining took 100 hours on 64 cards", "slow-training"),
]


@pytest.mark.parametrize(("said", "symptom"), SOUNDS)
def test_a_sentence_that_sounds_like_it_does_not(knowledge: Knowledge, said: str, symptom: str) -> None:
    assert symptom not in symptoms(knowledge, f"note: {said}\n")


ERROR = """Traceback (most recent call last):
  File "train.py", line 131, in <module>
    loss.backward()
RuntimeError: Trying to backward through the graph a second time, but the saved intermediate results have already been freed.
note: with retain_graph=True this error goes away, but the GPU then runs out of memory
"""


def test_memory_that_a_mend_took_does_not_hide_the_error_that_stands_there(knowledge: Knowledge) -> None:
    assert "runtime-error" in symptoms(knowledge, ERROR)


def test_an_error_of_memory_is_no_symptom_beside_it(knowledge: Knowledge) -> None:
    text = 'Traceback (most recent call last):\n  File "train.py", line 3, in <module>\nRuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB\nnote: the GPU runs out of memory\n'
    assert symptoms(knowledge, text) == {"cuda-oom"}


PRINTED = [
    ("-rw-r--r-- 1 me me 443 May 12 08:31 adapter_model.bin\n", "checkpoint-failure"),
    ("<bos>The capital of France is the the the the the the the the\n", "poor-output"),
    ("3: nGT 30, proposals 0, loss: x nan, y nan, conf nan, cls nan, total nan\n", "nan-loss"),
    (
        "Version: 0.2.7\nAvg generation throughput: 273.8 tokens/s\nVersion: 0.3.2\nAvg generation throughput: 15.5 tokens/s\n",
        "slow-inference",
    ),
]


@pytest.mark.parametrize(("text", "symptom"), PRINTED)
def test_what_is_printed_shows_it(knowledge: Knowledge, text: str, symptom: str) -> None:
    assert symptom in symptoms(knowledge, text)


def test_the_same_rate_under_two_versions_is_no_symptom(knowledge: Knowledge) -> None:
    text = "Version: 0.2.7\ngeneration: 273.8 tokens/s\nVersion: 0.3.2\ngeneration: 251.5 tokens/s\n"
    assert symptoms(knowledge, text) == set()
